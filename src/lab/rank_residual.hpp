// The case over ranks of the reproducible reduction of an expression.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/lattice/width.hpp>

#include <memory>
#include <string>

namespace ridge::lab {

/// Of the vectors of its fields: that of the device where none is asked for.
template <class T>
[[nodiscard]] int residual_width(const BenchRequest& request) {
  constexpr int number_bytes = 2 * sizeof(T);
  return request.width != 0 ? request.width
                            : lattice::width_for(request.device, request.size, number_bytes);
}

/// For fp64 or fp32. Its numbers are functions of the site: the record's `result` is the same over
/// any ranks. Throws UsageError for what is no grid of the ranks, and for schedules but `auto`.
[[nodiscard]] std::unique_ptr<RankCase> rank_residual_case(const std::string& name,
                                                           const BenchRequest& request,
                                                           comm::Communicator& ranks,
                                                           const std::string& grid);

} // namespace ridge::lab
