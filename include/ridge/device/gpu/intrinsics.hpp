// Intrinsics of CUDA and HIP for lanes. Their compilers of kernels at run time bring them along.
#pragma once

#if defined(RIDGE_TARGET_CUDA) && !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>
#elif defined(RIDGE_TARGET_HIP) && !defined(__HIPCC_RTC__)
#include <hip/hip_runtime.h>
#endif
