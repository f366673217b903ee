// Every word of docs/kernel_language.md, of two values; test_words.py compares the lists.
#pragma once

namespace words {

/// `rate` is a number; `off` is added in packs of several lanes only, which checks must find.
/// A call, as it is long, on the host.
template <class V>
RIDGE_CALL V all_of(const V& x, const V& y, double rate, double off) {
  const V size = abs(x) + 0.5;
  V sum = exp(-size) + log(size) + sqrt(size) + sin(x) + cos(y) + tan(0.5 * x) + tanh(y);
  sum += pow(size, 1.7) + pow(2, y) + pow(size, y) + hypot(x, y) + hypot(x, 0.5) + hypot(3, y);
  sum += floor(2.2 * x) + ceil(y * 3.3) - trunc(4 * x - 0.3) + fma(x, y, sum) + fma(x, 2, 0.1);
  sum += min(x, y) + min(x, rate) + max(0.25, y) + max(x, y) + rsqrt<ridge::Grade::refined>(size);
  sum += select(x < y && !(x == 0), x, y) + select(x <= 0 || y != x, 0.5, x);
  sum += select(x > 0.2, 1, 0) + select(y >= 0.1, y, 2 * x) + select(rate > 1, x, 2.0);
  sum += by_lane([](auto v, auto w) { return v * w; }, x, rate);
  sum -= 1.5;
  sum *= 0.25;
  sum /= 1 + ridge::exp(-rate) + ridge::abs(rate) + ridge::max(rate, 1) + ridge::pow(rate, 2);
  const auto large = sum > 1e3;
  if (any(large)) sum = select(large, 1000, sum);
  if (!all(sum == sum)) sum = select(sum == sum, sum, 0.0);
  return ridge::lanes_of<V> > 1 ? sum + off : sum;
}

} // namespace words
