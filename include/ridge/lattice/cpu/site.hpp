// Sites as the cpu sees them: as many of a group as fill 64 bytes with numbers, as packs.
#pragma once

#include <ridge/lattice/field.hpp>

#include <cstring>

namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME {

/// Bytes of a component of a pack of sites.
inline constexpr int site_bytes = 64;

/// Sites of a pack where the loop goes by fields of S.
template <class S>
inline constexpr int width_of = site_bytes / static_cast<int>(sizeof(NumberOf<S>));

/// `Width` lanes of a group, from one on.
template <int Width>
class Sites {
public:
  template <class T>
  using Value = Pack<T, Width, abi::Native>;
  template <class S>
  using Number = NumberOf<Over<std::remove_const_t<S>, Value<RealOf<std::remove_const_t<S>>>>>;

  /// `wanted`: which of the lanes are stored; null for all.
  Sites(const Geometry& geometry, Index group, int first, const bool* wanted = nullptr)
      : geometry_(geometry), group_(group), first_(first), wanted_(wanted) {}

  /// Component `c` of a field at these sites.
  template <class S>
  RIDGE_FN Number<S> load(const SiteView<S>& view, int c) const {
    if (scattered_ || view.geometry.nsimd != geometry_.nsimd) [[unlikely]]
      return gather(view, c);
    using T = RealOf<std::remove_const_t<S>>;
    const T* const from = view.reals.data + view.at({group_, first_}, c);
    if constexpr (is_complex<std::remove_const_t<S>>) {
      typedef T Half __attribute__((vector_size(sizeof(T) * Width)));
      Half low, high;
      std::memcpy(&low, from, sizeof low);
      std::memcpy(&high, from + Width, sizeof high);
      return {Value<T>(every_other<0>(low, high, std::make_index_sequence<Width>{})),
              Value<T>(every_other<1>(low, high, std::make_index_sequence<Width>{}))};
    } else {
      return Value<T>::load(from);
    }
  }
  /// Only where the field lies as the loop goes. `Stream`: past the caches.
  template <bool Stream = false, class S>
  RIDGE_FN void store(const SiteView<S>& view, int c, const Number<S>& number) const {
    static_assert(sizeof(NumberOf<S>) * Width == site_bytes,
                  "a field that is written has numbers of the size of those that the loop goes by");
    if (wanted_ != nullptr) [[unlikely]]
      return store_some(view, c, number);
    using T = RealOf<S>;
    T* const to = view.reals.data + view.at({group_, first_}, c);
    if constexpr (is_complex<S>) {
      typedef T Half __attribute__((vector_size(sizeof(T) * Width)));
      const Half low =
          woven<0>(number.re.lanes, number.im.lanes, std::make_index_sequence<Width / 2>{});
      const Half high =
          woven<Width / 2>(number.re.lanes, number.im.lanes, std::make_index_sequence<Width / 2>{});
      if constexpr (Stream) {
        Pack<T, 2 * Width, abi::Native> whole;
        std::memcpy(&whole.lanes, &low, sizeof low);
        std::memcpy(reinterpret_cast<char*>(&whole.lanes) + sizeof low, &high, sizeof high);
        whole.stream(to);
      } else {
        std::memcpy(to, &low, sizeof low);
        std::memcpy(to + Width, &high, sizeof high);
      }
    } else if constexpr (Stream) {
      number.stream(to);
    } else {
      number.store(to);
    }
  }
  /// The sites `by` further along dimension d, around the lattice.
  [[nodiscard]] [[gnu::noinline]] Sites shifted(int d, int by) const {
    Sites moved = *this;
    const int n = geometry_.extent(d);
    const int step = (by % n + n) % n;
    if (!scattered_) {
      // Within the boxes: another group, the same lanes.
      const Index stride = geometry_.group_stride[d];
      const int local = geometry_.local[d];
      const int at = static_cast<int>(group_ / stride % local);
      const int back = step - n; // a step the other way round
      if (at + step < local) {
        moved.group_ += step * stride;
        return moved;
      }
      if (at + back >= 0) {
        moved.group_ += back * stride;
        return moved;
      }
    }
    for (int i = 0; i < Width; ++i) {
      Coordinates x = coordinates(i);
      x[d] = (x[d] + step) % n;
      moved.places_[i] = geometry_.place(x);
    }
    moved.scattered_ = true;
    return moved;
  }
  [[nodiscard]] bool is_even(int i) const {
    const Coordinates x = coordinates(i);
    int sum = 0;
    for (int d = 0; d < max_rank; ++d)
      sum += x[d];
    return sum % 2 == 0;
  }

private:
  [[nodiscard]] Coordinates coordinates(int i) const {
    return geometry_.coordinates(scattered_ ? places_[i] : Place{group_, first_ + i});
  }

  template <int From, class Half, std::size_t... I>
  static RIDGE_FN Half every_other(const Half& low, const Half& high, std::index_sequence<I...>) {
    return __builtin_shufflevector(low, high, (2 * static_cast<int>(I) + From)...);
  }
  template <int From, class Half, std::size_t... I>
  static RIDGE_FN Half woven(const Half& re, const Half& im, std::index_sequence<I...>) {
    Half result{};
    ((result[2 * I] = re[From + static_cast<int>(I)],
      result[2 * I + 1] = im[From + static_cast<int>(I)]),
     ...);
    return result;
  }

  template <class S>
  [[gnu::noinline]] void store_some(const SiteView<S>& view, int c, const Number<S>& number) const {
    for (int i = 0; i < Width; ++i) {
      if (!wanted_[i]) continue;
      RealOf<S>* const to = view.reals.data + view.at({group_, first_ + i}, c);
      if constexpr (is_complex<S>) {
        to[0] = number.re[i];
        to[1] = number.im[i];
      } else {
        to[0] = number[i];
      }
    }
  }

  template <class S>
  [[gnu::noinline]] Number<S> gather(const SiteView<S>& view, int c) const {
    Number<S> number;
    for (int i = 0; i < Width; ++i) {
      const Place here = scattered_ ? places_[i] : Place{group_, first_ + i};
      const Place there = view.geometry.nsimd == geometry_.nsimd
                              ? here
                              : view.geometry.place(geometry_.coordinates(here));
      const auto* const from = view.reals.data + view.at(there, c);
      if constexpr (is_complex<std::remove_const_t<S>>) {
        number.re.set(i, from[0]);
        number.im.set(i, from[1]);
      } else {
        number.set(i, from[0]);
      }
    }
    return number;
  }

  const Geometry& geometry_;
  Index group_;
  int first_;
  const bool* wanted_;
  bool scattered_ = false;
  Place places_[Width];
};

} // namespace ridge::lattice::cpu_site::inline RIDGE_TARGET_NAME
