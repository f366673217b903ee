// Equations without the points that a mask takes out.
#include <ridge/core/error.hpp>

#include "equations.hpp"
#include "mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ridge::solve::detail {

template <class T>
void Equations<T>::set_mask(const View<const T>& mask, const View<const T>* k) {
  require_extents(mask.extents, "the mask");
  if (problem_.order > 2)
    throw UsageError(fmt::format("a mask goes with order 2, not {}", problem_.order));
  if (k != nullptr) {
    require_extents(k->extents, "the coefficient");
  }
  const std::vector<T> given = on_host(mask);
  const Index3 n = extents_;
  if (k != nullptr) require_positive(*k, &given);
  std::vector<T> exact = k != nullptr ? on_host(*k) : std::vector<T>(given.size(), T(1));
  T least = 1; // of k where it counts
  if (k != nullptr) {
    least = std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (given[i] == T(0)) least = std::min(least, exact[i]);
    if (cycle_.shared() != nullptr) {
      const auto all = cycle_.shared()->ranks().gather(least);
      least = *std::min_element(all.begin(), all.end());
    }
  }
  std::vector<T> leaking = exact;
  std::vector<unsigned char> land(static_cast<std::size_t>(own_.x * own_.y * own_.z));
  std::size_t i = 0;
  for (Index z = 0; z < own_.z; ++z) {
    for (Index y = 0; y < own_.y; ++y) {
      for (Index x = 0; x < own_.x; ++x, ++i) {
        const auto at = static_cast<std::size_t>(
            (x + own_first_.x) + n.x * ((y + own_first_.y) + n.y * (z + own_first_.z)));
        if (given[at] == T(0)) continue;
        land[i] = 1;
        // Next to nothing flows into masked points: harmonic means with them are as small, and
        // rows of theirs stay regular. Coarse levels let a little through for the same reason.
        exact[at] = least * (sizeof(T) == 8 ? T(1e-18) : T(1e-12));
        leaking[at] = least * T(1e-4);
      }
    }
  }
  keep_land(land_of_all(land));
  const Field<T> values(queue_.device(), Extents{n.x, n.y, n.z}, "the coefficient");
  const View<const T> there(values.data(), n);
  copy_to_device(queue_, values.data(), leaking.data(), values.count());
  cycle_.set_coefficient(there, own_first_, own_);
  copy_to_device(queue_, values.data(), exact.data(), values.count());
  cycle_.set_finest_coefficient(there, own_first_, own_);
  queue_.wait();
}

/// `land`: of all points.
template <class T>
void Equations<T>::keep_land(const std::vector<unsigned char>& land) {
  const std::vector<Axis>& axes = cycle_.axes();
  land_volume_ = 0;
  std::size_t i = 0;
  for (std::size_t z = 0; z < axes[2].volume.size(); ++z) {
    for (const double y_volume : axes[1].volume) {
      for (const double x_volume : axes[0].volume)
        if (land[i++] != 0) land_volume_ += x_volume * y_volume * axes[2].volume[z];
    }
  }
  require_connected(land, axes, problem_.shift > 0, first_);
  if (cycle_.shared() == nullptr) {
    land_ = on_device(queue_, land);
    return;
  }
  const Index plane = solved_.x * solved_.y;
  std::vector<unsigned char> held;
  for (Index z = slab().held_begin; z < slab().held_end; ++z) {
    const auto from = land.begin() + (z % solved_.z + solved_.z) % solved_.z * plane;
    held.insert(held.end(), from, from + plane);
  }
  land_ = on_device(queue_, held);
}

template <class T>
std::vector<unsigned char> Equations<T>::land_of_all(const std::vector<unsigned char>& mine) {
  if (cycle_.shared() == nullptr) return mine;
  return of_all_planes(mine, solved_.x * solved_.y);
}

template void Equations<float>::set_mask(const View<const float>&, const View<const float>*);
template void Equations<double>::set_mask(const View<const double>&, const View<const double>*);

} // namespace ridge::solve::detail
