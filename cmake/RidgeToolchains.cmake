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

# --- CUDA
set(RIDGE_WITH_CUDA 0)
if(NOT RIDGE_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
    set(RIDGE_WITH_CUDA 1)
    set(RIDGE_NVCC ${CUDAToolkit_NVCC_EXECUTABLE})
  elseif(RIDGE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RIDGE_CUDA=ON, but there is no CUDA toolkit with nvcc here")
  endif()
endif()
if(RIDGE_WITH_CUDA)
  set(archs ${RIDGE_CUDA_ARCH})
  if(NOT archs)
    find_program(RIDGE_NVIDIA_SMI nvidia-smi)
    if(RIDGE_NVIDIA_SMI)
      execute_process(COMMAND ${RIDGE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                      OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${found}")
      list(REMOVE_DUPLICATES found)
      string(REPLACE "." "" archs "${found}")
    endif()
    if(NOT archs)
      set(archs 90)
    endif()
  endif()
  set(RIDGE_CUDA_FLAGS -std=c++20 -O3 --expt-relaxed-constexpr -ccbin ${CMAKE_CXX_COMPILER}
      -Xcompiler=-fPIC)
  if(RIDGE_CUDA_FAST_COMPILE AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13.0)
    list(APPEND RIDGE_CUDA_FLAGS --Ofast-compile=min -Xcompiler=-O1)
  endif()
  foreach(arch IN LISTS archs)
    list(APPEND RIDGE_CUDA_FLAGS -gencode=arch=compute_${arch},code=[sm_${arch},compute_${arch}])
  endforeach()
  message(STATUS "Ridge: cuda with ${RIDGE_NVCC} for ${archs}")
  if(NOT TARGET ridge_cuda_runtime)
    add_library(ridge_cuda_runtime INTERFACE)
    target_link_libraries(ridge_cuda_runtime INTERFACE CUDA::cudart_static)
  endif()
endif()

# --- HIP: clang with the device libraries of the system's packages
set(RIDGE_WITH_HIP 0)
if(NOT RIDGE_HIP STREQUAL "OFF")
  find_program(RIDGE_HIP_COMPILER NAMES clang++-19 amdclang++)
  find_program(RIDGE_HIP_BUNDLER NAMES clang-offload-bundler-19 clang-offload-bundler)
  find_library(RIDGE_AMDHIP64 amdhip64)
  find_path(RIDGE_HIP_INCLUDE hip/hip_runtime.h)
  find_path(RIDGE_HIP_BITCODE ockl.bc PATH_SUFFIXES amdgcn/bitcode
            PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib /opt/rocm NO_DEFAULT_PATH)
  if(RIDGE_HIP_COMPILER AND RIDGE_HIP_BUNDLER AND RIDGE_AMDHIP64 AND RIDGE_HIP_INCLUDE
     AND RIDGE_HIP_BITCODE)
    set(RIDGE_WITH_HIP 1)
  elseif(RIDGE_HIP STREQUAL "ON")
    message(FATAL_ERROR "RIDGE_HIP=ON needs clang++-19, clang-tools-19, lld-19, libamdhip64-dev and "
                        "rocm-device-libs; missing here: compiler ${RIDGE_HIP_COMPILER}, bundler "
                        "${RIDGE_HIP_BUNDLER}, runtime ${RIDGE_AMDHIP64}, headers "
                        "${RIDGE_HIP_INCLUDE}, bitcode ${RIDGE_HIP_BITCODE}")
  endif()
endif()
if(RIDGE_WITH_HIP)
  include(RidgeHipBitcode)
  ridge_complete_hip_bitcode(RIDGE_HIP_BITCODE_COMPLETE)
  # The runtime's headers predate the compiler and warn; the project's own code is checked by the
  # host and CUDA builds of the same sources.
  set(RIDGE_HIP_FLAGS -x hip -std=c++20 -O3 -fPIC -ffp-contract=fast
      --rocm-device-lib-path=${RIDGE_HIP_BITCODE_COMPLETE} -Wno-unused-value)
  if(NOT RIDGE_HIP_INCLUDE STREQUAL "/usr/include") # which must keep its place behind the compiler's own
    list(APPEND RIDGE_HIP_FLAGS -isystem ${RIDGE_HIP_INCLUDE})
  endif()
  foreach(arch IN LISTS RIDGE_HIP_ARCH)
    list(APPEND RIDGE_HIP_FLAGS --offload-arch=${arch})
  endforeach()
  message(STATUS "Ridge: hip with ${RIDGE_HIP_COMPILER} for ${RIDGE_HIP_ARCH}")
  if(NOT TARGET ridge_hip_runtime)
    add_library(ridge_hip_runtime INTERFACE)
    target_link_libraries(ridge_hip_runtime INTERFACE ${RIDGE_AMDHIP64})
  endif()
endif()

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
