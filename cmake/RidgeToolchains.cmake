# Finds the compilers of the device kinds and decides which kinds this build has.
#
# Results: RIDGE_WITH_CUDA, RIDGE_NVCC, RIDGE_CUDA_FLAGS, RIDGE_WITH_HIP, RIDGE_HIP_COMPILER,
# RIDGE_HIP_FLAGS, RIDGE_CPU_FLAGS; targets ridge_cuda_runtime and ridge_hip_runtime.

set(RIDGE_CPU_ARCH native CACHE STRING "Processor the cpu kernels are compiled for (-march)")
set(RIDGE_CPU_LEVELS "" CACHE STRING
    "Further processors that the library carries kernels for and chooses from: x86-64-v2;x86-64-v3;x86-64-v4")
set(RIDGE_CUDA_ARCH "" CACHE STRING "NVIDIA compute capabilities, such as 80;90; empty: the GPU here, or 90")
option(RIDGE_CUDA_FAST_COMPILE
       "Compile the kernels ahead in half the time: slower ones, of which an H200 refused some (nvcc 13.0, passes of several sweeps); only where nothing runs them")
set(RIDGE_HIP_ARCH "gfx90a;gfx942;gfx1100" CACHE STRING "AMD architectures")

set(RIDGE_AHEAD DEFAULTS CACHE STRING
    "What is compiled ahead: DEFAULTS (what default schedules pick), NAMES (and those with names), ALL")

set(RIDGE_CPU_FLAGS -march=${RIDGE_CPU_ARCH} -ffp-contract=fast -fno-math-errno -fno-trapping-math)
# Packs of more than a register: how they are passed differs only from what other compilers made.
list(APPEND RIDGE_CPU_FLAGS -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Kernels that keep a vector unit busy want all of it, also where the compiler would rather not.
  list(APPEND RIDGE_CPU_FLAGS -mprefer-vector-width=512)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/kinds/cuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/kinds/hip.cmake)

# --- The GPUs of this machine, by kind: what is compiled only to be run here is compiled for them.
set(RIDGE_GPUS_HERE)
find_program(RIDGE_NVIDIA_SMI nvidia-smi)
if(RIDGE_NVIDIA_SMI)
  execute_process(COMMAND ${RIDGE_NVIDIA_SMI} -L OUTPUT_VARIABLE found ERROR_QUIET)
  if(found MATCHES "^GPU ")
    list(APPEND RIDGE_GPUS_HERE cuda)
  endif()
endif()
if(EXISTS /dev/kfd)
  list(APPEND RIDGE_GPUS_HERE hip)
endif()
