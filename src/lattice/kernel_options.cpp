#include <ridge/pattern/kernel_option.hpp>
#include <ridge/pattern/pattern_row.hpp>

namespace ridge::lattice {

const PatternAnnounced lattice_row({"lattice", 5, true});

const KernelOptionsOf kernel_options(
    "lattice",
    {{"--site", std::optional<std::string>(),
      "lattice kernels: propagator, spinor, matrix, vector, complex or real; of wilson and dwf "
      "links18 or links12, the numbers of a link",
      KernelOption::all, "--site is for lattice kernels; {} is not one"},
     {"--width", std::optional<int>(),
      "lattice kernels: bytes of a vector of lanes, numbers of one component that lie together; "
      "what the kernel is fastest with if not given",
      KernelOption::bench | KernelOption::count, "--width is for lattice kernels; {} is not one",
      64, 1024}});

} // namespace ridge::lattice
