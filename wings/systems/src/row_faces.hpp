// What lies beyond the ends of x and y, set row by row as a cpu's wave computes rows.
#pragma once

#include <ridge/chain/system/beyond.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ridge::chain {

template <class T>
class RowFaces {
public:
  explicit RowFaces(const std::vector<BeyondArray<T>>& arrays) {
    for (const BeyondArray<T>& array : arrays) {
      One one{array, {}};
      for (Index x = array.shell.begin[0]; x < array.shell.end[0]; ++x) {
        Shown shown;
        if (x >= array.shell.low[0] && x < array.shell.high[0]) continue;
        if (array.shows(0, x, shown)) one.ends.emplace_back(x, shown);
      }
      arrays_.push_back(std::move(one));
    }
  }

  /// Of `n` planes, those at either end of z that lie at or beyond a wall.
  [[nodiscard]] Index inside(Index n) const {
    Index most = 0;
    for (const One& one : arrays_) {
      const ShellOf& s = one.array.shell;
      most = std::max({most, s.low[2], n - s.high[2]});
    }
    return most;
  }

  /// Rows [begin, end) of plane z have been computed, of `n` rows in all.
  void set(Index z, Index begin, Index end, Index n) const {
    for (const One& one : arrays_) {
      const ShellOf& s = one.array.shell;
      if (z < s.low[2] || z >= s.high[2]) continue;
      for (Index y = std::max(begin, s.low[1]); y < std::min(end, s.high[1]); ++y)
        set_ends(one, y, z);
      for (Index y = s.begin[1]; begin == 0 && y < s.low[1]; ++y)
        set_row(one, y, z);
      for (Index y = s.high[1]; end >= n && y < s.end[1]; ++y)
        set_row(one, y, z);
    }
  }

private:
  using Shown = typename BeyondArray<T>::Shown;
  struct One {
    BeyondArray<T> array;
    std::vector<std::pair<Index, Shown>> ends;
  };

  /// As the launches for all faces do it: values of z, of y, and of x.
  static NumberOf<T> value_of(T element, const Shown& sz, const Shown& sy) {
    const auto from = number_of(element);
    return BeyondArray<T>::value_of(BeyondArray<T>::value_of(from, sz), sy);
  }
  static void set_ends(const One& one, Index y, Index z) {
    const BeyondArray<T>& a = one.array;
    T* const row = a.data + a.at(0, y, z);
    const Shown own;
    for (const auto& [x, shown] : one.ends)
      row[x] = element_of<T>(BeyondArray<T>::value_of(value_of(row[shown.at], own, own), shown));
  }
  static void set_row(const One& one, Index y, Index z) {
    const BeyondArray<T>& a = one.array;
    Shown sy;
    const Shown sz;
    if (!a.shows(1, y, sy)) return;
    const T* const from = a.data + a.at(0, sy.at, z);
    T* const to = a.data + a.at(0, y, z);
    if (from != to) {
      for (Index x = a.shell.low[0]; x < a.shell.high[0]; ++x)
        to[x] = element_of<T>(value_of(from[x], sz, sy));
    }
    for (const auto& [x, shown] : one.ends)
      to[x] = element_of<T>(BeyondArray<T>::value_of(value_of(from[shown.at], sz, sy), shown));
  }

  std::vector<One> arrays_;
};

/// Sets rows of a wave behind those that it has computed, by the first operation of a launch.
template <class T>
[[nodiscard]] std::shared_ptr<const RowsDone> rows_done(const std::map<int, RowFaces<T>>& rows,
                                                        const SystemSetup& setup) {
  RowsDone made;
  made.call = [&rows, n = setup.extents.y](int first, Index z, Index begin, Index end) {
    rows.at(first).set(z, begin, end, n);
  };
  for (const auto& walls : setup.walls)
    made.whole_planes = made.whole_planes || walls[1][0].kind == Wall::periodic;
  for (const auto& [first, faces] : rows)
    made.inside = std::max(made.inside, faces.inside(setup.extents.z));
  return std::make_shared<const RowsDone>(std::move(made));
}

} // namespace ridge::chain
