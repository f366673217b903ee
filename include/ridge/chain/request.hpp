// What is asked of a chain: the chain, its range and the user's arrays.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/device/field.hpp>

#include <array>
#include <functional>

namespace ridge::chain {

/// The user's arrays of a chain, by slot.
template <class C, class T>
class Views {
public:
  /// An array that the chain may write.
  template <int I, bool P>
  Views& set(Slot<I, P>, const View<T>& view) {
    views_[I] = view;
    return *this;
  }
  /// An input.
  template <int I, bool P>
  Views& set(Slot<I, P>, const View<const T>& view) {
    static_assert(C::arrays[I].role == Role::input, "the chain writes this array");
    views_[I] = View<T>(const_cast<T*>(view.data), view.extents, view.row, view.plane);
    return *this;
  }
  /// One view an array of the chain; temporaries have none.
  [[nodiscard]] const std::array<View<T>, arrays_of<C>>& all() const { return views_; }

private:
  std::array<View<T>, arrays_of<C>> views_;
};

/// A chain over a range of items. `extents` are those of the range.
template <class C, class T>
struct Request {
  C chain;
  Index3 extents;
  Views<C, T> views;
  /// Called before each launch with the first operation of it, counted from 0: what lies beyond
  /// given ends is set then. It gives work to the program's queue, or does it; it must not
  /// allocate.
  std::function<void(int first)> before_launch = {};
};

} // namespace ridge::chain
