#include <ridge/pattern/kernel_option.hpp>

namespace ridge::chain {

const KernelOptionsOf kernel_options("chain",
                                     {{"--operations", std::optional<int>(),
                                       "operations of a chain, 1 to 32", KernelOption::all}});

} // namespace ridge::chain
