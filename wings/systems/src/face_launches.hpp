// Launches at the faces of arrays and in layers that absorb, with the tables that they read.
#pragma once

#include <ridge/chain/system/beyond.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/offer.hpp>

#include "faces.hpp"
#include "parts.hpp"

#include <algorithm>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ridge::chain {

/// A launch for all arrays of a table, of which each has `most` points or lines at most.
template <class A>
[[nodiscard]] Bound bind_on_faces(Queue& queue, const OnDevice<A>& arrays, Index most) {
  const Span<A> all = arrays.span();
  return offered<BindFaces<A>>(queue.device().kind(),
                               typeid(A))(queue, {all.data, static_cast<int>(all.size), most});
}

template <class T>
[[nodiscard]] ArrayPlace<T> place_of(T* memory, const ArrayLayout& at) {
  return {memory + at.before, at.row, at.plane, at.before, at.elements};
}

/// A free face of arrays that lie as `lies(array)` says.
template <class T, class F>
[[nodiscard]] FreeFace<T> free_face_of(const FreeFaces& of, const SystemSetup& setup, int axis,
                                       int side, const F& lies) {
  FreeFace<T> face;
  face.axis = axis;
  face.side = side;
  face.lambda = lies(of.lambda);
  face.mu = lies(of.mu);
  for (std::size_t e = 0; e < 3; ++e) {
    face.velocities[e] = lies(of.velocities[e]);
    face.n[e] = comm::along(setup.extents, static_cast<int>(e));
    face.over[e] = static_cast<T>(setup.spacing[static_cast<std::size_t>(axis)] / setup.spacing[e]);
    face.wraps[e] = setup.walls.front()[e][0].kind == Wall::periodic;
  }
  return face;
}

/// Arrays that launches in layers read.
template <class T>
struct LayerTables {
  OnDevice<DampedArray<T>> arrays;
  std::vector<OnDevice<NumberOf<T>>> factors;
};

/// Arrays that lose strength in layers.
template <class T>
class Layers {
public:
  Layers(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup)
      : queue_(queue), kernel_(kernel), setup_(setup) {}

  /// One that lies as `array` of the system does, in memory laid out so.
  void add(int array, T* memory, const ArrayLayout& at) {
    DampedArray<T> one;
    one.data = memory + at.before;
    one.row = at.row;
    one.plane = at.plane;
    one.size = at.elements - at.before;
    const Placement& placement = kernel_.placements[static_cast<std::size_t>(array)];
    one.shell = layers_of(setup_, placement, at.points);
    for (int d = 0; d < 3; ++d) {
      const std::vector<double> f = factors_of(setup_, placement, comm::along(at.points, d), d);
      tables_.factors.emplace_back(queue_, std::vector<NumberOf<T>>(f.begin(), f.end()),
                                   "absorbing layers");
      one.factors[d] = tables_.factors.back().data();
    }
    most_ = std::max(most_, one.shell.count());
    all_.push_back(one);
  }
  /// Empty where no point lies in a layer. `keep` takes what the launch reads.
  [[nodiscard]] Bound bind(std::vector<LayerTables<T>>& keep) {
    if (most_ == 0) return {};
    tables_.arrays = OnDevice<DampedArray<T>>(queue_, all_, "absorbing layers");
    keep.push_back(std::move(tables_));
    return bind_on_faces(queue_, keep.back().arrays, most_);
  }

private:
  Queue& queue_;
  const SystemKernel& kernel_;
  const SystemSetup& setup_;
  std::vector<DampedArray<T>> all_;
  LayerTables<T> tables_;
  Index most_ = 0;
};

} // namespace ridge::chain
