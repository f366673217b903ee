// Parts that descriptions of chains have in common.
#include <ridge/chain/case.hpp>

namespace ridge::chain {

template std::vector<float> packed(Queue&, const View<float>&, Index, Index);
template std::vector<double> packed(Queue&, const View<double>&, Index, Index);
template void compare_output(Queue&, const View<float>&, const std::vector<BoundedPack<float>>&,
                             const Range&, Index, const Domain&, Deviation&);
template void compare_output(Queue&, const View<double>&, const std::vector<BoundedPack<double>>&,
                             const Range&, Index, const Domain&, Deviation&);

} // namespace ridge::chain

template ridge::chain::Schedule ridge::text::parse_held(std::string_view, bool);
