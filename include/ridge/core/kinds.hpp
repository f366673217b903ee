// The kinds of devices: a line each, of which all lists of them are made.
#pragma once

/// X(kind, Target, MACRO) for each: what its devices are called, what it is called as a type, and
/// what names of macros say of it (RIDGE_TARGET_CPU).
#define RIDGE_FOR_EACH_KIND(X)                                                                     \
  X(cpu, Cpu, CPU)                                                                                 \
  X(simt, Simt, SIMT)                                                                              \
  X(cuda, Cuda, CUDA)                                                                              \
  X(hip, Hip, HIP)
