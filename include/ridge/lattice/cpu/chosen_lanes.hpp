// Which of the cpu's lanes belong to sites that a kernel or a reduction chooses: what a rank owns.
#pragma once

#include <ridge/lattice/geometry.hpp>

#include <cstddef>
#include <vector>

namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME {

/// Which lanes of a group a kernel wants that chooses its sites.
template <bool Chooses>
class ChosenLanes {
public:
  explicit ChosenLanes(const Geometry& g) : geometry_(g) {
    if (!Chooses) return;
    for (int lane = 0; lane < g.nsimd; ++lane)
      boxes_.push_back(g.coordinates({0, lane}));
  }

  /// Counts the chosen of `width` lanes from `first` on.
  template <class K>
  int find(const K& kernel, Index group, int first, int width, bool* wanted) const {
    const Coordinates within = geometry_.coordinates({group, 0});
    int count = 0;
    for (int i = 0; i < width; ++i) {
      Coordinates x = boxes_[static_cast<std::size_t>(first + i)];
      for (int d = 0; d < max_rank; ++d)
        x[d] += within[d];
      wanted[i] = kernel.wants(x);
      count += wanted[i] ? 1 : 0;
    }
    return count;
  }

private:
  const Geometry& geometry_;
  std::vector<Coordinates> boxes_; ///< the first site of each lane's box
};

} // namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME
