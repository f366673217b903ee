// Compiled once per device kind.
#include <ridge/lattice/evaluate.hpp>

#include "algebra.hpp"

namespace ridge::lattice::test {

template <class T, class Target>
void Algebra<T, Target>::run(int which, Queue& queue, Fields<T>& f, Subset subset,
                             const std::optional<Schedule>& schedule) {
  const auto set = [&](auto& z, const auto& e) { assign<Target>(queue, z, e, subset, schedule); };
  if constexpr (std::is_same_v<T, float>) { // the numbers divisible by 4, to save compile time
    switch (which) {
    case 0:
      return set(f.z, 0.5 * f.x + f.y);
    case 4:
      return set(f.z, f.u * f.x + adj(f.v) * f.y);
    case 8:
      return set(f.c, trace(f.u * adj(f.v)));
    case 12:
      return set(f.s, real(trace(f.p)) * f.s);
    default:
      return;
    }
  } else {
    switch (which) {
    case 0:
      return set(f.z, 0.5 * f.x + f.y);
    case 1:
      return set(f.z, Complex<double>(0.5, -2) * f.x - f.z);
    case 2:
      return set(f.w, f.u * f.v);
    case 3:
      return set(f.w, adj(f.u) * f.v + transpose(f.v));
    case 4:
      return set(f.z, f.u * f.x + adj(f.v) * f.y);
    case 5:
      return set(f.chi, f.u * f.psi);
    case 6:
      return set(f.r, f.p * f.q);
    case 7:
      return set(f.r, f.u * f.p * adj(f.v));
    case 8:
      return set(f.c, trace(f.u * adj(f.v)));
    case 9:
      return set(f.s, local_norm2(f.psi));
    case 10:
      return set(f.z, f.c * f.x + f.s * conj(f.y));
    case 11:
      return set(f.z, f.u * shift(f.x, 0, 1) - shift(adj(f.u) * f.x, 1, -1));
    case 12:
      return set(f.s, real(trace(f.p)) * f.s);
    case 13:
      return set(f.chi, shift(shift(f.psi, 2, 5), 0, -3));
    case 14:
      return set(f.z, f.u * f.z);
    default:
      return;
    }
  }
}

inline namespace RIDGE_TARGET_NAME {

template <class T>
struct Transport {
  SiteView<const ColourMatrix<T>> u;
  SiteView<const ColourVector<T>> x;
  SiteView<ColourVector<T>> z;
  int d;
  using Bounds = Choices<1024, 256>;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto before = at.shifted(d, -1);
    coalesced_write(at, z, coalesced_read(before, u) * coalesced_read(before, x));
  }
};

} // namespace RIDGE_TARGET_NAME

template <class T, class Target>
void Algebra<T, Target>::transport(Queue& queue, Fields<T>& f, int d,
                                   const std::optional<Schedule>& schedule) {
  for_each_site<Target>(queue, f.z.view(), Transport<T>{f.u.view(), f.x.view(), f.z.view(), d},
                        Subset::all, schedule);
}

template struct Algebra<double, Here>;
template struct Algebra<float, Here>;

} // namespace ridge::lattice::test
