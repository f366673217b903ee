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
  // Next to nothing flows into masked points, on faces, too: harmonic means with them are as small,
  // and rows of theirs stay regular. Coarse levels let a little through for the same reason.
  std::vector<T> leaking = exact;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == T(0)) continue;
    exact[i] = least * (sizeof(T) == 8 ? T(1e-40) : T(1e-20));
    leaking[i] = least * T(1e-4);
  }
  std::vector<Role> roles = roles_of(given);
  if (cycle_.shared() != nullptr) roles = of_all_planes(roles, solved_.x * solved_.y);
  keep_land(roles);
  read_faces(given);
  const Field<T> values(queue_.device(), Extents{n.x, n.y, n.z}, "the coefficient");
  const View<const T> there(values.data(), n);
  copy_to_device(queue_, values.data(), leaking.data(), values.count());
  cycle_.set_coefficient(there, own_first_, own_);
  copy_to_device(queue_, values.data(), exact.data(), values.count());
  cycle_.set_finest_coefficient(there, own_first_, own_);
  queue_.wait();
  std::vector<unsigned char> land;
  for (const Role role : roles)
    land.push_back(role == Role::masked ? 1 : 0);
  cycle_.take_out(land);
}

/// Of this rank's points that are solved for; `mask` is of its fields.
template <class T>
std::vector<Role> Equations<T>::roles_of(const std::vector<T>& mask) const {
  const Index n[3] = {extents_.x, extents_.y, extents_.z};
  const auto is_masked = [&](const Index(&at)[3]) {
    return mask[static_cast<std::size_t>(at[0] + n[0] * (at[1] + n[1] * at[2]))] != T(0);
  };
  // Points beside a face that holds a value, which is one point further, in this rank's fields.
  const auto is_held = [&](const Index(&at)[3], const Index(&own)[3]) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = cycle_.axes()[d];
      const bool is_shared = d == 2 && cycle_.shared() != nullptr;
      const Index among_all = own[d] + (is_shared ? slab().begin : 0);
      for (int side = 0; side < 2; ++side) {
        if (!axis.walls[side].holds_value) continue;
        if (axis.has_neighbour(static_cast<int>(among_all), side)) continue;
        Index face[3] = {at[0], at[1], at[2]};
        face[d] += side == 0 ? -1 : 1;
        if (!is_masked(face)) return true;
      }
    }
    return false;
  };
  std::vector<Role> roles;
  for (Index z = 0; z < own_.z; ++z) {
    for (Index y = 0; y < own_.y; ++y) {
      for (Index x = 0; x < own_.x; ++x) {
        const Index at[3] = {x + own_first_.x, y + own_first_.y, z + own_first_.z};
        roles.push_back(is_masked(at)            ? Role::masked
                        : is_held(at, {x, y, z}) ? Role::held
                                                 : Role::open);
      }
    }
  }
  return roles;
}

/// `roles`: of all points.
template <class T>
void Equations<T>::keep_land(const std::vector<Role>& roles) {
  const std::vector<Axis>& axes = cycle_.axes();
  land_volume_ = 0;
  std::size_t i = 0;
  for (std::size_t z = 0; z < axes[2].volume.size(); ++z) {
    for (const double y_volume : axes[1].volume) {
      for (const double x_volume : axes[0].volume)
        if (roles[i++] == Role::masked) land_volume_ += x_volume * y_volume * axes[2].volume[z];
    }
  }
  require_connected(roles, axes, problem_.shift > 0, first_);
  std::vector<unsigned char> land;
  for (const Role role : roles)
    land.push_back(role == Role::masked ? 1 : 0);
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

template void Equations<float>::set_mask(const View<const float>&, const View<const float>*);
template void Equations<double>::set_mask(const View<const double>&, const View<const double>*);

} // namespace ridge::solve::detail
