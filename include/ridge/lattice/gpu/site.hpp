// A site as a GPU lane sees it.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/lattice/site_view.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Reads and writes the numbers of one site; the lanes of a group are neighbouring threads.
/// Fields of numbers of `Bytes` are known to lie as the loop goes, those of other numbers otherwise;
/// 0: that is looked up for each, so that a branch is between any two loads.
template <class Lane, int Bytes = 0>
class Site {
public:
  /// The type of a real number of a field here.
  template <class T>
  using Value = T;

  RIDGE_DEVICE Site(const Lane& lane, const Geometry& geometry, const Place& place)
      : lane_(lane), geometry_(geometry), place_(place), at_(geometry.position(place)) {}

  /// Component `c` of a field at this site.
  template <class S>
  RIDGE_DEVICE NumberOf<std::remove_const_t<S>> load(const SiteView<S>& view, int c) const {
    using T = RealOf<std::remove_const_t<S>>;
    const Index at = view.at(in(view), c);
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
    static_assert(Bytes == 0 || Bytes == sizeof(NumberOf<S>),
                  "a field that is written has numbers of the size of those that the loop goes by");
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
    int within = 0;
    RIDGE_UNROLL
    for (int k = 0; k < max_rank; ++k) {
      at = k == d ? at_.x[k] : at;
      within = k == d ? at_.within[k] : within;
    }
    const int n = geometry_.extent(d);
    const int local = geometry_.local[d];
    int to = at + by;
    if (by == 1 || by == -1) { // mostly known when it is compiled
      moved.place_ = geometry_.next(place_, at, within, d, by < 0);
      to = to == n ? 0 : to < 0 ? n - 1 : to;
      within += by;
      within = within == local ? 0 : within < 0 ? local - 1 : within;
    } else {
      moved.place_ = geometry_.shifted(place_, at, d, by);
      to %= n;
      to += to < 0 ? n : 0;
      within = to % local;
    }
    RIDGE_UNROLL
    for (int k = 0; k < max_rank; ++k) {
      moved.at_.x[k] = k == d ? to : at_.x[k];
      moved.at_.within[k] = k == d ? within : at_.within[k];
    }
    return moved;
  }
  [[nodiscard]] RIDGE_DEVICE bool is_even() const {
    int sum = 0;
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d)
      sum += at_.x[d];
    return sum % 2 == 0;
  }
  [[nodiscard]] RIDGE_DEVICE const Coordinates& coordinates() const { return at_.x; }

private:
  /// This site in a field.
  template <class S>
  [[nodiscard]] RIDGE_DEVICE Place in(const SiteView<S>& view) const {
    constexpr int bytes = sizeof(NumberOf<std::remove_const_t<S>>);
    if constexpr (Bytes == bytes) {
      return place_;
    } else if constexpr (Bytes != 0) {
      return view.geometry.place(at_.x); // the one place for all components, without a branch
    } else {
      return view.geometry.nsimd == geometry_.nsimd ? place_ : view.geometry.place(at_.x);
    }
  }

  const Lane& lane_;
  const Geometry& geometry_;
  Place place_;
  Position at_; // computed where something asks for it
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
