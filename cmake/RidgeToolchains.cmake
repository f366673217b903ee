# Finds the compilers of the device kinds and decides which kinds this build has.
#
# Results: RIDGE_CPU_FLAGS; RIDGE_GPU_KINDS, a file each in cmake/kinds, which sets for its KIND
#   RIDGE_WITH_<KIND>         1 where its kernels are compiled in this build, else 0
#   RIDGE_<KIND>_COMPILER, RIDGE_<KIND>_FLAGS   how; of several architectures, _FIRST_FLAGS for the first alone
#   RIDGE_<KIND>_CHECK_FLAGS  what finds errors and makes nothing
#   RIDGE_<KIND>_SAMPLE, _SAMPLE_OF_FIRST       which sources RIDGE_GPU_SAMPLE makes machine code of
#   RIDGE_<KIND>_BACKEND      includes and definitions of the backend's source, as flags
#   RIDGE_<KIND>_WHEEL_ARCHS, _WHEEL_KB         what ridge_say_wheel_sizes says before a wheel is built
#   RIDGE_<KIND>_DEMAND       what src/launch/kinds/<kind>.cpp is told of this build's compilers
# makes the target ridge_<kind>_runtime, which its kernels link, and appends KIND to RIDGE_GPUS_HERE where
# this machine has such a GPU; RIDGE_KIND_DEFINITIONS, which tell host code what is compiled; RIDGE_GPUS_BUILT,
# the kinds whose kernels the default target has.

set(RIDGE_CPU_ARCH native CACHE STRING "Processor the cpu kernels are compiled for (-march)")
set(RIDGE_CPU_LEVELS "" CACHE STRING
    "Further processors that the library carries kernels for and chooses from: x86-64-v2;x86-64-v3;x86-64-v4")

set(RIDGE_AHEAD DEFAULTS CACHE STRING
    "What is compiled ahead: DEFAULTS (what default schedules pick), NAMES (and those with names), ALL")

set(RIDGE_CPU_FLAGS -march=${RIDGE_CPU_ARCH} -ffp-contract=fast -fno-math-errno -fno-trapping-math)
# Packs of more than a register: how they are passed differs only from what other compilers made.
list(APPEND RIDGE_CPU_FLAGS -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Kernels that keep a vector unit busy want all of it, also where the compiler would rather not.
  list(APPEND RIDGE_CPU_FLAGS -mprefer-vector-width=512)
endif()

set(RIDGE_GPU_KINDS)
set(RIDGE_GPUS_BUILT)
set(RIDGE_GPUS_HERE) # what is compiled only to be run here is compiled for them
set(RIDGE_KIND_DEFINITIONS RIDGE_WITH_CPU=1 RIDGE_WITH_SIMT=1)
file(GLOB kind_files ${CMAKE_CURRENT_LIST_DIR}/kinds/*.cmake)
foreach(kind_file IN LISTS kind_files)
  get_filename_component(kind ${kind_file} NAME_WE)
  string(TOUPPER ${kind} KIND)
  list(APPEND RIDGE_GPU_KINDS ${kind})
  include(${kind_file})
  list(APPEND RIDGE_KIND_DEFINITIONS RIDGE_WITH_${KIND}=${RIDGE_WITH_${KIND}})
  if(RIDGE_WITH_${KIND} AND (NOT RIDGE_GPU_KERNELS STREQUAL "HERE" OR kind IN_LIST RIDGE_GPUS_HERE))
    list(APPEND RIDGE_GPUS_BUILT ${kind})
  endif()
endforeach()
