// Comparing what a chain writes with the reference.
#pragma once

#include <ridge/chain/reference.hpp>
#include <ridge/chain/request.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/pattern/deviation.hpp>

#include <array>
#include <vector>

namespace ridge::chain {

/// Planes of the reference by all cores: no item reads what its operation writes.
struct PlanesAtOnce {
  static constexpr bool keeps_all = false;
  template <class F>
  void operator()(Index begin, Index end, const F& plane) const {
    if (end <= begin) return;
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(end - begin, thread, threads);
      for (Index z = mine.begin; z < mine.end && cpu::goes_on(); ++z)
        plane(begin + z);
    });
  }
};

/// The elements of a view, on the host and without gaps: of so many, each `apart` elements behind
/// the one before.
template <class T>
[[nodiscard]] std::vector<T> packed(Queue& queue, const View<T>& view, Index instances = 1,
                                    Index apart = 0) {
  const Index span = (instances - 1) * apart + view.span();
  std::vector<T> all(static_cast<std::size_t>(span));
  copy_to_host(queue, all.data(), static_cast<const T*>(view.data), span);
  queue.wait();
  const Index3 n = view.extents;
  std::size_t to = 0; // never behind what is still to be read
  for (Index i = 0; i < instances; ++i) {
    for (Index z = 0; z < n.z; ++z) {
      for (Index y = 0; y < n.y; ++y) {
        for (Index x = 0; x < n.x; ++x)
          all[to++] = all[static_cast<std::size_t>(i * apart + view.at(x, y, z))];
      }
    }
  }
  all.resize(to);
  return all;
}

/// Elements from one instance of an array of C to the next.
template <class C, class T>
[[nodiscard]] Index instance_elements(const View<T>& view) {
  constexpr auto rank = C::dimensions.size();
  const Index3 e = view.extents;
  return rank == 1 ? e.x : rank == 2 ? view.row * e.y : view.plane * e.z;
}

/// Compares an output, whose memory was poisoned before, with what is right: the items of `domain`
/// within rounding, the others still poisoned. Instances, each `apart` elements behind the one
/// before, lie behind each other along z in what is said of an item.
template <class T>
void compare_output(Queue& queue, const View<T>& view, const std::vector<BoundedPack<T>>& right,
                    const auto& n, Index apart, const auto& domain, Deviation& total) {
  const std::vector<T> found = packed(queue, view, n.instances(), apart);
  const T poison = poisoned<T>(poison_of_outputs);
  const auto computed = [&](Index i, Index extent, int d) {
    return i >= domain.begin.along(d) && i < extent + domain.end.along(d);
  };
  const Index3 all = view.extents;
  std::size_t i = 0;
  for (Index plane = 0; plane < all.z * n.instances(); ++plane) {
    const Index z = plane % all.z;
    for (Index y = 0; y < all.y; ++y) {
      for (Index x = 0; x < all.x; ++x, ++i) {
        if (computed(x, n.x, 0) && computed(y, n.y, 1) && computed(z, n.z, 2)) {
          const BoundedPack<T>& one = right[i];
          total.compare(found[i], one[0], poison, {x, y, plane},
                        [&] { return one.bound + rounding_of<T>(one[0]); });
        } else {
          total.expect_untouched(found[i], poison, {x, y, plane});
        }
      }
    }
  }
}

/// Compares all outputs of a chain that updates nothing with the reference.
template <class C, class T>
[[nodiscard]] Check check_chain(Queue& queue, const Request<C, T>& request) {
  using Bounded = BoundedPack<T>;
  const auto& n = request.extents;
  std::array<std::vector<Bounded>, arrays_of<C>> right;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (C::arrays[i].role != Role::input) continue;
    const View<T>& view = request.views.all()[i];
    const std::vector<T> all = packed(queue, view, n.instances(), instance_elements<C>(view));
    right[i].reserve(all.size());
    for (const T number : all)
      right[i].emplace_back(static_cast<double>(number), 0.0);
  }
  apply_reference(request.chain, n, right, PlanesAtOnce{});
  Deviation total;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (C::arrays[i].role != Role::output) continue;
    const auto domain = domain_of_written<C, T>(static_cast<int>(i));
    const View<T>& view = request.views.all()[i];
    compare_output(queue, view, right[i], n, instance_elements<C>(view), domain, total);
  }
  return judge(total, bounded_unit<T>);
}

} // namespace ridge::chain
