// Comparing lattice reductions and maps with plain loops in long double.
#pragma once

#include <ridge/lattice/mapper.hpp>
#include <ridge/lattice/reduce_call.hpp>
#include <ridge/record/record.hpp>

#include <vector>

namespace ridge::lab {

/// What a reduction should give, and the sum of the magnitudes of what it adds up, result by
/// result.
struct ExpectedResults {
  std::vector<long double> value, scale;
};

/// Plain loops over the fields of a call, on the host.
template <class T>
[[nodiscard]] ExpectedResults expected_results(Queue& queue, const lattice::ReduceCall<T>& call);

/// Errors relative to the sum of magnitudes, at most `tolerance`.
[[nodiscard]] Check check_results(const ExpectedResults& expected, const std::vector<double>& got,
                                  double tolerance);

/// Compares z with a x (+ y), number by number, relative to the largest; z must not be x or y.
template <class T>
[[nodiscard]] Check check_map(Queue& queue, const lattice::MapCall<T>& call, double tolerance);

} // namespace ridge::lab
