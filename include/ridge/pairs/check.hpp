// Comparing sums over pairs with the reference.
#pragma once

#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/pairs/reference.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/record/record.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ridge::pairs {

/// Errors of the sums of one component.
struct SumError {
  double by_terms = 0;    ///< largest |sum - reference| over the sum of the terms' absolute values
  Index worst = -1;       ///< where, or the first that is odd
  bool odd = false;       ///< a NaN or an infinity that is not right, or is missing
  bool unwritten = false; ///< it holds the poison, bytes 0xff
  double found = 0, expected = 0; ///< there
};

/// The verdict: right when all errors by terms are within `tolerance`. `max_error` is the largest
/// of `vector_error`, the error of the vector that the first `vector` sums make, relative to its
/// length, and of the errors by terms of the other sums.
[[nodiscard]] Check judge_sums(const std::vector<SumError>& errors, int vector, double vector_error,
                               Index compared, Index targets, double tolerance);

/// Targets to compare so that the reference takes no more than about 2e8 interactions: all, or the
/// first, the last and others spread evenly.
[[nodiscard]] std::vector<Index> targets_to_compare(Index targets, Index sources);

/// Rounding of sums in precision P, relative to the sum of the terms' absolute values.
template <class P>
[[nodiscard]] double pairs_tolerance(Index sources) {
  const double one = std::is_same_v<typename P::Computed, float> ? 0x1p-22 : 0x1p-48;
  // Rounding errors of partial sums of up to a few thousand terms, as a random walk.
  return one * (4 + std::sqrt(static_cast<double>(std::min<Index>(sources, 4096))));
}

/// Spans of a device, one a component, copied to the host. Waits.
template <class T, std::size_t N>
[[nodiscard]] std::array<std::vector<std::remove_const_t<T>>, N>
on_host(Queue& queue, const std::array<Span<T>, N>& components) {
  std::array<std::vector<std::remove_const_t<T>>, N> host;
  for (std::size_t c = 0; c < N; ++c) {
    host[c].resize(static_cast<std::size_t>(components[c].size));
    copy_to_host(queue, host[c].data(), static_cast<const T*>(components[c].data),
                 components[c].size);
  }
  queue.wait();
  return host;
}

/// Components of bodies, as the reference takes them. Waits.
template <class T, std::size_t N>
[[nodiscard]] HostBodies<static_cast<int>(N)>
bodies_on_host(Queue& queue, const std::array<Span<const T>, N>& components) {
  const auto stored = on_host(queue, components);
  HostBodies<static_cast<int>(N)> bodies;
  for (std::size_t c = 0; c < N; ++c)
    bodies[c].assign(stored[c].begin(), stored[c].end());
  return bodies;
}

/// Compares the sums of a call at some targets: `expected(i, target, found)` gives those of target
/// number `i` and their scales, which `tolerance` is relative to.
template <class I, class P, class Expected>
[[nodiscard]] Check
compare_sums(Queue& queue, const std::array<Span<typename P::Summed>, I::sums>& sums,
             const HostBodies<I::targets>& targets, const std::vector<Index>& compared,
             double tolerance, const Expected& expected_at) {
  using Summed = typename P::Summed;
  const auto got = on_host(queue, sums);
  std::vector<ReferenceSums<I>> expected(compared.size());
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (auto n = static_cast<std::size_t>(thread); n < compared.size() && cpu::goes_on();
         n += static_cast<std::size_t>(threads)) {
      const auto i = static_cast<std::size_t>(compared[n]);
      std::array<double, I::targets> target;
      std::array<double, I::sums> found;
      for (int c = 0; c < I::targets; ++c)
        target[c] = targets[c][i];
      for (int c = 0; c < I::sums; ++c)
        found[c] = static_cast<double>(got[c][i]);
      expected[n] = expected_at(compared[n], target, found);
    }
  });
  std::vector<SumError> errors(I::sums);
  constexpr int vector = vector_of<I>();
  double vector_error = 0;
  for (std::size_t n = 0; n < compared.size(); ++n) {
    double error_squared = 0;
    double length_squared = 0;
    for (int c = 0; c < I::sums; ++c) {
      SumError& e = errors[static_cast<std::size_t>(c)];
      const Summed sum = got[c][static_cast<std::size_t>(compared[n])];
      const auto value = static_cast<double>(sum);
      const double right = expected[n].sum[c];
      const bool unwritten =
          same_bits(sum, poisoned<Summed>(0xff)) && !same_bits(sum, static_cast<Summed>(right));
      if (std::isnan(right) && std::isnan(value) && !unwritten) continue;
      const double scale = expected[n].scale[c];
      if (std::isfinite(right) && !std::isfinite(scale) && !unwritten)
        continue; // rounding may give any number
      const double error = sum == static_cast<Summed>(right) ? 0 : std::abs(value - right);
      if (!(error / scale <= e.by_terms) && !e.odd) {
        e.worst = compared[n];
        e.found = value;
        e.expected = right;
        e.odd = !std::isfinite(error / scale);
        e.unwritten = unwritten;
        if (!e.odd) e.by_terms = error / scale;
      }
      if (c < vector) {
        error_squared += error * error;
        length_squared += right * right;
      }
    }
    if (length_squared > 0 && std::isfinite(length_squared) && std::isfinite(error_squared)) {
      vector_error = std::max(vector_error, std::sqrt(error_squared / length_squared));
    }
  }
  return judge_sums(errors, vector, vector_error, static_cast<Index>(compared.size()), sums[0].size,
                    tolerance);
}

/// Compares `sums` of device memory with the reference of the very values that were given. Errors
/// of `allowed` in parts of the terms' absolute sum are right beside those of rounding.
template <class I, class P>
[[nodiscard]] Check check_sums(Queue& queue, const Call<I, P>& call,
                               const HostBodies<I::targets>& targets,
                               const HostBodies<I::sources>& sources, double allowed = 0) {
  using Computed = typename P::Computed;
  const Index count = call.sources[0].size;
  const double tolerance = pairs_tolerance<P>(count) + allowed;
  return compare_sums<I, P>(
      queue, call.sums, targets, targets_to_compare(call.targets[0].size, count), tolerance,
      [&](Index i, const auto& target, const auto& found) {
        const Index skipped = call.skip_self ? i : Index{-1};
        ReferenceSums<I> right = reference_sums(call.interaction, target, sources, skipped);
        bool explained = true;
        for (int c = 0; c < I::sums; ++c) {
          right.scale[c] = std::max<double>(right.scale[c], std::numeric_limits<Computed>::min());
          explained =
              explained && (!std::isfinite(right.sum[c]) ||
                            std::abs(found[c] - right.sum[c]) <= tolerance * right.scale[c]);
        }
        if (explained) return right;
        const auto bounds = bounds_of_terms<Computed>(call.interaction, target, sources, skipped);
        for (int c = 0; c < I::sums; ++c)
          right.scale[c] += bounds[c] / tolerance;
        return right;
      });
}

} // namespace ridge::pairs
