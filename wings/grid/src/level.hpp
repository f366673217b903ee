// One level of multigrid: its operator, its arrays, and the way to the next one.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/queue.hpp>

#include "axis.hpp"
#include "march_choice.hpp"
#include "operations.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ridge::solve::detail {

template <class V>
Memory on_device(Queue& queue, const std::vector<V>& values) {
  const Bytes bytes{static_cast<Index>(values.size() * sizeof(V))};
  Memory memory(queue.device(), bytes, "tables of multigrid");
  copy_bytes_to_device(queue, memory.data(), values.data(), bytes);
  queue.wait();
  return memory;
}
template <class T>
std::vector<T> as(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
template <class T>
Span<const T> span_of(const Memory& memory) {
  return {static_cast<const T*>(memory.data()),
          memory.size().value / static_cast<Index>(sizeof(T))};
}

/// Gives a pass of operations.hpp to the queue's device.
template <class Pass>
void give(Queue& queue, const Pass& pass) {
  offered<void(Queue&, const Pass&)>(queue.device().kind(), typeid(Pass))(queue, pass);
}

/// A level of all ranks, by which each of them chooses its passes: bits depend on the choice.
struct WholeLevel {
  Index3 points;
  bool is_alike; ///< whether all points weigh alike, beyond mirrors, too
  int first;     ///< along z, of Steps
  int coarse;

  /// Nothing where coarse points do not lie in steps.
  static std::optional<WholeLevel> of(const std::vector<Axis>& axes,
                                      const std::vector<Coarsening>& ways) {
    std::optional<Steps> steps;
    bool is_alike = true;
    for (std::size_t d = 0; d < 3; ++d) {
      steps = steps_of(axes[d], ways[d]);
      if (!steps) return {};
      is_alike = is_alike && weighs_alike(axes[d], ways[d]);
    }
    return WholeLevel{{axes[0].points(), axes[1].points(), axes[2].points()},
                      is_alike,
                      steps->first,
                      ways[2].axis.points()};
  }
};

template <class T>
struct Level {
  std::vector<Axis> axes;
  std::vector<Memory> tables;
  Operator<T> a;
  UniformWeights<T> alike;
  std::array<TransferTables<T>, 3> transfer; ///< to the next level
  std::array<StepTables<T>, 3> steps;        ///< the same, where it is in steps
  bool is_in_steps = false;
  MarchChoice march;
  ridge::Field<T> u, b, other, k;

  Level(Queue& queue, std::vector<Axis> these, T shift) : axes(std::move(these)) {
    a.shift = shift;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = axes[d];
      a.axes[d].points = axis.points();
      a.axes[d].is_periodic = axis.is_periodic;
      const auto even = axis.even_points();
      a.axes[d].even_begin = even.first;
      a.axes[d].even_end = even.second;
      a.axes[d].low = keep<T>(queue, as<T>(axis.low));
      a.axes[d].high = keep<T>(queue, as<T>(axis.high));
      a.axes[d].volume = keep<T>(queue, as<T>(axis.volume));
    }
    if (is_uniform(axes)) {
      for (std::size_t d = 0; d < 3; ++d) {
        alike.of[d] = static_cast<T>(axes[d].low[axes[d].low.size() / 2]);
        for (unsigned side = 0; side < 2; ++side)
          alike.mirrors |= unsigned{axes[d].mirrors(static_cast<int>(side))} << (2 * d + side);
      }
      const auto both = [&](int d) { return alike.of[d] + alike.of[d]; };
      alike.diagonal = (both(0) + both(1)) + (both(2) + a.shift);
      alike.inverse = 1 / alike.diagonal;
    }
    const Extents n{axes[0].points(), axes[1].points(), axes[2].points()};
    u = ridge::Field<T>(queue.device(), n, "the solution on a level of multigrid");
    b = ridge::Field<T>(queue.device(), n, "the right-hand side on a level of multigrid");
    other = ridge::Field<T>(queue.device(), n, "residuals on a level of multigrid");
  }

  [[nodiscard]] static bool is_uniform(const std::vector<Axis>& axes) {
    return std::all_of(axes.begin(), axes.end(),
                       [](const Axis& axis) { return axis.is_uniform(); });
  }

  /// Whether half a cycle is a pass.
  [[nodiscard]] bool marches() const { return a.k.size == 0 ? march.plain : march.varied; }

  template <class V>
  Span<const V> keep(Queue& queue, const std::vector<V>& values) {
    tables.push_back(on_device(queue, values));
    return span_of<V>(tables.back());
  }

  /// `whole`: if coarse points of the whole level lie in steps. `needed` of what the way down
  /// leaves.
  void add_transfer(Queue& queue, const std::vector<Coarsening>& ways,
                    const std::optional<WholeLevel>& whole, const NeededPlanes& needed = {}) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Coarsening& c = ways[d];
      TransferTables<T>& t = transfer[d];
      t.fine = axes[d].points();
      t.coarse = c.axis.points();
      t.is_periodic = axes[d].is_periodic;
      t.centre = keep<int>(queue, c.centre);
      t.reach = keep<int>(queue, c.reach);
      t.taken = keep<T>(queue, as<T>(c.taken));
      t.left = keep<int>(queue, c.left);
      t.right = keep<int>(queue, c.right);
      t.left_weight = keep<T>(queue, as<T>(c.left_weight));
      t.right_weight = keep<T>(queue, as<T>(c.right_weight));
    }
    if (whole) add_steps(queue, ways, *whole, needed);
  }

  void add_steps(Queue& queue, const std::vector<Coarsening>& ways, const WholeLevel& whole,
                 const NeededPlanes& needed) {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::optional<Steps> way = steps_of(axes[d], ways[d]);
      if (!way) return;
      StepTables<T>& t = steps[d];
      t.coarse = ways[d].axis.points();
      t.first = way->first;
      t.halved = way->is_halved ? 1 : 0;
      t.is_periodic = axes[d].is_periodic;
      t.taken = keep<T>(queue, as<T>(way->taken));
      t.given = keep<T>(queue, as<T>(way->given));
    }
    is_in_steps = true;
    using Fits = void(Queue&, const FitsMarch<T>&);
    const AnyFunction fits = find_offer(queue.device().kind(), typeid(FitsMarch<T>));
    if (fits == nullptr) return;
    std::array<StepTables<T>, 3> of_all = steps;
    of_all[2].first = whole.first;
    of_all[2].coarse = whole.coarse;
    reinterpret_cast<Fits*>(fits)(queue, {of_all, whole.points, &fits_, whole.is_alike, {}});
    if (needed.end > 0) { // sums are of this rank's planes
      MarchFits own;
      const Index3 points{axes[0].points(), axes[1].points(), axes[2].points()};
      reinterpret_cast<Fits*>(fits)(queue, {steps, points, &own, whole.is_alike, needed});
      fits_.parts = own.parts;
    }
    of_all_ = whole.points;
    march = choice(queue.device(), {});
  }

  /// The passes over half a cycle under a schedule; none where the device has no such.
  [[nodiscard]] MarchChoice choice(const Device& device, const MarchSchedule& schedule) const {
    if (of_all_.z == 0) return {};
    return march_choice(fits_, schedule, of_all_, sizeof(T), device);
  }

  [[nodiscard]] Restriction<T> restriction(const ridge::Field<T>& fine,
                                           const Span<T>& coarse) const {
    Restriction<T> r;
    r.axes = transfer;
    r.steps = steps;
    r.in_steps = is_in_steps;
    r.fine = Span<const T>(fine.elements());
    r.coarse = coarse;
    return r;
  }

  /// Times of the passes over those of the tiles that are known to be good.
  [[nodiscard]] double march_excess(const Device& device) const {
    if (!march.plain) return 1;
    const auto time = [&](const MarchChoice& of) {
      return march_time(fits_, of, of_all_, sizeof(T), device);
    };
    MarchChoice known = choice(device, {});
    known.plain = true;
    return time(march) / time(known);
  }

private:
  MarchFits fits_;
  Index3 of_all_{0, 0, 0}; ///< points of all ranks, where the device has passes of half a cycle
};

} // namespace ridge::solve::detail
