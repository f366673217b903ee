// Questions that the operations of a chain ask about where their items are: found by running them
// on the host with an item that takes notes.
#pragma once

#include <ridge/chain/elements.hpp>
#include <ridge/chain/operation.hpp>
#include <ridge/core/index.hpp>
#include <ridge/core/pack.hpp>

#include <array>
#include <utility>

namespace ridge::chain {

/// Along each dimension whether an operation asks for its item's place or the extents.
struct PlaceNotes {
  std::array<bool, 3> asked{};
  bool first_of_pack = false; ///< by at.x() or at.before_x(), which know the first of a pack only
};

inline namespace RIDGE_TARGET_NAME {

template <class Op>
class NotingAt {
public:
  using Value = Pack<double, 1, abi::Array>;

  explicit NotingAt(PlaceNotes& notes) : notes_(notes) {}
  template <int I, bool P>
  Value operator()(Slot<I, P> /*slot*/, int /*dx*/ = 0, int /*dy*/ = 0, int /*dz*/ = 0) const {
    static_assert(reads<Op>(I), "the operation does not declare that it reads this array");
    return Value(1.0);
  }
  template <int I>
  void set(Slot<I, false> /*slot*/, const Value& /*value*/) const {
    static_assert(writes<Op>(I), "the operation does not declare that it writes this array");
  }
  template <int I, bool P, int N>
  Value contract_x(const Matrix<N>& /*matrix*/, Slot<I, P> /*slot*/) const {
    return Value(1.0);
  }
  template <int I, bool P, int N>
  Value contract_y(const Matrix<N>& /*matrix*/, Slot<I, P> /*slot*/) const {
    return Value(1.0);
  }
  [[nodiscard]] Index x() const {
    notes_.first_of_pack = true;
    return noted(0);
  }
  [[nodiscard]] Index y() const { return noted(1); }
  [[nodiscard]] Index z() const { return noted(2); }
  [[nodiscard]] Value x_values() const { return Value(static_cast<double>(noted(0))); }
  [[nodiscard]] bool before_x(int /*dx*/) const {
    notes_.first_of_pack = true;
    return noted(0) < 0;
  }
  [[nodiscard]] bool first() const { return false; } // columns are not divided
  [[nodiscard]] bool last() const { return false; }
  [[nodiscard]] Index extent_x() const { return noted(0) + 1; }
  [[nodiscard]] Index extent_y() const { return noted(1) + 1; }
  [[nodiscard]] Index extent_z() const { return noted(2) + 1; }

private:
  /// An item in the middle: that of an end might take another branch, and has asked already.
  [[nodiscard]] Index noted(int d) const {
    notes_.asked[static_cast<std::size_t>(d)] = true;
    return 100;
  }
  PlaceNotes& notes_;
};

template <class Op>
void note_operation(const Op& operation, PlaceNotes& notes) {
  const NotingAt<Op> at(notes);
  if constexpr (carried_by<Op>() > 0) {
    typename NotingAt<Op>::Value carry[carried_by<Op>()];
    for (auto& value : carry)
      value = 1.0;
    operation(at, carry);
  } else {
    operation(at);
  }
}

template <class C>
[[nodiscard]] PlaceNotes place_notes(const C& chain) {
  PlaceNotes notes;
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (note_operation(std::get<K>(chain.operations), notes), ...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(operations_of<C>)>{});
  return notes;
}

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::chain
