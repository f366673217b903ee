// What a translation unit is compiled for: the cpu, the emulated GPU, CUDA or HIP.
//
// A kernel source is compiled once per device kind (cmake/RidgeKernels.cmake); that build defines
// exactly one of RIDGE_TARGET_CPU, RIDGE_TARGET_SIMT, RIDGE_TARGET_CUDA, RIDGE_TARGET_HIP. Ordinary
// host code defines none of them and only calls what kernel sources have instantiated.
#pragma once

// RIDGE_FN: runs on every device (kernel mathematics). RIDGE_DEVICE: runs on lanes only.
#if defined(__CUDACC__) || defined(__HIP__)
#define RIDGE_FN __host__ __device__ __inline__ __attribute__((always_inline))
#define RIDGE_DEVICE __device__ __inline__ __attribute__((always_inline))
#define RIDGE_UNROLL _Pragma("unroll")
#elif defined(RIDGE_TARGET_SIMT)
// The emulated GPU gains nothing from inlining by force, and its checks make code large.
#define RIDGE_FN inline
#define RIDGE_DEVICE inline
#define RIDGE_UNROLL
#else
#define RIDGE_FN inline __attribute__((always_inline))
#define RIDGE_DEVICE inline __attribute__((always_inline))
#define RIDGE_UNROLL _Pragma("GCC unroll 32")
#endif

namespace ridge::target {

/// The host processor through packs of its SIMD width.
struct Cpu {};
/// The emulated GPU on the host; warp widths 32 and 64 are chosen at run time.
struct Simt {};
/// NVIDIA GPUs.
struct Cuda {};
/// AMD GPUs.
struct Hip {};

} // namespace ridge::target

namespace ridge {

/// The device kind this translation unit is compiled for, as a type; absent in plain host code.
#if defined(RIDGE_TARGET_CPU)
using Here = target::Cpu;
#elif defined(RIDGE_TARGET_SIMT)
using Here = target::Simt;
#elif defined(RIDGE_TARGET_CUDA)
using Here = target::Cuda;
#elif defined(RIDGE_TARGET_HIP)
using Here = target::Hip;
#endif

} // namespace ridge
