// Fields that loops over the sites of expressions ask for ahead of time on the cpu.
#pragma once

#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/schedule.hpp>

#include <array>

namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME {

/// The memory of the fields in expressions, each of them once; of more than `most` fields the rest
/// are left to the core.
class FieldsAhead {
public:
  template <class... E>
  explicit FieldsAhead(const CpuSchedule& s, const E&... expressions) : ahead_(s.ahead, s.streams) {
    const auto take = [this](const auto& leaf, bool /*in_place*/) { add(leaf); };
    (expressions.for_each_field(take, false), ...);
  }

  /// Asks for what goes with the sites of a group.
  RIDGE_FN void ask(Index group) const {
    if (!ahead_) return;
    for (int i = 0; i < count_; ++i) {
      const char* const begin = fields_[i].data + group * fields_[i].group_bytes;
      for (Index at = 0; at < fields_[i].group_bytes; at += cpu::line_bytes)
        ahead_.ask(begin + at);
    }
  }

private:
  static constexpr int most = 8;
  struct Memory {
    const char* data;
    Index group_bytes;
  };

  template <class S>
  void add(const Leaf<S>& leaf) {
    const auto* const data = reinterpret_cast<const char*>(leaf.view.reals.data);
    for (int i = 0; i < count_; ++i) {
      if (fields_[i].data == data) return;
    }
    if (count_ == most) return;
    const Index bytes = Index{components_of<S>} * static_cast<Index>(sizeof(NumberOf<S>));
    fields_[count_++] = {data, bytes * leaf.view.geometry.nsimd};
  }

  cpu::LinesAhead ahead_;
  std::array<Memory, most> fields_{};
  int count_ = 0;
};

} // namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME
