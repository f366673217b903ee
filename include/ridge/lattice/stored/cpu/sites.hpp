// Stored sites as the cpu sees them: as many lanes of a group as fill a register, as packs.
#pragma once

#include <ridge/lattice/stored/code.hpp>

#include <cstring>

namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME {

/// Most lanes of a group of boxes or neighbours: 64 bytes of float.
inline constexpr int most_stored_lanes = 16;

/// For each way to a neighbour that leaves a box: the lane that each lane's neighbour is, and
/// whether the way there goes around the lattice.
struct BoxShifts {
  signed char lane[grid_dimensions][2][most_stored_lanes] = {};
  bool crosses[grid_dimensions][2][most_stored_lanes] = {};

  explicit BoxShifts(const SiteGrid& g) {
    if (!g.has_boxes()) return;
    for (int l = 0; l < g.lanes; ++l) {
      int stride = 1;
      for (int d = 0; d < grid_dimensions; ++d) {
        const int box = l / stride % g.boxes[d];
        for (int back = 0; back < 2; ++back) {
          const int to = (box + (back != 0 ? g.boxes[d] - 1 : 1)) % g.boxes[d];
          lane[d][back][l] = static_cast<signed char>(l + (to - box) * stride);
          crosses[d][back][l] = back != 0 ? box == 0 : box == g.boxes[d] - 1;
        }
        stride *= g.boxes[d];
      }
    }
  }
};

/// P of them. `Inner`: values of the fifth dimension of one site; else sites, of groups of 64 bytes
/// a number.
template <class T, int P, bool Inner>
class StoredSites {
public:
  template <class U>
  using Value = Pack<U, P, abi::Native>;
  using V = Value<T>;

  /// Where the values of the neighbours lie: lanes of one group from `first` on, or each elsewhere.
  struct Neighbour {
    Index group = 0;
    int first = 0;
    bool straight = true;
    bool around = false;    ///< some go around the lattice
    bool one_group = false; ///< all lie in `group`, in other lanes
    bool fresh = false;     ///< ahead along z or t: few groups before have read it
    Index groups[P];        ///< unless straight
    signed char lanes[P];
    bool crosses[P];
  };

  /// The lanes [first, first + P) of group `group`, whose coordinates are c: of a site with inner
  /// values, or within each box. Neighbouring sites are found from the group.
  /// `part`: the window of a launch that does not have all sites; then nothing else is written.
  StoredSites(const SiteGrid& grid, const SiteWindow* part, const BoxShifts& shifts, Index group,
              const int (&c)[grid_dimensions], int first, bool stream, int ahead)
      : grid_(grid), part_(part), shifts_(shifts), group_(group), first_(first), ahead_(ahead),
        stream_(stream) {
    for (int d = 0; d < grid_dimensions; ++d)
      c_[d] = c[d];
    odd_ = grid.odd(c);
  }

  [[nodiscard]] RIDGE_FN Neighbour here() const {
    Neighbour n;
    n.group = group_;
    n.first = first_;
    return n;
  }
  /// The values before (-1) or after (1) of the fifth dimension.
  [[nodiscard]] [[gnu::noinline]] Neighbour inner_next(int by) const {
    Neighbour n;
    n.straight = false;
    for (int i = 0; i < P; ++i) {
      const int to = first_ + i + by;
      n.crosses[i] = to < 0 || to >= grid_.inner;
      n.around = n.around || n.crosses[i];
      n.groups[i] = group_;
      n.lanes[i] = static_cast<signed char>((to + grid_.inner) % grid_.inner);
    }
    return n;
  }

  template <int Mu, int By>
  [[nodiscard]] RIDGE_FN Neighbour next() const {
    Neighbour n;
    n.first = first_;
    n.fresh = Mu >= grid_dimensions - 2 && By > 0;
    if (!Inner && !grid_.has_boxes()) [[unlikely]] {
      neighbours(n, Mu, By);
      return n;
    }
    // One of the two neighbours along x of a half lattice has the same h.
    const int step = Mu != 0 || grid_.half == 0 ? By : By > 0 ? odd_ : odd_ - 1;
    const int local = grid_.local(Mu);
    Index stride = 1;
    RIDGE_UNROLL
    for (int d = 0; d < Mu; ++d)
      stride *= grid_.local(d);
    const int to = c_[Mu] + step;
    if (to >= 0 && to < local) {
      n.group = group_ + step * stride;
      return n;
    }
    n.group = group_ + (step > 0 ? step - local : step + local) * stride;
    leave_box(n, Mu, By);
    return n;
  }

  /// `factor` in the lanes whose way to `at` goes around the lattice, else 1.
  [[nodiscard]] RIDGE_FN V edge(const Neighbour& at, const V& factor) const {
    if (!at.around) return V(T(1));
    V e = factor;
    for (int i = 0; i < P; ++i)
      if (!at.crosses[i]) e.set(i, T(1));
    return e;
  }

  template <class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_FN auto read(const StoredView<Site, Number, Reals>& view,
                                   const Neighbour& at) const {
    using View = StoredView<Site, Number, Reals>;
    using Code = typename View::Code;
    using Element = typename Code::Element;
    typedef Element Register __attribute__((vector_size(sizeof(Element) * P)));
    if (at.fresh && ahead_ != 0) fetch(view, at.group);
    Scaled<typename View::Tensor, V> r;
    r.scale = V(T(1));
    if constexpr (Inner && !Code::inner) { // one link for all values of the fifth dimension
      const Element* const from = view.elements.data + at.group * Code::words;
      decode<Code>(r, [&](int e) { return from[e] - Register{}; });
    } else {
      const int lanes = Inner ? view.lanes : own_lanes;
      const Element* from = view.elements.data + at.group * lanes * Code::words + at.first;
      // Gathered to where they can be read as the others: two ways to read would meet in memory.
      alignas(64) Element gathered[Code::words * (Inner ? P : own_lanes)];
      int stride = lanes;
      if (!at.straight) [[unlikely]] {
        stride = Inner ? P : own_lanes;
        if (!Inner && at.one_group && own_lanes <= 2 * P) {
          permute<Code>(gathered, view.elements.data + at.group * own_lanes * Code::words, at);
        } else {
          gather<Code>(gathered, stride, view.elements.data, lanes, at);
        }
        from = gathered;
      }
      decode<Code>(r, [&](int e) {
        Register w;
        std::memcpy(&w, from + e * (Inner ? stride : own_lanes), sizeof w);
        return w;
      });
    }
    return r;
  }
  template <class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_FN auto read_once(const StoredView<Site, Number, Reals>& view,
                                        const Neighbour& at) const {
    if (ahead_ != 0 && !at.fresh) fetch(view, at.group);
    return read(view, at);
  }

  [[nodiscard]] double number(const Span<const double>& at) const { return at.data[0]; }

  /// Value `s` of the fifth dimension, the same in all lanes. Numbers are stored as they are.
  template <class Site, class Number, int Reals>
  [[nodiscard]] RIDGE_FN auto read_inner(const StoredView<Site, Number, Reals>& view, int s) const {
    using View = StoredView<Site, Number, Reals>;
    using Code = typename View::Code;
    static_assert(!Code::fixed && !Code::two_rows);
    if constexpr (!Inner) {
      return read(view, here());
    } else {
      Scaled<typename View::Tensor, V> r;
      r.scale = V(T(1));
      const auto* const from = view.elements.data + group_ * view.lanes * Code::words + s;
      RIDGE_UNROLL
      for (int k = 0; k < Code::reals / 2; ++k)
        component(r.value, k) = {V(from[2 * k * view.lanes]), V(from[(2 * k + 1) * view.lanes])};
      return r;
    }
  }
  /// Numbers of a table, one a value of the fifth dimension.
  template <class U>
  [[nodiscard]] RIDGE_FN V inner_number(const Span<U>& table, Index from) const {
    if constexpr (Inner) {
      return V::load(table.data + from + first_);
    } else {
      return V(table.data[from]);
    }
  }

  /// The sum over those lanes that are sites.
  [[nodiscard]] double total(const V& x) const {
    double sum = 0;
    for (int i = 0; i < P; ++i) {
      const bool there = grid_.inner > 1 ? first_ + i < grid_.inner : inside(i);
      if (there) sum += static_cast<double>(x[i]);
    }
    return sum;
  }
  /// Whether a lane is a site of the launch.
  [[nodiscard]] bool any_inside() const {
    for (int i = 0; i < P; ++i)
      if (inside(i)) return true;
    return false;
  }

  template <class Site, class Number, int Reals>
  RIDGE_FN void write(const StoredView<Site, Number, Reals>& view,
                      const Over<Site, V>& tensor) const {
    using Code = typename StoredView<Site, Number, Reals>::Code;
    using Element = typename Code::Element;
    const int lanes = Inner ? view.lanes : own_lanes;
    Element* const to = view.elements.data + group_ * lanes * Code::words + first_;
    if constexpr (!Inner) {
      if (!grid_.has_boxes() && part_ != nullptr) [[unlikely]] {
        alignas(64) Element all[Code::words * own_lanes];
        put_all<Code>(all, lanes, tensor);
        store_fence();
        for (int i = 0; i < P; ++i) {
          for (int e = 0; e < Code::words && inside(i); ++e)
            to[e * lanes + i] = all[e * lanes + i];
        }
        return;
      }
      if (!grid_.has_boxes() && (group_ + 1) * grid_.lanes > grid_.sites()) [[unlikely]] {
        Over<Site, V> whole = tensor;
        clear_behind(whole);
        put_all<Code>(to, lanes, whole);
        return;
      }
    }
    put_all<Code>(to, lanes, tensor);
  }

private:
  /// Zeros in lanes behind the last site, so that sums over memory are sums over sites.
  template <class Tensor>
  [[gnu::noinline]] void clear_behind(Tensor& tensor) const {
    for (int i = 0; i < P; ++i) {
      if (group_ * grid_.lanes + first_ + i < grid_.sites()) continue;
      for (int k = 0; k < components_of<Tensor>; ++k) {
        component(tensor, k).re.set(i, T(0));
        component(tensor, k).im.set(i, T(0));
      }
    }
  }
  /// Lanes of neighbouring sites are sites of the launch, or none.
  [[nodiscard]] bool inside(int lane) const {
    if (grid_.has_boxes()) return true;
    Index site = group_ * grid_.lanes + first_ + lane;
    if (site >= grid_.sites()) return false;
    if (part_ == nullptr) return true;
    int c[grid_dimensions];
    for (int d = 0; d < grid_dimensions; ++d) {
      c[d] = static_cast<int>(site % grid_.extent[d]);
      site /= grid_.extent[d];
    }
    return part_->holds(c);
  }
  template <class Code, class Tensor>
  RIDGE_FN void put_all(typename Code::Element* to, int lanes, const Tensor& tensor) const {
    constexpr int components = components_of<Tensor>;
    if constexpr (Code::fixed) {
      V most(1e-30F);
      for (int k = 0; k < components; ++k) {
        const auto& z = component(tensor, k);
        for (const V& x : {z.re, z.im, -z.re, -z.im})
          most = select(x > most, x, most);
      }
      const V inverse = V(32767.0F) / most;
      for (int k = 0; k < components; ++k) {
        const auto& z = component(tensor, k);
        put(to + k * lanes,
            [&](int i) { return encode_word(z.re[i] * inverse[i], z.im[i] * inverse[i]); });
      }
      put(to + Code::elements * lanes,
          [&](int i) { return bits_of_float(most[i] * (1.0F / 32767.0F)); });
    } else {
      RIDGE_UNROLL
      for (int k = 0; k < components; ++k) {
        const auto& z = component(tensor, k);
        T* const re = to + 2 * k * lanes;
        if (stream_) {
          z.re.stream(re);
          z.im.stream(re + lanes);
        } else {
          z.re.store(re);
          z.im.store(re + lanes);
        }
      }
    }
  }

  static constexpr int own_lanes = 64 / static_cast<int>(sizeof(T));

  /// Fetches what a group some groups on will read where this one reads `group`: a pack reads from
  /// so many places in turn that the processor's own prefetching sees too few lines of each.
  template <class View>
  RIDGE_FN void fetch(const View& view, Index group) const {
    using Code = typename View::Code;
    using Element = typename Code::Element;
    if (first_ != 0) return; // of the group's other packs
    const Index lanes = Inner ? (Code::inner ? view.lanes : 1) : own_lanes;
    const Index words = lanes * Code::words;
    constexpr int line = 64 / static_cast<int>(sizeof(Element));
    const Element* const from = view.elements.data + (group + ahead_) * words;
    if constexpr (Inner && Code::inner) {
      for (Index e = 0; e < words; e += line)
        __builtin_prefetch(from + e);
    } else {
      RIDGE_UNROLL
      for (int e = 0; e < (Inner ? 1 : own_lanes) * Code::words; e += line)
        __builtin_prefetch(from + e);
    }
  }

  template <class Code, class Tensor, class Words>
  static RIDGE_FN void decode(Scaled<Tensor, V>& r, const Words& word) {
    RIDGE_UNROLL
    for (int k = 0; k < Code::reals / 2; ++k) {
      if constexpr (Code::fixed) {
        typedef std::int32_t Integers __attribute__((vector_size(4 * P)));
        const auto bits = word(k);
        Integers w;
        std::memcpy(&w, &bits, sizeof w);
        component(r.value,
                  k) = {V(__builtin_convertvector(Integers((w << 16) >> 16), typename V::Register)),
                        V(__builtin_convertvector(Integers(w >> 16), typename V::Register))};
      } else {
        component(r.value, k) = {V(word(2 * k)), V(word(2 * k + 1))};
      }
    }
    if constexpr (Code::scaled) {
      const auto w = word(Code::elements);
      std::memcpy(&r.scale.lanes, &w, sizeof w);
    } else if constexpr (Code::fixed) {
      r.scale = V(1.0F / 32767.0F);
    }
    if constexpr (Code::two_rows) complete_rows(r.value, r.scale);
  }

  template <class F>
  static void put(std::uint32_t* to, const F& f) {
    for (int i = 0; i < P; ++i)
      to[i] = f(i);
  }

  /// Lanes of one group in another order. Whole registers are stored, so that reading them does not
  /// wait for memory as it does for single numbers.
  template <class Code, class Element>
  [[gnu::noinline]] static void permute(Element* to, const Element* from, const Neighbour& at) {
    typedef Element Register __attribute__((vector_size(sizeof(Element) * P)));
    using Integer = typename ridge::detail::IntegerOf<sizeof(Element)>::type;
    typedef Integer Places __attribute__((vector_size(sizeof(Element) * P)));
    Places places;
    for (int i = 0; i < P; ++i)
      places[i] = at.lanes[i];
    for (int e = 0; e < Code::words; ++e) {
      Register low;
      std::memcpy(&low, from + e * own_lanes, sizeof low);
      if constexpr (own_lanes == P) {
        low = chosen(low, low, places);
      } else {
        Register high;
        std::memcpy(&high, from + e * own_lanes + P, sizeof high);
        low = chosen(low, high, places);
      }
      std::memcpy(to + e * own_lanes, &low, sizeof low);
    }
  }

  /// Element places[i] of both, one behind the other.
  template <class Register, class Places>
  static RIDGE_FN Register chosen(const Register& low, const Register& high, const Places& places) {
#if defined(__clang__) // which has no such instruction for places known at run time
    Register r;
    for (int i = 0; i < P; ++i)
      r[i] = places[i] < P ? low[places[i]] : high[places[i] - P];
    return r;
#else
    return __builtin_shuffle(low, high, places);
#endif
  }

  /// A call: few packs lie at the edge of a box.
  template <class Code, class Element>
  [[gnu::noinline]] static void gather(Element* to, int stride, const Element* from, int lanes,
                                       const Neighbour& at) {
    for (int i = 0; i < P; ++i) {
      const Element* const one = from + at.groups[i] * lanes * Code::words + at.lanes[i];
      for (int e = 0; e < Code::words; ++e)
        to[e * stride + i] = one[e * lanes];
    }
  }

  /// The way to `n.group` leaves the box.
  [[gnu::noinline]] void leave_box(Neighbour& n, int mu, int by) const {
    const int back = by < 0 ? 1 : 0;
    n.straight = grid_.boxes[mu] == 1;
    n.around = n.straight;
    n.one_group = true;
    for (int i = 0; i < P; ++i) {
      n.groups[i] = n.group;
      n.crosses[i] = n.straight || shifts_.crosses[mu][back][first_ + i];
      n.around = n.around || n.crosses[i];
      n.lanes[i] =
          n.straight ? static_cast<signed char>(first_ + i) : shifts_.lane[mu][back][first_ + i];
    }
  }

  /// Neighbours of consecutive sites, one by one; behind the last site the last again.
  [[gnu::noinline]] void neighbours(Neighbour& n, int mu, int by) const {
    n.straight = false;
    for (int i = 0; i < P; ++i) {
      Index site = group_ * grid_.lanes + first_ + i;
      site = site < grid_.sites() ? site : grid_.sites() - 1;
      int c[grid_dimensions];
      for (int d = 0; d < grid_dimensions; ++d) {
        c[d] = static_cast<int>(site % grid_.extent[d]);
        site /= grid_.extent[d];
      }
      const int odd = grid_.odd(c);
      const int length = grid_.extent[mu];
      const int step = mu != 0 || grid_.half == 0 ? by : by > 0 ? odd : odd - 1;
      const int to = c[mu] + step;
      n.crosses[i] = to < 0 || to >= length;
      n.around = n.around || n.crosses[i];
      c[mu] = (to + length) % length;
      const Index there = grid_.index(c);
      n.groups[i] = there / grid_.lanes;
      n.lanes[i] = static_cast<signed char>(there % grid_.lanes);
    }
  }

  const SiteGrid& grid_;
  const SiteWindow* part_;
  const BoxShifts& shifts_;
  Index group_;
  int c_[grid_dimensions];
  int first_, odd_, ahead_;
  bool stream_;
};

} // namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME
