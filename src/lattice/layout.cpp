#include <ridge/core/error.hpp>
#include <ridge/lattice/layout.hpp>
#include <ridge/lattice/width.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <limits>
#include <set>

namespace ridge::lattice {

namespace {

/// Halves the longest even dimension of the box, the last of equals; false when none is even.
bool halve(Geometry& g) {
  int best = -1;
  for (int d = 0; d < g.rank; ++d) {
    if (g.local[d] % 2 == 0 && (best < 0 || g.local[d] >= g.local[best])) best = d;
  }
  if (best < 0) return false;
  g.local[best] /= 2;
  g.lanes[best] *= 2;
  return true;
}

/// The extents with one dimension rounded up so that `lanes` boxes fit.
std::set<std::string> extents_that_fit(const Extents& extents, const Geometry& reached, int lanes) {
  int left = lanes;
  for (const int n : reached.lanes)
    left /= n;
  std::set<std::string> fits;
  for (int d = 0; d < extents.rank(); ++d) {
    Index sizes[max_rank];
    for (int i = 0; i < extents.rank(); ++i)
      sizes[i] = extents[i];
    const Index unit = Index{reached.lanes[d]} * left;
    sizes[d] = (sizes[d] + unit - 1) / unit * unit;
    fits.insert(to_text(Extents(sizes, extents.rank())));
  }
  return fits;
}

/// In whole sites, before it is cut.
Geometry uncut(const Extents& extents) {
  Geometry g;
  g.rank = extents.rank();
  for (int d = 0; d < g.rank; ++d)
    g.local[d] = static_cast<int>(extents[d]);
  return g;
}

} // namespace

bool can_be_cut(const Extents& extents, int boxes) {
  Geometry g = uncut(extents);
  for (int cut = 1; cut < boxes; cut *= 2) {
    if (!halve(g)) return false;
  }
  return true;
}

Lattice::Lattice(const Extents& extents, int width) : extents_(extents), width_(width) {
  refuse_if(width != 64 && width != 128 && width != 256 && width != 512 && width != 1024,
            "width {}: a vector of a lattice has 64, 128, 256, 512 or 1024 bytes", width);
  for (int d = 0; d < extents.rank(); ++d) {
    if (extents[d] > std::numeric_limits<int>::max()) {
      throw UsageError(
          fmt::format("lattice {}: an extent has at most 2^31 - 1 sites", ridge::to_text(extents)));
    }
  }
}

Geometry Lattice::geometry(int number_bytes) const {
  Geometry g = uncut(extents_);
  g.nsimd = width_ / number_bytes;
  for (int lanes = 1; lanes < g.nsimd; lanes *= 2) {
    if (!halve(g)) {
      throw UsageError(fmt::format(
          "lattice {} cannot be cut into {} equal boxes, one for each lane of {} bytes in a vector "
          "of {}; {} can",
          ridge::to_text(extents_), g.nsimd, number_bytes, width_,
          fmt::join(extents_that_fit(extents_, g, g.nsimd), ", ")));
    }
  }
  g.groups = extents_.count() / g.nsimd;
  Index groups = 1;
  int lanes = 1;
  for (int d = 0; d < max_rank; ++d) {
    g.group_stride[d] = groups;
    g.lane_stride[d] = lanes;
    groups *= g.local[d];
    lanes *= g.lanes[d];
  }
  return g;
}

std::string to_text(const Lattice& lattice) {
  std::string text = to_text(lattice.extents());
  if (lattice.width() != Lattice::default_width) text += fmt::format(" width {}", lattice.width());
  return text;
}

void check_dimension(const Lattice& lattice, int d, std::string_view what) {
  if (d >= 0 && d < lattice.extents().rank()) return;
  throw UsageError(fmt::format("{} along dimension {} of lattice {}, which has dimensions 0 to {}",
                               what, d, to_text(lattice), lattice.extents().rank() - 1));
}

} // namespace ridge::lattice
