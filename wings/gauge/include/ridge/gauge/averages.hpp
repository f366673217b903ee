// Averages over the links of a configuration, on the host.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/lattice/tensor.hpp>

#include <vector>

namespace ridge::gauge {

/// Links of a configuration on the host: U_mu of site i, in plain order (x fastest), at 4 i + mu.
using HostLinks = std::vector<lattice::ColourMatrix<double>>;

/// Averages that files of configurations state.
struct LinkAverages {
  double plaquette = 0;  ///< Re tr U_p / 3, over all six planes of every site
  double link_trace = 0; ///< Re tr U / 3, over all links
};

/// Averages with one set of bits for any number of threads. `extents` has four dimensions.
[[nodiscard]] LinkAverages link_averages(const Extents& extents, const HostLinks& links);

/// The largest distance of a link from SU(3) (see distance_from_su3), and where that link is.
struct Unitarity {
  double distance = 0;
  Index link = 0; ///< 4 i + mu
};
[[nodiscard]] Unitarity unitarity(const HostLinks& links);

} // namespace ridge::gauge
