// Fields over ranks: each rank holds the points it owns and the halo around them.
#pragma once

#include <ridge/comm/exchange.hpp>
#include <ridge/device/field.hpp>

#include <algorithm>
#include <string_view>

namespace ridge::comm {

/// The part of one rank. `T` is what a point holds. Where x is divided, the first point owned of
/// each row lies at the begin of a line of a GPU's cache, as on one rank, so rows have gaps between
/// them.
template <class T>
class RankField {
public:
  /// Throws Failure when it does not fit. The memory is not set.
  RankField(const Device& device, const Grid& grid, int rank, std::string_view name = "field")
      : RankField(device, grid, rank, name, rows_at_lines(grid, rank)) {}
  /// Rows without gaps. `ahead`: elements between the begin of its memory, which is that of a cache
  /// line, and the first point.
  RankField(const Device& device, const Grid& grid, int rank, std::string_view name, Index ahead)
      : RankField(device, grid, rank, name, Rows{ahead, grid.held(rank).extents().x}) {}

  /// Points that this rank owns and holds, in coordinates of the whole field.
  [[nodiscard]] const Box& owned() const { return owned_; }
  [[nodiscard]] const Box& held() const { return held_; }
  /// All points that it holds, halo included; the first is `held().begin` of the whole field.
  [[nodiscard]] View<T> view() const {
    const Index3 n = held_.extents();
    return View<T>(field_.data() + rows_.ahead, n, rows_.apart, rows_.apart * n.y);
  }
  /// The points that it owns, within the same memory.
  [[nodiscard]] View<T> owned_view() const {
    View<T> view = this->view();
    view.data += view.at(owned_.begin.x - held_.begin.x, owned_.begin.y - held_.begin.y,
                         owned_.begin.z - held_.begin.z);
    view.extents = owned_.extents();
    return view;
  }
  /// From the first to the last point that it holds, gaps between rows included.
  [[nodiscard]] Span<T> elements() const { return view().elements(); }
  /// Copies what it holds, x fastest and without gaps, in queue order; host memory must stay valid
  /// until the queue was waited for.
  void copy_from_host(Queue& queue, const T* values) const {
    copy_rows_to_device(queue, view().data, bytes(rows_.apart), values, bytes(held_.extents().x),
                        rows());
  }
  void copy_to_host(Queue& queue, T* values) const {
    copy_rows_to_host(queue, values, view().data, bytes(rows_.apart), bytes(held_.extents().x),
                      rows());
  }
  [[nodiscard]] PaddedField padded(const Reach& reach) const {
    return {FieldMemory::of(view()), held_.begin, reach};
  }

private:
  struct Rows {
    Index ahead, apart; // elements: before the first, from one to the next
  };
  RankField(const Device& device, const Grid& grid, int rank, std::string_view name, Rows rows)
      : owned_(grid.owned(rank)), held_(grid.held(rank)), rows_(rows),
        field_(device, Extents{rows.ahead + rows.apart * held_.extents().y * held_.extents().z},
               name) {}

  static Rows rows_at_lines(const Grid& grid, int rank) {
    const Index held = grid.held(rank).extents().x;
    const Index low = grid.owned(rank).begin.x - grid.held(rank).begin.x;
    if (held == grid.owned(rank).extents().x) return {0, held};
    constexpr Index line = std::max<Index>(128 / sizeof(T), 1); // the largest of GPUs
    return {(line - low % line) % line, ceil_div(held, line) * line};
  }
  static Bytes bytes(Index elements) { return {elements * static_cast<Index>(sizeof(T))}; }
  [[nodiscard]] Index rows() const { return held_.extents().y * held_.extents().z; }

  Box owned_, held_;
  Rows rows_;
  ridge::Field<T> field_;
};

} // namespace ridge::comm
