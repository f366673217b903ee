// Targets of a translation unit: the cpu, the emulated GPU, CUDA or HIP.
//
// A kernel source is compiled once per device kind (cmake/RidgeKernels.cmake); that build defines
// exactly one of RIDGE_TARGET_CPU, RIDGE_TARGET_SIMT, RIDGE_TARGET_CUDA, RIDGE_TARGET_HIP. Ordinary
// host code defines none of them and only calls what kernel sources have instantiated.
// RIDGE_TARGET_GPU is defined for all of them but the cpu.
#pragma once

#include <ridge/core/kinds.hpp>

// RIDGE_FN: runs on every device (kernel mathematics). RIDGE_DEVICE: runs on lanes only.
// RIDGE_CALL: as RIDGE_FN, but a call on the host, for large pieces that would be inlined many
// times.
#if defined(__CUDACC__) || defined(__HIP__)
#define RIDGE_CALL __host__ __device__ __inline__
#define RIDGE_FN __host__ __device__ __inline__ __attribute__((always_inline))
#define RIDGE_DEVICE __device__ __inline__ __attribute__((always_inline))
#define RIDGE_UNROLL _Pragma("unroll")
#define RIDGE_NO_UNROLL _Pragma("unroll 1")
#elif defined(RIDGE_TARGET_SIMT)
#define RIDGE_CALL inline
// The emulated GPU gains nothing from inlining by force, and its checks make code large.
#define RIDGE_FN inline
#define RIDGE_DEVICE inline
#define RIDGE_UNROLL
#define RIDGE_NO_UNROLL
#else
#define RIDGE_CALL inline __attribute__((noinline))
#define RIDGE_FN inline __attribute__((always_inline))
#define RIDGE_DEVICE inline __attribute__((always_inline))
#define RIDGE_UNROLL _Pragma("GCC unroll 32")
#define RIDGE_NO_UNROLL _Pragma("GCC unroll 1")
#endif

// RIDGE_TARGET_NAME names an inline namespace for what is compiled anew for each kind: one source
// makes functions of the same name for several devices, and the linker must not take them for the
// same.
#if defined(RIDGE_TARGET_CPU)
#define RIDGE_TARGET_NAME for_cpu
#elif defined(RIDGE_TARGET_SIMT)
#define RIDGE_TARGET_NAME for_simt
#elif defined(RIDGE_TARGET_CUDA)
#define RIDGE_TARGET_NAME for_cuda
#elif defined(RIDGE_TARGET_HIP)
#define RIDGE_TARGET_NAME for_hip
#else
#define RIDGE_TARGET_NAME for_host
#define RIDGE_TARGET_NONE
#endif
#if !defined(RIDGE_TARGET_CPU) && !defined(RIDGE_TARGET_NONE)
#define RIDGE_TARGET_GPU
#endif

namespace ridge::target {

/// The kinds as types: Cpu through packs of its SIMD width, Simt at warp widths that are chosen at
/// run time, Cuda and Hip.
#define RIDGE_TARGET_TYPE(kind, Target, MACRO)                                                     \
  struct Target {};                                                                                \
  using for_##kind = Target;
RIDGE_FOR_EACH_KIND(RIDGE_TARGET_TYPE)
#undef RIDGE_TARGET_TYPE

/// Plain host code, which no kernel is compiled for.
struct None {};
using for_host = None;

} // namespace ridge::target

namespace ridge {

/// The kind that this translation unit is compiled for; None in plain host code.
using Here = target::RIDGE_TARGET_NAME;

} // namespace ridge
