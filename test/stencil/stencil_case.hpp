// One stencil kernel on one device against the reference.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/reference.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace ridge::stencil {

template <class T>
std::vector<T> to_host(Queue& queue, const Field<T>& field) {
  std::vector<T> host(static_cast<std::size_t>(field.count()));
  copy_to_host(queue, host.data(), field.data(), field.count());
  queue.wait();
  return host;
}

/// A kernel, its inputs on a device, and what the reference makes of them.
template <class K, class T>
class Case {
public:
  /// Rows begin `row` elements apart, n.x where it is 0; planes `plane`, or as many rows. Fields
  /// begin `misfit` elements behind the memory they lie in, which begins at a line, the output
  /// `further` more.
  Case(const Device& device, const K& kernel, Index3 n, Index row = 0, Index plane = 0,
       Index misfit = 0, Index further = 0)
      : queue_(device), n_(n), row_(row > 0 ? row : n.x), plane_(plane > 0 ? plane : row_ * n.y),
        misfit_(misfit + further),
        out_(device, {misfit_ + plane_ * n.z}), call_{kernel, {}, view_of(out_.data())},
        expected_(static_cast<std::size_t>(out_.count())) {
    std::array<View<const T>, inputs_of<K>> host_views;
    for (int i = 0; i < inputs_of<K>; ++i) {
      in_.emplace_back(device, Extents{misfit + plane_ * n.z});
      fill_random(queue_, in_.back().elements(), static_cast<std::uint64_t>(i) + 11);
      call_.in[i] = View<const T>(view_of(in_.back().data() - further));
      host_.push_back(to_host(queue_, in_.back()));
      host_views[i] = View<const T>(view_of(host_.back().data() - further));
    }
    apply_reference(kernel, host_views, view_of(expected_.data()));
  }

  /// The output under `schedule`, poisoned before.
  std::vector<T> under(const Schedule& schedule) {
    fill_bytes(queue_, out_.data(), 0xff, Bytes{out_.count() * static_cast<Index>(sizeof(T))});
    (void)launch(queue_, call_, schedule);
    return to_host(queue_, out_);
  }

  /// What is wrong with the output under `schedule`; empty when nothing is.
  std::string wrong_under(const Schedule& schedule) {
    const std::vector<T> got = under(schedule);
    T poison;
    std::memset(&poison, 0xff, sizeof(T));
    constexpr Offset r = radius_of<K>();
    const double tolerance = 200 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const View<const T> view(got.data(), n_, row_, plane_);
    for (Index i = 0; i < misfit_; ++i) {
      if (std::memcmp(&got[static_cast<std::size_t>(i)], &poison, sizeof(T)) != 0)
        return std::to_string(misfit_ - i) + " before the field was written";
    }
    for (Index z = 0; z < n_.z; ++z) {
      for (Index y = 0; y < n_.y; ++y) {
        for (Index x = 0; x < row_; ++x) {
          const auto at = static_cast<std::size_t>(misfit_ + view.at(x, y, z));
          const bool edge = x < r.x || x >= n_.x - r.x || y < r.y || y >= n_.y - r.y || z < r.z ||
                            z >= n_.z - r.z;
          const bool right =
              edge ? std::memcmp(&got[at], &poison, sizeof(T)) == 0
                   : std::abs(static_cast<double>(got[at]) - expected_[at]) <= tolerance;
          if (!right) {
            return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
                   ")" +
                   (edge ? " on the edge was written"
                         : " is " + std::to_string(got[at]) + " instead of " +
                               std::to_string(expected_[at]));
          }
        }
      }
    }
    return {};
  }

  /// Whether nothing is compiled for it now.
  bool is_ahead(const Schedule& schedule) {
    return ridge::launch::is_ahead(queue_, call_, schedule);
  }

private:
  template <class U>
  View<U> view_of(U* data) const {
    return {data + misfit_, n_, row_, plane_};
  }

  Queue queue_;
  Index3 n_;
  Index row_, plane_, misfit_; ///< that of the output
  std::vector<Field<T>> in_;
  Field<T> out_;
  Call<K, T> call_;
  std::vector<std::vector<T>> host_;
  std::vector<double> expected_;
};

} // namespace ridge::stencil
