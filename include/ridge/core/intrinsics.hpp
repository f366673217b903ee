// Intrinsics of x86 that Ridge's kernels use. g++'s <immintrin.h> reads those of all processors,
// which takes as long as all of a small kernel's other headers; here are those of the one that is
// compiled for. A source may still include <immintrin.h>, before or behind.
#pragma once

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    !defined(_IMMINTRIN_H_INCLUDED)
#include <smmintrin.h>
#define _IMMINTRIN_H_INCLUDED // which the headers below ask for
#if defined(__AVX__)
#include <avxintrin.h>
#endif
#if defined(__AVX2__)
#include <avx2intrin.h>
#endif
#if defined(__F16C__)
#include <f16cintrin.h>
#endif
#if defined(__AVX512F__)
#include <avx512fintrin.h>
#include <avx512vlintrin.h>
#include <avx512bwintrin.h>
#include <avx512dqintrin.h>
#endif
#undef _IMMINTRIN_H_INCLUDED
#else
#include <immintrin.h>
#endif
#endif
