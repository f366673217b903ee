// What solvers on the sites of both parities share: their grids, links, fields, and host vectors.
#pragma once

#include <ridge/core/error.hpp>

#include "core/refuse.hpp"
#include "stored_placed.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace ridge::gauge::detail {

/// Throws UsageError for factors of the boundary that are not real; `whose`: "... are real".
inline void require_real(const Boundary& boundary, std::string_view whose) {
  for (const auto& factor : boundary) {
    refuse_if(factor.im != 0, "boundary factors of {} are real", whose);
  }
}

/// |x|^2, added up on the host.
template <class Site>
[[nodiscard]] double host_norm2(const std::vector<Site>& x) {
  double sum = 0;
  for (const Site& site : x) {
    for (int c = 0; c < lattice::components_of<Site>; ++c) {
      const auto& z = component(site, c);
      sum += z.re * z.re + z.im * z.im;
    }
  }
  return sum;
}

/// Where sites of both parities lie, and their links, in numbers of T.
template <class T>
class EvenOddLinks {
public:
  /// `factor(x, mu)` is what a link is multiplied by.
  template <class Factor>
  EvenOddLinks(const StoredPlaced& placed, const HostLinks& host, int values, const Factor& factor)
      : grids(placed.grids(sizeof(T), values)),
        links_(placed.queue, {grids[0], grids[1]},
               placed.part.placed([&](const int (&x)[4], int mu) {
                 return factor(x, mu) * placed.link(host, x, mu);
               })),
        placed_(placed) {}
  EvenOddLinks(const StoredPlaced& placed, const HostLinks& host, int values = 1)
      : EvenOddLinks(placed, host, values, [](const int (&)[4], int) { return 1.0; }) {}

  /// Gives a kernel whose results lie on the sites of a parity links and boundary factors.
  template <class Kernel>
  void set(Kernel& kernel, int parity) const {
    const auto here = static_cast<std::size_t>(parity);
    for (int mu = 0; mu < dimensions; ++mu) {
      kernel.links[0][mu] = links_.of(grids[here], mu).view();
      kernel.links[1][mu] = links_.of(grids[1 - here], mu).view();
      kernel.boundary[mu] = static_cast<T>(placed_.boundary(mu));
    }
  }

  std::array<lattice::SiteGrid, 2> grids; ///< even and odd

private:
  StoredLinks<T, 18> links_;
  const StoredPlaced& placed_;
};

/// Spinors on the sites of both parities, of one value a site or several.
template <class T>
struct Both {
  StoredFermion<T> even, odd;
  Both(Queue& queue, const std::array<lattice::SiteGrid, 2>& grids, const char* name)
      : even(queue.device(), grids[0], name), odd(queue.device(), grids[1], name) {}
  [[nodiscard]] StoredFermion<T>& operator[](int parity) { return parity == 0 ? even : odd; }
  [[nodiscard]] Span<T> span(int parity) const {
    return (parity == 0 ? even : odd).view().elements;
  }
  /// Of a group.
  [[nodiscard]] int lanes() const { return even.view().lanes; }
};

/// Fields of a solver in double precision, one value a site, by number and parity.
template <class Site>
class EvenOddFields {
public:
  using Field = lattice::StoredField<Site, double>;
  using Sites = std::vector<Site>;

  /// As many fields as there are names, 0 everywhere. `value`: what a site holds, for messages.
  EvenOddFields(const StoredPlaced& placed, const std::array<lattice::SiteGrid, 2>& grids,
                std::string_view value, std::initializer_list<const char*> names)
      : placed_(placed), value_(value) {
    for (const char* const name : names) {
      for (const lattice::SiteGrid& grid : grids) {
        fields_.emplace_back(placed.queue.device(), grid, name);
        placed.clear(fields_.back());
      }
    }
  }

  [[nodiscard]] Span<double> span(int which, int parity) const {
    return fields_[number(which, parity)].view().elements;
  }
  [[nodiscard]] int lanes() const { return fields_.front().view().lanes; }

  void put(int to, const Sites& from) {
    refuse_if(static_cast<Index>(from.size()) != placed_.part.whole().count(),
              "a source of one {} a site is needed", value_);
    for (const int parity : {0, 1}) {
      fields_[number(to, parity)].fill(
          placed_.queue,
          placed_.part.placed([&](const int(&x)[4], int) { return from[placed_.site(x)]; }));
    }
  }
  /// What this rank owns; 0 elsewhere.
  [[nodiscard]] Sites get(int from) const {
    Sites to(static_cast<std::size_t>(placed_.part.whole().count()));
    for (const int parity : {0, 1}) {
      placed_.visit(fields_[number(from, parity)],
                    [&](const int(&x)[4], int, const Site& v) { to[placed_.site(x)] = v; });
    }
    return to;
  }

private:
  static std::size_t number(int which, int parity) {
    return static_cast<std::size_t>(2 * which + parity);
  }
  const StoredPlaced& placed_;
  std::string_view value_;
  std::vector<Field> fields_;
};

} // namespace ridge::gauge::detail
