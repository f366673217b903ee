// Matched layers backwards. With S for a times the derivative of a loss by what a layer remembers,
// and W for that by the array, a step back is S <- b S + a W; S then goes the way of W through the
// transposed operation, with derivatives along the axis alone.
#pragma once

#include <ridge/chain/system/adjoint.hpp>
#include <ridge/core/error.hpp>

#include "adjoint_surroundings.hpp"
#include "matched_layers.hpp"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace ridge::chain {

/// Operations of an adjoint that transpose one operation of the system, in their order.
struct TransposedBy {
  int operation = 0;
  std::vector<int> by;
};
/// From the system's last operation to its first one.
[[nodiscard]] std::vector<TransposedBy> transposed_by(const SystemKernel& kernel,
                                                      const SystemAdjoint& adjoint);

/// How an array of the adjoint that is no array of the system lies in memory: with room for what
/// operations add beyond faces, and for what they read beyond that.
[[nodiscard]] ArrayLayout derivative_layout(const Description& adjoint, int array,
                                            const Index3& extents);

/// Faces with the same number, of 6, share what operations hand on.
[[nodiscard]] int shared_by(const SystemSetup& setup, const MatchedFace& face);

/// Memory of its own that a layer's adjoint has: what it remembers, and of operations.
[[nodiscard]] Bytes matched_adjoint_memory(const SystemKernel& kernel, const SystemSetup& setup,
                                           const SystemAdjoint& adjoint);

template <class T>
class MatchedAdjoint {
public:
  /// Where arrays of the adjoint are, and how they lie.
  struct Arrays {
    std::function<T*(int array)> memory;
    const std::vector<ArrayLayout>& layouts;
    Surroundings<T>& around;
  };

  /// All must outlive it.
  MatchedAdjoint(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup,
                 const SystemAdjoint& adjoint, Arrays arrays)
      : queue_(queue), kernel_(kernel), setup_(setup), adjoint_(adjoint),
        chain_(adjoint.kernel.description(setup.element_bytes)), arrays_(std::move(arrays)),
        behind_(chain_.operations.size()) {
    for (const MatchedFace& face : matched_faces_back(kernel, setup, chain_)) {
      for (const TransposedBy& group : transposed_by(kernel, adjoint)) {
        if (group.operation == face.operation) add(face, group);
      }
    }
  }

  /// Sets what is remembered to 0.
  void begin() {
    for (const Memory& memory : memories_)
      fill_bytes(queue_, memory.data(), 0, memory.size());
  }
  /// Behind an operation of the adjoint.
  void run(int operation) const {
    for (const Bound& one : behind_[static_cast<std::size_t>(operation)])
      one.run();
  }

private:
  [[nodiscard]] int given() const { return static_cast<int>(adjoint_.derivatives.size()); }

  /// Memory like that of an array of the adjoint, in a layer.
  [[nodiscard]] LayerPoints<T> own(int array, const Index3& extents) {
    const ArrayLayout at = derivative_layout(chain_, array, extents);
    const Bytes bytes{at.elements * static_cast<Index>(sizeof(T))};
    memories_.emplace_back(queue_.device(), bytes, "derivatives in layers");
    fill_bytes(queue_, memories_.back().data(), 0, bytes);
    return points_from(static_cast<T*>(memories_.back().data()), at, {});
  }

  void add(const MatchedFace& face, const TransposedBy& group) {
    std::vector<Bound>& to = behind_[static_cast<std::size_t>(group.by.back())];
    std::vector<LayerPoints<T>> places;
    if (face.points() > 0) {
      std::vector<MatchedArray<T>> taken;
      for (int a = 0; a < static_cast<int>(chain_.arrays.size()); ++a)
        places.push_back(place(face, a, taken));
      to.push_back(tables_.bind(queue_, taken));
    }
    for (const int k : group.by) {
      const bool spreads = k == group.by.back();
      const OperationInfo& op = chain_.operations[static_cast<std::size_t>(k)];
      const Index3& b = face.begin;
      const Index3& n = face.extents;
      const comm::Box items{b, {b.x + n.x, b.y + n.y, b.z + n.z}};
      if (spreads) {
        arrays_.around.bring(to, op, items, box_of_face(setup_, chain_, face),
                             [&](int a) { return places[static_cast<std::size_t>(a)]; });
      }
      if (places.empty()) continue;
      programs_.push_back(std::make_unique<Program>(bind(face, k, items, spreads, places)));
      to.emplace_back([program = programs_.back().get()] { program->run(); });
    }
  }
  /// The first item of an array in a layer; `taken` gets arrays whose derivatives it remembers.
  [[nodiscard]] LayerPoints<T> place(const MatchedFace& face, int a,
                                     std::vector<MatchedArray<T>>& taken) {
    const OperationInfo& forward = kernel_.description(setup_.element_bytes)
                                       .operations[static_cast<std::size_t>(face.operation)];
    const auto by = std::find(adjoint_.derivatives.begin(), adjoint_.derivatives.end(), a);
    const auto of = static_cast<int>(by - adjoint_.derivatives.begin());
    const bool is_own = a >= given() && by == adjoint_.derivatives.end();
    const bool comes_in = by != adjoint_.derivatives.end() && forward.writes(of);
    const LayerPoints<T> real =
        points_from(arrays_.memory(a), arrays_.layouts[static_cast<std::size_t>(a)], face.begin);
    if (!is_own && !comes_in) return real;
    if (comes_in && std::find(face.arrays.begin(), face.arrays.end(), of) != face.arrays.end()) {
      const LayerPoints<T> made = own(a, face.extents);
      taken.push_back(tables_.array(queue_, kernel_, setup_, face, of));
      taken.back().array = real;
      taken.back().memory = made;
      return made;
    }
    // Of arrays without derivatives along the axis: 0. Layers before both faces of an axis lie
    // alike, and share what operations hand on, unless the axis is divided.
    auto& shared = shared_[static_cast<std::size_t>(shared_by(setup_, face))];
    shared.resize(chain_.arrays.size());
    auto& one = shared[static_cast<std::size_t>(a)];
    if (!one) one = own(a, face.extents);
    return *one;
  }

  /// The last operation spreads derivatives beyond walls, too.
  [[nodiscard]] Program bind(const MatchedFace& face, int k, const comm::Box& items, bool spreads,
                             const std::vector<LayerPoints<T>>& places) const {
    const OperationInfo& op = chain_.operations[static_cast<std::size_t>(k)];
    SystemStep one = step_along(setup_, face);
    one.first = k;
    const BeyondWalls beyond = spreads ? beyond_walls(setup_, chain_, items) : BeyondWalls{};
    for (int d = 0; d < 3; ++d)
      comm::along(one.extents, d) += comm::along(beyond.before, d) + comm::along(beyond.behind, d);
    for (int a = 0; a < static_cast<int>(places.size()); ++a) {
      const LayerPoints<T>& at = places[static_cast<std::size_t>(a)];
      if (!op.reads(a) && !op.writes(a)) { // a row of it stands for all
        one.arrays.push_back(
            {arrays_.memory(a) + arrays_.layouts[static_cast<std::size_t>(a)].before, 0, 0});
      } else {
        one.arrays.push_back({at.data - at.at(beyond.before), at.row, at.plane});
      }
    }
    one.schedule = parse_schedule("fuse=none", queue_.device(), chain_, one.extents).schedule;
    return adjoint_.kernel.bind(queue_, setup_.element_bytes, one);
  }

  Queue& queue_;
  const SystemKernel& kernel_;
  const SystemSetup& setup_;
  const SystemAdjoint& adjoint_;
  const Description& chain_;
  Arrays arrays_;
  std::vector<Memory> memories_;
  MatchedTables<T> tables_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::array<std::vector<std::optional<LayerPoints<T>>>, 6> shared_;
  std::vector<std::vector<Bound>> behind_; ///< by operation of the adjoint
};

} // namespace ridge::chain
