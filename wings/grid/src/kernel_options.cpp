#include <ridge/pattern/kernel_option.hpp>

namespace ridge::solve {

const KernelOptionsOf
    kernel_options("solve",
                   {{"--boundary", std::optional<std::string>(),
                     "of multigrid, such as x=periodic,y=dirichlet:0; dirichlet:0 if not given",
                     KernelOption::bench | KernelOption::doctor}});

} // namespace ridge::solve
