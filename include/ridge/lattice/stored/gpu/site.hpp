// A site of a stored field as a GPU lane sees it.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/lattice/stored/code.hpp>
#include <ridge/lattice/stored/variant.hpp>

#if defined(RIDGE_TARGET_CUDA)
#include <ridge/device/gpu/lane.hpp>
#endif

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// A read past the L1 cache, of what no other thread of the multiprocessor needs.
template <int N, class Lane, class T>
RIDGE_DEVICE Pack<std::remove_const_t<T>, N> load_once(const Lane& lane, const Span<T>& from,
                                                       Index i) {
#if defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH__)
  using P = Pack<std::remove_const_t<T>, N>;
  const auto* const at = from.data + i;
  if constexpr (sizeof(P) == 16) {
    uint4 r;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
        : "l"(at));
    return ridge::gpu::bit_cast<P>(r);
  } else if constexpr (sizeof(P) == 8) {
    uint2 r;
    asm("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1}, [%2];" : "=r"(r.x), "=r"(r.y) : "l"(at));
    return ridge::gpu::bit_cast<P>(r);
  } else {
    return lane.template load_pack<N>(from, i);
  }
#else
  return lane.template load_pack<N>(from, i);
#endif
}

/// Where a neighbour lies.
struct Neighbour {
  unsigned site;
  int s;        ///< value of the fifth dimension
  bool crosses; ///< around the lattice
};

template <class Lane, int Inner, bool Once, bool Stream>
class StoredSite {
public:
  template <class T>
  using Value = T;

  RIDGE_DEVICE StoredSite(const Lane& lane, const SiteGrid& grid, const int (&c)[grid_dimensions],
                          int s)
      : lane_(lane), grid_(grid), s_(s) {
    RIDGE_UNROLL
    for (int d = 0; d < grid_dimensions; ++d)
      c_[d] = c[d];
    site_ = static_cast<unsigned>(grid.index(c));
    // x = 2 h + odd: of the neighbours of the other parity one has the same h.
    const int odd = grid.odd(c);
    ahead_ = grid.half != 0 ? odd : 1;
    behind_ = grid.half != 0 ? 1 - odd : 1;
  }

  [[nodiscard]] RIDGE_DEVICE Neighbour here() const { return {site_, s_, false}; }
  /// The value before (-1) or after (1) of the fifth dimension.
  [[nodiscard]] RIDGE_DEVICE Neighbour inner_next(int by) const {
    const int to = s_ + by;
    const bool crosses = to < 0 || to >= Inner;
    return {site_, crosses ? to - by * Inner : to, crosses};
  }

  /// The neighbour ahead (By 1) or behind (By -1) along dimension Mu.
  template <int Mu, int By>
  [[nodiscard]] RIDGE_DEVICE Neighbour next() const {
    const int n = grid_.extent[Mu];
    const int step = Mu == 0 ? (By > 0 ? ahead_ : behind_) : 1;
    const int to = c_[Mu] + By * step;
    const bool crosses = By > 0 ? to == n : to < 0;
    unsigned stride = 1;
    RIDGE_UNROLL
    for (int d = 0; d < Mu; ++d)
      stride *= static_cast<unsigned>(grid_.extent[d]);
    const int moved = By * (crosses ? step - n : step);
    return {site_ + static_cast<unsigned>(moved) * stride, s_, crosses};
  }
  /// `factor` where the way to `at` goes around the lattice, else 1.
  template <class V>
  [[nodiscard]] RIDGE_DEVICE V edge(const Neighbour& at, const V& factor) const {
    return at.crosses ? factor : V(1);
  }

  template <class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_DEVICE auto read(const StoredView<Site, Number, Reals>& view,
                                       const Neighbour& at) const {
    return read_at<false>(view, at);
  }
  /// A read of what is needed but once.
  template <class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_DEVICE auto read_once(const StoredView<Site, Number, Reals>& view,
                                            const Neighbour& at) const {
    return read_at<Once>(view, at);
  }

  /// A number in memory, the same for all sites.
  [[nodiscard]] RIDGE_DEVICE double number(const Span<const double>& at) const {
    return lane_.load(at, 0);
  }
  /// Value `s` of the fifth dimension at this site.
  template <class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_DEVICE auto read_inner(const StoredView<Site, Number, Reals>& view,
                                             int s) const {
    return read_at<false>(view, {site_, s, false});
  }
  /// A number of a table, one a value of the fifth dimension.
  template <class T>
  [[nodiscard]] RIDGE_DEVICE std::remove_const_t<T> inner_number(const Span<T>& table,
                                                                 Index from) const {
    return lane_.load(table, from + s_);
  }

  template <class Site, class Number, int Reals>
  RIDGE_DEVICE void write(const StoredView<Site, Number, Reals>& view, const Site& tensor) const {
    using Code = typename StoredView<Site, Number, Reals>::Code;
    using Element = typename Code::Element;
    static_assert(Code::reals == reals_of<Site>);
    Element words[Code::words];
    if constexpr (Code::fixed) {
      float most = 1e-30F;
      RIDGE_UNROLL
      for (int k = 0; k < components_of<Site>; ++k) {
        const auto& z = component(tensor, k);
        most = larger(most, z.re < 0 ? -z.re : z.re);
        most = larger(most, z.im < 0 ? -z.im : z.im);
      }
      const float inverse = 32767.0F / most;
      RIDGE_UNROLL
      for (int k = 0; k < components_of<Site>; ++k)
        words[k] =
            encode_word(component(tensor, k).re * inverse, component(tensor, k).im * inverse);
      words[Code::elements] = bits_of_float(most * (1.0F / 32767.0F));
    } else {
      RIDGE_UNROLL
      for (int k = 0; k < components_of<Site>; ++k) {
        words[2 * k] = component(tensor, k).re;
        words[2 * k + 1] = component(tensor, k).im;
      }
    }
    each_chunk<Code>(here(), [&](auto count, Index at, int first) {
      constexpr int n = decltype(count)::value;
      Pack<Element, n> pack;
      RIDGE_UNROLL
      for (int i = 0; i < n; ++i)
        pack.set(i, words[first + i]);
      if constexpr (Stream) {
        lane_.store_nontemporal(view.elements, at, pack);
      } else {
        lane_.store(view.elements, at, pack);
      }
    });
  }

private:
  static RIDGE_DEVICE float larger(float a, float b) {
#if defined(__CUDA_ARCH__)
    return ::fmaxf(a, b);
#else
    return a < b ? b : a;
#endif
  }

  /// Calls f(how many, index of the first, number of the first) for the chunks of a value.
  template <class Code, class F>
  RIDGE_DEVICE void each_chunk(const Neighbour& at, const F& f) const {
    constexpr bool inner = Code::inner && Inner > 1;
    constexpr int lanes = inner ? Inner : gpu_lanes;
    const unsigned group = inner ? at.site : at.site / gpu_lanes;
    const int lane = inner ? at.s : static_cast<int>(at.site % gpu_lanes);
    constexpr int chunk = 16 / static_cast<int>(sizeof(typename Code::Element));
    constexpr int whole = Code::elements / chunk;
    constexpr int tail = Code::elements - whole * chunk;
    const Index base = Index{group} * (lanes * Code::words);
    RIDGE_UNROLL
    for (int k = 0; k < whole; ++k)
      f(std::integral_constant<int, chunk>{}, base + k * chunk * lanes + lane * chunk, k * chunk);
    if constexpr (tail != 0) {
      f(std::integral_constant<int, tail>{}, base + whole * chunk * lanes + lane * tail,
        whole * chunk);
    }
    if constexpr (Code::scaled) {
      f(std::integral_constant<int, 1>{}, base + Code::elements * lanes + lane, Code::elements);
    }
  }

  template <bool Past, class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_DEVICE auto read_at(const StoredView<Site, Number, Reals>& view,
                                          const Neighbour& at) const {
    using View = StoredView<Site, Number, Reals>;
    using Code = typename View::Code;
    using Real = typename Code::Real;
    typename Code::Element words[Code::words];
    each_chunk<Code>(at, [&](auto count, Index from, int first) {
      constexpr int n = decltype(count)::value;
      Pack<typename Code::Element, n> pack;
      if constexpr (Past) {
        pack = load_once<n>(lane_, view.elements, from);
      } else {
        pack = lane_.template load_pack<n>(view.elements, from);
      }
      RIDGE_UNROLL
      for (int i = 0; i < n; ++i)
        words[first + i] = pack[i];
    });
    Scaled<typename View::Tensor, Real> r;
    r.scale = Real(1);
    RIDGE_UNROLL
    for (int k = 0; k < Code::reals / 2; ++k) {
      if constexpr (Code::fixed) {
        decode_word(words[k], component(r.value, k).re, component(r.value, k).im);
      } else {
        component(r.value, k) = {words[2 * k], words[2 * k + 1]};
      }
    }
    if constexpr (Code::scaled) {
      r.scale = float_of_bits(words[Code::elements]);
    } else if constexpr (Code::fixed) {
      r.scale = 1.0F / 32767.0F;
    }
    if constexpr (Code::two_rows) complete_rows(r.value, r.scale);
    return r;
  }

  const Lane& lane_;
  const SiteGrid& grid_;
  int c_[grid_dimensions];
  unsigned site_;
  int s_, ahead_, behind_;
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
