#include <ridge/pattern/kernel_option.hpp>
#include <ridge/pattern/pattern_row.hpp>

namespace ridge::chain {

const PatternAnnounced chain_row({"chain", 6, true});

const KernelOptionsOf kernel_options("chain",
                                     {{"--operations", std::optional<int>(),
                                       "operations of a chain, 1 to 32", KernelOption::all}});

} // namespace ridge::chain
