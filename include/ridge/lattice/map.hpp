// Whole fields times numbers, from host code: one pass over memory.
#pragma once

#include <ridge/lattice/mapper.hpp>
#include <ridge/lattice/schedule.hpp>

#include <optional>

namespace ridge::lattice {

/// Runs a map, in queue order, under the schedule or the default.
template <class T>
void map(Queue& queue, const MapCall<T>& call, const SiteShape& shape,
         const std::optional<Schedule>& schedule = {});

/// z = a x. z may be x.
template <class Site>
void scale(Queue& queue, Field<Site>& z, std::type_identity_t<RealOf<Site>> a, const Field<Site>& x,
           const std::optional<Schedule>& schedule = {}) {
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  map<RealOf<Site>>(queue, {Map::scale, z.geometry(), x.reals(), x.reals(), z.reals(), a},
                    z.shape(), schedule);
}

/// z = a x + y. z may be x or y.
template <class Site>
void axpy(Queue& queue, Field<Site>& z, std::type_identity_t<RealOf<Site>> a, const Field<Site>& x,
          const Field<Site>& y, const std::optional<Schedule>& schedule = {}) {
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  check_same_lattice(z.lattice(), z.name(), y.lattice(), y.name());
  map<RealOf<Site>>(queue, {Map::axpy, z.geometry(), x.reals(), y.reals(), z.reals(), a}, z.shape(),
                    schedule);
}

} // namespace ridge::lattice
