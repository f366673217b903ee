// Cases over ranks of kernels that read nothing of other ranks: each runs the kernel on its share,
// as on one rank, and what they reduce is added up.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/lab/rank_case.hpp>

#include <functional>
#include <memory>
#include <string>

namespace ridge::lab {

/// What makes a case, as that of a BenchKernel.
using MakeCase = std::function<std::unique_ptr<Case>(const BenchRequest&, RoofSource&)>;

/// `make_case` makes the case of a share; the sum over ranks of its `results()`, where it has some,
/// is that of all. Throws UsageError where the size cannot be divided as `grid` says.
[[nodiscard]] std::unique_ptr<RankCase>
share_case(const std::string& kernel, const MakeCase& make_case, const BenchRequest& request,
           comm::Communicator& ranks, const std::string& grid);

} // namespace ridge::lab
