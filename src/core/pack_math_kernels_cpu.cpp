// The vector math library's functions behind ridge/core/pack_math.hpp, for the registers of this
// build's cpu kernels.
#include <ridge/core/pack_math.hpp>
#include <ridge/core/pack_math_more.hpp>

#if defined(__x86_64__)
#include <sleef.h>
#endif

namespace ridge::detail {

#if defined(__AVX512F__)
#define RIDGE_SLEEF_FP64(f) Sleef_##f##d8_u10avx512f
#define RIDGE_SLEEF_FP32(f) Sleef_##f##f16_u10avx512f
#elif defined(__AVX2__) && defined(__FMA__)
#define RIDGE_SLEEF_FP64(f) Sleef_##f##d4_u10avx2
#define RIDGE_SLEEF_FP32(f) Sleef_##f##f8_u10avx2
#elif defined(__AVX__)
#define RIDGE_SLEEF_FP64(f) Sleef_##f##d4_u10avx
#define RIDGE_SLEEF_FP32(f) Sleef_##f##f8_u10avx
#elif defined(__x86_64__)
#define RIDGE_SLEEF_FP64(f) Sleef_##f##d2_u10sse2
#define RIDGE_SLEEF_FP32(f) Sleef_##f##f4_u10sse2
#endif

#if defined(__AVX512F__)
#define RIDGE_SLEEF_HYPOT_FP64 Sleef_hypotd8_u05avx512f
#define RIDGE_SLEEF_HYPOT_FP32 Sleef_hypotf16_u05avx512f
#elif defined(__AVX2__) && defined(__FMA__)
#define RIDGE_SLEEF_HYPOT_FP64 Sleef_hypotd4_u05avx2
#define RIDGE_SLEEF_HYPOT_FP32 Sleef_hypotf8_u05avx2
#elif defined(__AVX__)
#define RIDGE_SLEEF_HYPOT_FP64 Sleef_hypotd4_u05avx
#define RIDGE_SLEEF_HYPOT_FP32 Sleef_hypotf8_u05avx
#elif defined(__x86_64__)
#define RIDGE_SLEEF_HYPOT_FP64 Sleef_hypotd2_u05sse2
#define RIDGE_SLEEF_HYPOT_FP32 Sleef_hypotf4_u05sse2
#endif

#if defined(RIDGE_SLEEF_FP64)

template <>
auto VectorMath<double>::exp(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP64(exp)(x);
}
template <>
auto VectorMath<double>::log(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP64(log)(x);
}
template <>
auto VectorMath<double>::pow(Register x, Register y) -> Register {
  return (Register)RIDGE_SLEEF_FP64(pow)(x, y);
}
template <>
auto VectorMath<double>::sin(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP64(sin)(x);
}
template <>
auto VectorMath<double>::cos(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP64(cos)(x);
}

template <>
auto VectorMath<float>::exp(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP32(exp)(x);
}
template <>
auto VectorMath<float>::log(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP32(log)(x);
}
template <>
auto VectorMath<float>::pow(Register x, Register y) -> Register {
  return (Register)RIDGE_SLEEF_FP32(pow)(x, y);
}
template <>
auto VectorMath<float>::sin(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP32(sin)(x);
}
template <>
auto VectorMath<float>::cos(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP32(cos)(x);
}

template <>
auto MoreVectorMath<double>::tan(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP64(tan)(x);
}
template <>
auto MoreVectorMath<double>::tanh(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP64(tanh)(x);
}
template <>
auto MoreVectorMath<double>::hypot(Register x, Register y) -> Register {
  return (Register)RIDGE_SLEEF_HYPOT_FP64(x, y);
}

template <>
auto MoreVectorMath<float>::tan(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP32(tan)(x);
}
template <>
auto MoreVectorMath<float>::tanh(Register x) -> Register {
  return (Register)RIDGE_SLEEF_FP32(tanh)(x);
}
template <>
auto MoreVectorMath<float>::hypot(Register x, Register y) -> Register {
  return (Register)RIDGE_SLEEF_HYPOT_FP32(x, y);
}

#else // no vector math library for this processor: lane by lane

template <class T, class F>
static typename VectorMath<T>::Register by_lanes(typename VectorMath<T>::Register x, F f) {
  for (unsigned i = 0; i < sizeof(x) / sizeof(T); ++i)
    x[i] = f(x[i], i);
  return x;
}
template <class T>
auto VectorMath<T>::exp(Register x) -> Register {
  return by_lanes<T>(x, [](T v, unsigned) { return std::exp(v); });
}
template <class T>
auto VectorMath<T>::log(Register x) -> Register {
  return by_lanes<T>(x, [](T v, unsigned) { return std::log(v); });
}
template <class T>
auto VectorMath<T>::pow(Register x, Register y) -> Register {
  return by_lanes<T>(x, [&](T v, unsigned i) { return std::pow(v, y[i]); });
}
template <class T>
auto VectorMath<T>::sin(Register x) -> Register {
  return by_lanes<T>(x, [](T v, unsigned) { return std::sin(v); });
}
template <class T>
auto VectorMath<T>::cos(Register x) -> Register {
  return by_lanes<T>(x, [](T v, unsigned) { return std::cos(v); });
}
template <class T>
auto MoreVectorMath<T>::tan(Register x) -> Register {
  return by_lanes<T>(x, [](T v, unsigned) { return std::tan(v); });
}
template <class T>
auto MoreVectorMath<T>::tanh(Register x) -> Register {
  return by_lanes<T>(x, [](T v, unsigned) { return std::tanh(v); });
}
template <class T>
auto MoreVectorMath<T>::hypot(Register x, Register y) -> Register {
  return by_lanes<T>(x, [&](T v, unsigned i) { return std::hypot(v, y[i]); });
}
template struct VectorMath<float>;
template struct VectorMath<double>;
template struct MoreVectorMath<float>;
template struct MoreVectorMath<double>;

#endif

} // namespace ridge::detail
