// Matched layers of a system on a device.
#pragma once

#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/matched.hpp>
#include <ridge/device/generate.hpp>

#include "face_launches.hpp"
#include "matched_faces.hpp"
#include "parts.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace ridge::chain {

/// Tables that launches in layers read.
template <class T>
class MatchedTables {
public:
  /// An array of a face, without what it remembers.
  [[nodiscard]] MatchedArray<T> array(Queue& queue, const SystemKernel& kernel,
                                      const SystemSetup& setup, const MatchedFace& face, int a) {
    MatchedArray<T> made;
    made.points = face.extents;
    made.axis = face.axis;
    const auto factors = memory_factors(kernel, setup, face, a);
    const T** const to[] = {&made.left, &made.taken};
    for (std::size_t i = 0; i < 2; ++i) {
      factors_.emplace_back(queue, std::vector<T>(factors[i].begin(), factors[i].end()),
                            "matched layers");
      *to[i] = factors_.back().data();
    }
    return made;
  }
  [[nodiscard]] Bound bind(Queue& queue, const std::vector<MatchedArray<T>>& all) {
    arrays_.emplace_back(queue, all, "matched layers");
    return bind_on_faces(queue, arrays_.back(), all.front().count());
  }

private:
  std::vector<OnDevice<T>> factors_;
  std::vector<OnDevice<MatchedArray<T>>> arrays_;
};

/// From a point of an array on.
template <class T>
[[nodiscard]] LayerPoints<T> points_from(T* memory, const ArrayLayout& at, const Index3& begin) {
  const Index first = at.before + begin.x + begin.y * at.row + begin.z * at.plane;
  return {memory + first, at.row, at.plane, at.elements - first};
}

template <class T>
class MatchedLayers {
public:
  using MemoryOf = std::function<T*(int array)>;

  /// `memory` gives the first element of an array. All must outlive it.
  MatchedLayers(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup,
                const std::vector<ArrayLayout>& layouts, const MemoryOf& memory)
      : queue_(queue), kernel_(kernel), setup_(setup), layouts_(layouts),
        chain_(kernel_.description(setup.element_bytes)), of_(chain_.operations.size()) {
    const MatchedMemory needed = matched_memory(kernel, setup);
    kept_ = zeros(needed.kept, "memory of layers");
    change_ = zeros(needed.beside, "changes in layers");
    auto* next = static_cast<T*>(kept_.data());
    for (const MatchedFace& face : matched_faces(kernel, setup))
      next = add(face, memory, next);
  }

  /// Behind an operation, which still finds what it read.
  void run(int operation) const {
    for (const Layer& layer : of_[static_cast<std::size_t>(operation)]) {
      layer.program.run();
      layer.remember.run();
    }
  }
  [[nodiscard]] const Memory& kept() const { return kept_; }

private:
  struct Layer {
    Program program;
    Bound remember;
  };

  [[nodiscard]] Memory zeros(Bytes bytes, const char* what) const {
    if (bytes.value == 0) return {};
    Memory made(queue_.device(), bytes, what);
    fill_bytes(queue_, made.data(), 0, bytes);
    return made;
  }

  /// Remembers from `next` on, and says what follows.
  T* add(const MatchedFace& face, const MemoryOf& memory, T* next) {
    const OperationInfo& op = chain_.operations[static_cast<std::size_t>(face.operation)];
    SystemStep one = step_along(setup_, face);
    std::vector<MatchedArray<T>> all;
    auto* change = static_cast<T*>(change_.data());
    for (int a = 0; a < static_cast<int>(chain_.arrays.size()); ++a) {
      const LayerPoints<T> item =
          points_from(memory(a), layouts_[static_cast<std::size_t>(a)], face.begin);
      if (!op.writes(a)) {
        one.arrays.push_back({item.data, item.row, item.plane});
        continue;
      }
      const ArrayLayout in_layer = layout_of(chain_, a, face.extents);
      const LayerPoints<T> made = points_from(change, in_layer, {});
      change += in_layer.elements;
      one.arrays.push_back({made.data, made.row, made.plane});
      if (std::find(face.arrays.begin(), face.arrays.end(), a) == face.arrays.end()) continue;
      all.push_back(tables_.array(queue_, kernel_, setup_, face, a));
      all.back().array = item;
      all.back().change = made;
      const Index3 n = face.extents;
      all.back().memory = {next, n.x, n.x * n.y, face.points()};
      next += face.points();
    }
    one.schedule = parse_schedule("fuse=none", queue_.device(), chain_, one.extents).schedule;
    of_[static_cast<std::size_t>(face.operation)].push_back(
        {kernel_.bind(queue_, setup_.element_bytes, one), tables_.bind(queue_, all)});
    return next;
  }

  Queue& queue_;
  const SystemKernel& kernel_;
  const SystemSetup& setup_;
  const std::vector<ArrayLayout>& layouts_;
  const Description& chain_;
  Memory kept_, change_;
  MatchedTables<T> tables_;
  std::vector<std::vector<Layer>> of_; ///< by operation
};

} // namespace ridge::chain
