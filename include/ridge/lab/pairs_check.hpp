// Comparing sums over pairs with the reference.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lab/deviation.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/pairs/reference.hpp>
#include <ridge/record/record.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ridge::lab {

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

/// Compares `sums` of device memory with the reference of the very values that were given. Errors
/// of `allowed` in parts of the terms' absolute sum are right beside those of rounding.
template <class I, class P>
[[nodiscard]] Check check_sums(Queue& queue, const pairs::Call<I, P>& call,
                               const pairs::HostBodies<I::targets>& targets,
                               const pairs::HostBodies<I::sources>& sources, double allowed = 0) {
  const Index count = call.targets[0].size;
  using Summed = typename P::Summed;
  std::array<std::vector<Summed>, I::sums> got;
  for (int c = 0; c < I::sums; ++c) {
    got[c].resize(static_cast<std::size_t>(count));
    copy_to_host(queue, got[c].data(), static_cast<const Summed*>(call.sums[c].data), count);
  }
  queue.wait();
  const std::vector<Index> compared = targets_to_compare(count, call.sources[0].size);
  std::vector<pairs::ReferenceSums<I>> expected(compared.size());
  const double tolerance = pairs_tolerance<P>(call.sources[0].size) + allowed;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (std::size_t n = static_cast<std::size_t>(thread); n < compared.size();
         n += static_cast<std::size_t>(threads)) {
      std::array<double, I::targets> target;
      for (int c = 0; c < I::targets; ++c)
        target[c] = targets[c][static_cast<std::size_t>(compared[n])];
      const Index skipped = call.skip_self ? compared[n] : Index{-1};
      pairs::ReferenceSums<I>& right = expected[n];
      right = pairs::reference_sums(call.interaction, target, sources, skipped);
      bool explained = true;
      for (int c = 0; c < I::sums; ++c) {
        using Computed = typename P::Computed;
        right.scale[c] = std::max<double>(right.scale[c], std::numeric_limits<Computed>::min());
        const auto value = static_cast<double>(got[c][static_cast<std::size_t>(compared[n])]);
        explained = explained && (!std::isfinite(right.sum[c]) ||
                                  std::abs(value - right.sum[c]) <= tolerance * right.scale[c]);
      }
      if (explained) continue;
      const auto bounds =
          pairs::bounds_of_terms<typename P::Computed>(call.interaction, target, sources, skipped);
      for (int c = 0; c < I::sums; ++c)
        right.scale[c] += bounds[c] / tolerance;
    }
  });
  std::vector<SumError> errors(I::sums);
  constexpr int vector = pairs::vector_of<I>();
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
  return judge_sums(errors, vector, vector_error, static_cast<Index>(compared.size()), count,
                    tolerance);
}

} // namespace ridge::lab
