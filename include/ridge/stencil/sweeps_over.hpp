// Many sweeps over fields of somebody else's, under a schedule as text.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ridge::stencil {

/// Sweeps over copies of the fields, one an input of the kernel, each the points of `place` that
/// this rank owns. Throws UsageError as Sweeps and parse_sweeps do, and for another number of
/// fields. Collective.
template <class T>
[[nodiscard]] std::unique_ptr<Sweeps>
sweeps_over(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
            const std::vector<View<const T>>& fields, const RankPart& place,
            const std::string& schedule, const std::string& name);
extern template std::unique_ptr<Sweeps> sweeps_over(Queue&,
                                                    std::shared_ptr<const SweptKernel<float>>,
                                                    const std::vector<View<const float>>&,
                                                    const RankPart&, const std::string&,
                                                    const std::string&);
extern template std::unique_ptr<Sweeps> sweeps_over(Queue&,
                                                    std::shared_ptr<const SweptKernel<double>>,
                                                    const std::vector<View<const double>>&,
                                                    const RankPart&, const std::string&,
                                                    const std::string&);
extern template std::unique_ptr<Sweeps>
sweeps_over(Queue&, std::shared_ptr<const SweptKernel<Fp16>>, const std::vector<View<const Fp16>>&,
            const RankPart&, const std::string&, const std::string&);
extern template std::unique_ptr<Sweeps>
sweeps_over(Queue&, std::shared_ptr<const SweptKernel<Bf16>>, const std::vector<View<const Bf16>>&,
            const RankPart&, const std::string&, const std::string&);

} // namespace ridge::stencil
