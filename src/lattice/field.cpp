#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lattice/field.hpp>

#include <fmt/format.h>

#include <cstring>

namespace ridge::lattice {

namespace {

/// Calls `visit(plain, layout)` with the byte offsets of each number of each site.
template <class Visit>
void for_each_number(const Geometry& g, const SiteShape& shape, Visit visit) {
  const Index number = shape.number_bytes();
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(g.groups, thread, threads);
    for (Index group = mine.begin; group < mine.end; ++group) {
      for (int lane = 0; lane < g.nsimd; ++lane) {
        const Coordinates x = g.coordinates({group, lane});
        Index site = 0;
        for (int d = g.rank - 1; d >= 0; --d)
          site = site * g.extent(d) + x[d];
        for (int c = 0; c < shape.components; ++c) {
          visit((site * shape.components + c) * number,
                ((group * shape.components + c) * g.nsimd + lane) * number);
        }
      }
    }
  });
}

} // namespace

void detail::to_plain(const Geometry& g, const SiteShape& shape, void* plain, const void* layout) {
  const auto number = static_cast<std::size_t>(shape.number_bytes());
  for_each_number(g, shape, [&](Index to, Index from) {
    std::memcpy(static_cast<char*>(plain) + to, static_cast<const char*>(layout) + from, number);
  });
}

void detail::from_plain(const Geometry& g, const SiteShape& shape, void* layout,
                        const void* plain) {
  const auto number = static_cast<std::size_t>(shape.number_bytes());
  for_each_number(g, shape, [&](Index from, Index to) {
    std::memcpy(static_cast<char*>(layout) + to, static_cast<const char*>(plain) + from, number);
  });
}

void detail::check_sites(const Lattice& lattice, const std::string& name, std::size_t count) {
  if (static_cast<Index>(count) == lattice.sites()) return;
  throw UsageError(fmt::format("{} sites were given for {} on lattice {}, which has {}", count,
                               name, to_text(lattice), lattice.sites()));
}

void check_same_lattice(const Lattice& a, std::string_view a_name, const Lattice& b,
                        std::string_view b_name) {
  if (a == b) return;
  throw UsageError(fmt::format("{} is on lattice {} and {} on lattice {}; they must be on the same",
                               a_name, to_text(a), b_name, to_text(b)));
}

} // namespace ridge::lattice
