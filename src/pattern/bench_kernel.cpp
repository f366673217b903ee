#include <ridge/core/error.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/precision.hpp>

#include <fmt/format.h>

#include <utility>

namespace ridge {

void BenchKernel::add_ranks(MakeCase over) {
  over_ranks = true;
  make_case = [one = std::move(make_case), many = std::move(over)](const BenchRequest& request,
                                                                   RoofSource& roofs) {
    return request.world ? many(request, roofs) : one(request, roofs);
  };
}

void refuse_precision(std::string_view precision, std::string_view name, std::string_view known) {
  throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name, known));
}

} // namespace ridge
