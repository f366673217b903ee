#include <ridge/pattern/kernel_option.hpp>

namespace ridge::gauge {

const KernelOptionsOf kernel_options(
    "lattice",
    {{"--ls,--rhs", std::optional<int>(),
      "values a site: the fifth dimension's extent of dwf, right-hand sides of wilson-columns",
      KernelOption::all}});

} // namespace ridge::gauge
