// Fields over ranks: each rank holds the points it owns and the halo around them.
#pragma once

#include <ridge/comm/exchange.hpp>
#include <ridge/device/field.hpp>

#include <string_view>

namespace ridge::comm {

/// The part of one rank. `T` is what a point holds.
template <class T>
class RankField {
public:
  /// `ahead`: elements between the begin of its memory, which is that of a cache line, and the
  /// first point. Throws Failure when it does not fit. The memory is not set.
  RankField(const Device& device, const Grid& grid, int rank, std::string_view name = "field",
            Index ahead = 0)
      : owned_(grid.owned(rank)), held_(grid.held(rank)), ahead_(ahead),
        field_(device, Extents{ahead + held_.count()}, name) {}

  /// Points that this rank owns and holds, in coordinates of the whole field.
  [[nodiscard]] const Box& owned() const { return owned_; }
  [[nodiscard]] const Box& held() const { return held_; }
  /// What it holds, halo included; the first point is `held().begin` of the whole field.
  [[nodiscard]] View<T> view() const { return View<T>(field_.data() + ahead_, held_.extents()); }
  /// What it owns, within the same memory.
  [[nodiscard]] View<T> owned_view() const {
    View<T> view = this->view();
    view.data += view.at(owned_.begin.x - held_.begin.x, owned_.begin.y - held_.begin.y,
                         owned_.begin.z - held_.begin.z);
    view.extents = owned_.extents();
    return view;
  }
  [[nodiscard]] Span<T> elements() const { return view().elements(); }
  [[nodiscard]] PaddedField padded(const Reach& reach) const {
    return {FieldMemory::of(view()), held_.begin, reach};
  }

private:
  Box owned_, held_;
  Index ahead_;
  ridge::Field<T> field_;
};

} // namespace ridge::comm
