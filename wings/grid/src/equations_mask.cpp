// Values of faces and coefficients, and equations without the points that a mask takes out.

#include "core/refuse.hpp"
#include "equations.hpp"
#include "mask.hpp"

#include <algorithm>
#include <limits>

namespace ridge::solve::detail {

/// Values of this rank's part of a face that holds them, 0 where `mask`, of its fields, is not;
/// empty where one value holds all over.
template <class T>
std::vector<T> Equations<T>::values_on(std::size_t d, std::size_t side,
                                       const std::vector<T>& mask) const {
  const stencil::Condition& c = problem_.boundaries.faces[d][side];
  std::vector<T> values;
  if (c.values.empty() && mask.empty()) return values;
  const Index3 n = extents_;
  const Index z_first = cycle_.shared() != nullptr ? slab().begin + first_.z - own_first_.z : 0;
  // From the first plane that this rank has.
  std::size_t from = d == 2 ? 0 : static_cast<std::size_t>(z_first * (d == 0 ? n.y : n.x));
  const auto last = [side](Index points) { return side == 0 ? Index{0} : points - 1; };
  for (Index z = d == 2 ? last(n.z) : 0; z < (d == 2 ? last(n.z) + 1 : n.z); ++z) {
    for (Index y = d == 1 ? last(n.y) : 0; y < (d == 1 ? last(n.y) + 1 : n.y); ++y) {
      for (Index x = d == 0 ? last(n.x) : 0; x < (d == 0 ? last(n.x) + 1 : n.x); ++x, ++from) {
        const auto at = static_cast<std::size_t>(x + n.x * (y + n.y * z));
        const bool is_masked = !mask.empty() && mask[at] != T(0);
        values.push_back(is_masked          ? T(0)
                         : c.values.empty() ? static_cast<T>(c.value)
                                            : static_cast<T>(c.values[from]));
      }
    }
  }
  return values;
}

/// Values on faces, and what they add to the right-hand side. Faces along z are those of the ranks
/// that have them.
template <class T>
void Equations<T>::read_faces(const std::vector<T>& mask) {
  face_values_.clear();
  const Index z_first = cycle_.shared() != nullptr ? slab().begin + first_.z - own_first_.z : 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = cycle_.axes()[d];
    for (std::size_t side = 0; side < 2; ++side) {
      const stencil::Condition& c = problem_.boundaries.faces[d][side];
      if (comm::along(problem_.extents, static_cast<int>(d)) == 1) continue;
      const Index beyond = z_first + extents_.z;
      if (d == 2 && (side == 0 ? z_first > 0 : beyond < problem_.extents.z)) continue;
      FaceTerm<T> on{};
      FaceTerm<T> adds{};
      adds.value = on.value = static_cast<T>(c.value);
      if (c.kind == stencil::Boundary::dirichlet) {
        if (const std::vector<T> values = values_on(d, side, mask); !values.empty()) {
          face_values_.push_back(on_device(queue_, values));
          adds.values = on.values = span_of<T>(face_values_.back());
        }
        on.scale = 1;
        adds.scale = static_cast<T>(side == 0 ? axis.low.front() : axis.high.back());
      } else if (c.kind == stencil::Boundary::neumann) {
        adds.holds_value = false;
        adds.scale = static_cast<T>(1 / (side == 0 ? axis.volume.front() : axis.volume.back()));
      }
      on_faces_[d][side] = on;
      adding_[d][side] = adds;
    }
  }
}

template <class T>
void Equations<T>::require_positive(const View<const T>& k, const std::vector<T>* mask) {
  const std::vector<T> all = on_host(k);
  struct Bad {
    Index at = -1; ///< among this rank's points; -1: none
    double value = 1;
    Index3 point{0, 0, 0};
  } bad;
  for (std::size_t i = 0; i < all.size() && bad.at < 0; ++i) {
    const auto value = static_cast<double>(all[i]);
    if ((value > 0 && std::isfinite(value)) || (mask != nullptr && (*mask)[i] != T(0))) continue;
    bad = {static_cast<Index>(i), value, {}};
    const Index row = bad.at / k.extents.x;
    const bool is_shared = cycle_.shared() != nullptr;
    const Index z_first = is_shared ? slab().begin + first_.z - own_first_.z : 0;
    bad.point = {bad.at % k.extents.x, row % k.extents.y, z_first + row / k.extents.y};
  }
  if (cycle_.shared() != nullptr) { // all fail by the first one's
    const std::vector<Bad> of_ranks = cycle_.shared()->ranks().gather(bad);
    const auto first =
        std::find_if(of_ranks.begin(), of_ranks.end(), [](const Bad& one) { return one.at >= 0; });
    if (first != of_ranks.end()) bad = *first;
  }
  refuse_if(bad.at >= 0, "the coefficient is {} at x={} y={} z={}; it must be positive", bad.value,
            bad.point.x, bad.point.y, bad.point.z);
}

/// All points, x fastest, packed.
template <class T>
std::vector<T> Equations<T>::on_host(const View<const T>& field) {
  const Index3 n = field.extents;
  std::vector<T> all(static_cast<std::size_t>(n.x * n.y * n.z));
  T* to = all.data();
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y, to += n.x)
      copy_to_host(queue_, to, field.data + field.at(0, y, z), n.x);
  }
  queue_.wait();
  return all;
}

template <class T>
void Equations<T>::set_mask(const View<const T>& mask, const View<const T>* k) {
  require_extents(mask.extents, "the mask");
  refuse_if(problem_.order > 2, "a mask goes with order 2, not {}", problem_.order);
  if (k != nullptr) require_extents(k->extents, "the coefficient");
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
  const std::vector<unsigned char> land = keep_land(roles);
  read_faces(given);
  const Field<T> values(queue_.device(), Extents{n.x, n.y, n.z}, "the coefficient");
  const View<const T> there(values.data(), n);
  copy_to_device(queue_, values.data(), leaking.data(), values.count());
  cycle_.set_coefficient(there, own_first_, own_);
  copy_to_device(queue_, values.data(), exact.data(), values.count());
  cycle_.set_finest_coefficient(there, own_first_, own_);
  queue_.wait();
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

/// `roles`: of all points. Returns which are masked.
template <class T>
std::vector<unsigned char> Equations<T>::keep_land(const std::vector<Role>& roles) {
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
    return land;
  }
  const Index plane = solved_.x * solved_.y;
  std::vector<unsigned char> held;
  for (Index z = slab().held_begin; z < slab().held_end; ++z) {
    const auto from = land.begin() + (z % solved_.z + solved_.z) % solved_.z * plane;
    held.insert(held.end(), from, from + plane);
  }
  land_ = on_device(queue_, held);
  return land;
}

template void Equations<float>::read_faces(const std::vector<float>&);
template void Equations<double>::read_faces(const std::vector<double>&);
template void Equations<float>::require_positive(const View<const float>&,
                                                 const std::vector<float>*);
template void Equations<double>::require_positive(const View<const double>&,
                                                  const std::vector<double>*);
template void Equations<float>::set_mask(const View<const float>&, const View<const float>*);
template void Equations<double>::set_mask(const View<const double>&, const View<const double>*);

} // namespace ridge::solve::detail
