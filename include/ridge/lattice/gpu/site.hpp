// A site as a GPU lane sees it.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/lattice/site_view.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Reads and writes the numbers of one site; the lanes of a group are neighbouring threads.
/// Fields of numbers of `Bytes` are known to lie as the loop goes; 0: that is looked up for each,
/// so that a branch is between any two loads.
template <class Lane, int Bytes = 0>
class Site {
public:
  /// What a real number of a field is here.
  template <class T>
  using Value = T;

  RIDGE_DEVICE Site(const Lane& lane, const Geometry& geometry, const Place& place)
      : lane_(lane), geometry_(geometry), place_(place), x_(geometry.coordinates(place)) {}

  /// Component `c` of a field at this site.
  template <class S>
  RIDGE_DEVICE NumberOf<std::remove_const_t<S>> load(const SiteView<S>& view, int c) const {
    using T = RealOf<std::remove_const_t<S>>;
    Place place = place_;
    if constexpr (Bytes != sizeof(NumberOf<std::remove_const_t<S>>)) place = in(view.geometry);
    const Index at = view.at(place, c);
    if constexpr (is_complex<std::remove_const_t<S>>) {
      const Pack<T, 2> number = lane_.template load_pack<2>(view.reals, at);
      return {number[0], number[1]};
    } else {
      return lane_.load(view.reals, at);
    }
  }
  /// Only where the field lies as the loop goes.
  template <class S>
  RIDGE_DEVICE void store(const SiteView<S>& view, int c, const NumberOf<S>& number) const {
    const Index at = view.at(place_, c);
    if constexpr (is_complex<S>) {
      Pack<RealOf<S>, 2> pair;
      pair.set(0, number.re);
      pair.set(1, number.im);
      lane_.store(view.reals, at, pair);
    } else {
      lane_.store(view.reals, at, number);
    }
  }

  /// The site `by` further along dimension d, around the lattice.
  [[nodiscard]] RIDGE_DEVICE Site shifted(int d, int by) const {
    Site moved = *this;
    int at = 0;
    RIDGE_UNROLL
    for (int k = 0; k < max_rank; ++k)
      at = k == d ? x_[k] : at;
    moved.place_ = geometry_.shifted(place_, at, d, by);
    const int n = geometry_.extent(d);
    int to = (at + by) % n;
    to += to < 0 ? n : 0;
    RIDGE_UNROLL
    for (int k = 0; k < max_rank; ++k)
      moved.x_[k] = k == d ? to : x_[k];
    return moved;
  }
  [[nodiscard]] RIDGE_DEVICE bool is_even() const {
    int sum = 0;
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d)
      sum += x_[d];
    return sum % 2 == 0;
  }
  [[nodiscard]] RIDGE_DEVICE const Coordinates& coordinates() const { return x_; }

private:
  /// This site in a field whose numbers are of another size.
  [[nodiscard]] RIDGE_DEVICE Place in(const Geometry& other) const {
    return other.nsimd == geometry_.nsimd ? place_ : other.place(x_);
  }

  const Lane& lane_;
  const Geometry& geometry_;
  Place place_;
  Coordinates x_; // computed where something asks for them
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
