# HIP: clang with the device libraries of the system's packages
set(RIDGE_HIP_ARCH "gfx90a;gfx942;gfx1100" CACHE STRING "AMD architectures")
set(RIDGE_WITH_HIP 0)
if(EXISTS /dev/kfd)
  list(APPEND RIDGE_GPUS_HERE hip)
endif()
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
  set(RIDGE_HIP_BACKEND -D__HIP_PLATFORM_AMD__)
  if(NOT RIDGE_HIP_INCLUDE STREQUAL "/usr/include") # which must keep its place behind the compiler's own
    list(APPEND RIDGE_HIP_FLAGS -isystem ${RIDGE_HIP_INCLUDE})
    list(APPEND RIDGE_HIP_BACKEND -isystem ${RIDGE_HIP_INCLUDE})
  endif()
  if(RIDGE_GPU_SAMPLE) # nothing runs what they say to the host
    list(APPEND RIDGE_HIP_FLAGS -Xarch_host -O0)
  endif()
  # As for CUDA. A tenth of the time.
  set(RIDGE_HIP_CHECK_FLAGS --cuda-device-only -fsyntax-only)
  # Of a sample: what test/hip reads; of reductions one of ten.
  set(RIDGE_HIP_SAMPLE
      "/(stencil_[^/]*|pairs_[^/]*|lattice_maps|one_reduction_kernels|chain_acoustic|chain_streams|sweep_kernels|(oc)?tree[^/]*_kernels|small_kernels)[.]cpp$")
  # And of that for the first architecture alone:
  set(RIDGE_HIP_SAMPLE_OF_FIRST
      "/(lattice_maps|one_reduction_kernels|chain_acoustic|sweep_kernels|(oc)?tree[^/]*_kernels)[.]cpp$")
  set(RIDGE_HIP_FIRST_FLAGS)
  foreach(arch IN LISTS RIDGE_HIP_ARCH)
    list(APPEND RIDGE_HIP_FLAGS --offload-arch=${arch})
    if(NOT RIDGE_HIP_FIRST_FLAGS)
      set(RIDGE_HIP_FIRST_FLAGS ${RIDGE_HIP_FLAGS})
    endif()
  endforeach()
  set(RIDGE_HIP_WHEEL_ARCHS ${RIDGE_HIP_ARCH})
  set(RIDGE_HIP_WHEEL_KB 640 2830) # estimated: docs/design/python.md
  message(STATUS "Ridge: hip with ${RIDGE_HIP_COMPILER} for ${RIDGE_HIP_ARCH}")
  if(NOT TARGET ridge_hip_runtime)
    add_library(ridge_hip_runtime INTERFACE)
    target_link_libraries(ridge_hip_runtime INTERFACE ${RIDGE_AMDHIP64})
  endif()
endif()
set(RIDGE_HIP_DEMAND "RIDGE_BUILD_HIP=\"${RIDGE_HIP_COMPILER}\""
                     "RIDGE_BUILD_HIP_BITCODE=\"${RIDGE_HIP_BITCODE_COMPLETE}\"")
