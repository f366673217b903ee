// Maps of whole fields, from host code: one pass over memory.
#pragma once

#include <ridge/lattice/launch.hpp>

namespace ridge::lattice {

/// z = map(x). z may be x. Throws UsageError for fields of two lattices.
template <class M, class Site>
[[nodiscard]] MapCall<M, RealOf<Site>> map_call(const M& map, const Field<Site>& z,
                                                const Field<Site>& x) {
  static_assert(M::inputs == 1, "a map of two fields is given two");
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  return {map, z.shape(), z.geometry(), x.reals(), x.reals(), z.reals()};
}
/// z = map(x, y). z may be x or y.
template <class M, class Site>
[[nodiscard]] MapCall<M, RealOf<Site>> map_call(const M& map, const Field<Site>& z,
                                                const Field<Site>& x, const Field<Site>& y) {
  static_assert(M::inputs == 2, "a map of one field is given one");
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  check_same_lattice(z.lattice(), z.name(), y.lattice(), y.name());
  return {map, z.shape(), z.geometry(), x.reals(), y.reals(), z.reals()};
}

/// z = a x. z may be x.
template <class Site>
void scale(Queue& queue, Field<Site>& z, std::type_identity_t<RealOf<Site>> a, const Field<Site>& x,
           const std::optional<Schedule>& schedule = {}) {
  run_once(queue, map_call(Scale<RealOf<Site>>{a}, z, x), schedule);
}

/// z = a x + y. z may be x or y.
template <class Site>
void axpy(Queue& queue, Field<Site>& z, std::type_identity_t<RealOf<Site>> a, const Field<Site>& x,
          const Field<Site>& y, const std::optional<Schedule>& schedule = {}) {
  run_once(queue, map_call(Axpy<RealOf<Site>>{a}, z, x, y), schedule);
}

} // namespace ridge::lattice
