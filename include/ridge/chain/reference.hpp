// The reference of chains: one operation after the other over the whole range, in double.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/description.hpp>

#include <limits>
#include <vector>

namespace ridge::chain {

inline namespace RIDGE_TARGET_NAME {

/// Whole arrays of doubles.
template <class C>
struct ReferenceMemory {
  Index3 n;
  std::array<std::vector<double>, arrays_of<C>>& arrays;
  std::array<Index3, arrays_of<C>> sizes;

  [[nodiscard]] const Index3& extents() const { return n; }
  template <int I>
  [[nodiscard]] std::size_t at(Index x, Index y, Index z) const {
    return static_cast<std::size_t>(x + sizes[I].x * (y + sizes[I].y * z));
  }
  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] V load(Index x, Index y, Index z, Offset o) const {
    Window<double> whole;
    whole.points = sizes[I];
    const Index3 p = resolve<C, double, Profile, true>(whole, x, y, z, o);
    return V(arrays[I].at(at<I>(p.x, p.y, p.z)));
  }
  template <int I, class V>
  void store(Index x, Index y, Index z, const V& value) const {
    arrays[I].at(at<I>(x, y, z)) = value[0];
  }
};

template <int K, class C>
void run_reference(const C& chain, const ReferenceMemory<C>& memory) {
  constexpr Domain d = domain_of<Operation<C, K>>();
  for (Index z = d.begin.z; z < memory.n.z + d.end.z; ++z) {
    for (Index y = d.begin.y; y < memory.n.y + d.end.y; ++y) {
      for (Index x = d.begin.x; x < memory.n.x + d.end.x; ++x)
        run_item<Pack<double, 1, abi::Array>, K, K, true>(chain, memory, x, y, z);
    }
  }
}

/// Runs the chain over packed `arrays`, one an array of the chain: those of inputs and updates are
/// given, all others are made and filled with NaN where they are empty.
template <class C>
void apply_reference(const C& chain, Index3 n,
                     std::array<std::vector<double>, arrays_of<C>>& arrays) {
  ReferenceMemory<C> memory{n, arrays, {}};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = C::arrays[i];
    memory.sizes[i] = {a.profile ? 1 : n.x + a.extra.x, n.y + a.extra.y, n.z + a.extra.z};
    const Index3 s = memory.sizes[i];
    if (arrays[i].empty())
      arrays[i].assign(static_cast<std::size_t>(s.x * s.y * s.z),
                       std::numeric_limits<double>::quiet_NaN());
  }
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (run_reference<K>(chain, memory), ...);
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
}

} // namespace RIDGE_TARGET_NAME

} // namespace ridge::chain
