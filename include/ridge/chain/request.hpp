// A request: a chain, its range and the user's arrays.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace ridge::chain {

template <class C, class T>
struct Request;

/// Sets what lies beyond the ends of x and y as soon as rows are computed, for executors that
/// compute planes of later operations before the last ones of earlier ones.
struct RowsDone {
  /// Called with the first operation of a group that has computed rows [begin, end) of plane z.
  std::function<void(int first, Index z, Index begin, Index end)> call;
  bool whole_planes = false; ///< the ends of y need all rows
  Index inside = 0;          ///< planes within the range that are set before launches, at each end
};

/// The user's arrays of a chain, by slot. Of a chain with outer dimensions a view is that of the
/// first instance; the others follow without gaps, each an instance further.
template <class C, class T>
class Views {
public:
  /// An array that the chain may write. `instances` is how many it holds; 0: as many as the range.
  template <int I, bool P>
  Views& set(Slot<I, P>, const View<T>& view, Index instances = 0) {
    views_[I] = view;
    instances_[I] = instances;
    return *this;
  }
  /// All instances of an array: dimensions beyond those that the chain's operations know are outer
  /// ones.
  template <int I, bool P>
  Views& set(Slot<I, P> slot, const Field<T>& field) {
    constexpr auto inner = static_cast<int>(C::dimensions.size());
    const Extents& n = field.extents();
    const auto along = [&](int d) { return d < inner ? n[d] : 1; };
    Index instances = 1;
    for (int d = inner; d < n.rank(); ++d)
      instances *= n[d];
    return set(slot, View<T>(field.data(), {along(0), along(1), along(2)}), instances);
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
  [[nodiscard]] const std::array<Index, arrays_of<C>>& instances() const { return instances_; }

private:
  template <class, class>
  friend struct Request;

  std::array<View<T>, arrays_of<C>> views_;
  std::array<Index, arrays_of<C>> instances_{};
};

/// A chain over a range of items. `extents` are those of the range: three dimensions, or up to six
/// of a chain with outer ones.
template <class C, class T>
struct Request {
  C chain;
  Range extents;
  Views<C, T> views;
  /// Called before each launch with the first operation of it, counted from 0: what lies beyond
  /// given ends is set then. It gives work to the program's queue, or does it; it must not
  /// allocate.
  std::function<void(int first)> before_launch = {};
  /// Where it is there, before_launch sets the ends of z alone for executors that call it.
  std::shared_ptr<const RowsDone> rows_done = {};

  /// The chain for each of `count` instances, one behind the other in all arrays; one outer
  /// dimension more. Throws UsageError for a count below 1, and for arrays that hold others.
  [[nodiscard]] Request<Batch<C>, T> batch(Index count) const;
};

template <class C, class T>
Request<Batch<C>, T> Request<C, T>::batch(Index count) const {
  if (count < 1) {
    throw UsageError(std::string("chain '") + C::name + "': a batch of " + std::to_string(count) +
                     "; give 1 or more");
  }
  Request<Batch<C>, T> made{{chain}, extents, {}, before_launch, rows_done};
  made.extents.outer[outer_of<C>()] = count;
  made.views.views_ = views.views_;
  made.views.instances_ = views.instances_;
  return made;
}

} // namespace ridge::chain
