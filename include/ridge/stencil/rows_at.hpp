// Where the rows of a launch's fields begin in memory, which decides what marches take at a time.
#pragma once

#include <ridge/stencil/call.hpp>
#include <ridge/stencil/variants.hpp>

#include <vector>

namespace ridge::stencil {

/// The weakest alignment among the fields' rows, and from where on it holds.
struct RowsAt {
  Rows rows = Rows::lines;
  Index before = 0; ///< elements before the first point of every field at which rows begin so
  Index begin = 0;  ///< of these and a row's elements: those before the line of the first result

  /// A field from where its rows begin so; its first points are then those before it.
  template <class T>
  [[nodiscard]] View<T> of(const View<T>& field) const {
    const Index3 n = field.extents;
    return {field.data - before, {n.x + before, n.y, n.z}, field.row, field.plane};
  }
};

/// Rows of fields of elements of `element_bytes`. Those that all begin equally far behind 16 bytes
/// have rows of packs, and those that begin equally far behind a line rows of lines, if results
/// begin in the next one. What lies before the first point within the same 16 bytes is read, too:
/// no memory that GPUs give out begins there.
[[nodiscard]] RowsAt rows_at(const std::vector<View<const char>>& fields, int element_bytes,
                             Offset radius);

/// Rows of fields that begin `misfit` elements behind a line, or differ therein, and in their rows
/// and planes, by what has the bits of `apart`.
[[nodiscard]] RowsAt rows_at(Index apart, Index misfit, int element_bytes, Offset radius);

/// Elements from a line to what begins there.
[[nodiscard]] Index misfit_of(const void* data, Index element_bytes);

namespace detail {
template <class T>
View<const char> untyped(const View<T>& v) {
  return {reinterpret_cast<const char*>(v.data), v.extents, v.row, v.plane};
}
/// The inputs, and the output at last.
template <class K, class T>
std::vector<View<const char>> untyped(const Call<K, T>& call) {
  std::vector<View<const char>> all;
  for (const auto& in : call.in)
    all.push_back(untyped(in));
  all.push_back(untyped(call.out));
  return all;
}
} // namespace detail

template <class K, class T>
[[nodiscard]] RowsAt rows_at(const Call<K, T>& call) {
  return rows_at(detail::untyped(call), sizeof(T), radius_of<K>());
}

/// The call on fields as a march sees them.
template <class K, class T>
[[nodiscard]] Call<K, T> from_rows(Call<K, T> call, const RowsAt& rows) {
  for (auto& in : call.in)
    in = rows.of(in);
  call.out = rows.of(call.out);
  return call;
}

} // namespace ridge::stencil
