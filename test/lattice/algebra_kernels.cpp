// Compiled once per device kind.
#include <ridge/lattice/evaluate.hpp>
#include <ridge/lattice/reduce_expression.hpp>

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

namespace {
template <class S>
std::vector<double> reals_of_result(const S& result) {
  const auto* const first = reinterpret_cast<const double*>(&result);
  return {first, first + sizeof(S) / sizeof(double)};
}
} // namespace

template <class T, class Target>
std::vector<double> Algebra<T, Target>::reduced(int which, Queue& queue, const Fields<T>& f,
                                                Subset subset,
                                                const std::optional<Schedule>& schedule) {
  const auto total = [&](const auto& e) {
    return reals_of_result(sum<Target>(queue, e, subset, schedule));
  };
  const auto square = [&](const auto& e) {
    return reals_of_result(norm2<Target>(queue, e, subset, schedule));
  };
  const auto inner = [&](const auto& a, const auto& b) {
    return reals_of_result(inner_product<Target>(queue, a, b, subset, schedule));
  };
  if constexpr (std::is_same_v<T, float>) { // the even numbers, to save compile time
    switch (which) {
    case 0:
      return square(0.5 * f.x + f.y);
    case 2:
      return inner(f.x, f.u * f.y);
    case 4:
      return total(local_norm2(f.psi));
    case 6:
      return square(f.s * f.c);
    default:
      return {};
    }
  } else {
    switch (which) {
    case 0:
      return square(0.5 * f.x + f.y);
    case 1:
      return total(adj(f.u) * f.v);
    case 2:
      return inner(f.x, f.u * f.y);
    case 3:
      return total(f.p * f.q);
    case 4:
      return total(local_norm2(f.psi));
    case 5:
      return inner(f.p, f.q);
    case 6:
      return square(f.s * f.c);
    case 7:
      return total(f.s);
    default:
      return {};
    }
  }
}

template <class T, class Target>
std::vector<double> Algebra<T, Target>::reproduced(int which, Queue& queue, const Fields<T>& f,
                                                   Subset subset,
                                                   const std::optional<Schedule>& schedule) {
  const auto square = [&](const auto& e) {
    return reals_of_result(norm2<Target>(queue, reproducible(e), subset, schedule));
  };
  const auto inner = [&](const auto& a, const auto& b) {
    return reals_of_result(inner_product<Target>(queue, reproducible(a), b, subset, schedule));
  };
  if (which == 0) return square(f.y - adj(f.u) * f.x);
  if (which == 1) return inner(f.x, Complex<double>(0.3, 0.7) * (f.u * shift(f.y, 0, 1)));
  if constexpr (std::is_same_v<T, double>) { // fewer for float, to save compile time
    if (which == 2)
      return reals_of_result(sum<Target>(queue, reproducible(adj(f.u) * f.v), subset, schedule));
    if (which == 3) return square(f.p + f.s * f.q);
  }
  return {};
}

template struct Algebra<double, Here>;
template struct Algebra<float, Here>;

} // namespace ridge::lattice::test
