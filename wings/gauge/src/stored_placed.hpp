// Where a solver's stored fields are: on one rank, or over several.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/exchanged.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/stored/rank_step.hpp>
#include <ridge/solve/solver.hpp>

#include "over_ranks.hpp"

#include <array>

namespace ridge::gauge::detail {

class StoredPlaced {
public:
  StoredPlaced(comm::Communicator& ranks_, const Extents& grid, Queue& queue_,
               const Extents& extents, const Boundary& around)
      : ranks(ranks_), queue(queue_), part(extents, grid, ranks_.rank(), true), boundary_(around) {}

  [[nodiscard]] bool alone() const { return ranks.ranks() == 1; }
  /// Of both parities.
  [[nodiscard]] std::array<lattice::SiteGrid, 2> grids(int real_bytes, int inner = 1) const {
    const Device& device = queue.device();
    return {part.grid(device, lattice::Sites::even, real_bytes, inner),
            part.grid(device, lattice::Sites::odd, real_bytes, inner)};
  }
  /// The number of a site of the whole lattice, x fastest.
  [[nodiscard]] std::size_t site(const int (&x)[4]) const {
    Index i = 0;
    for (int d = 3; d >= 0; --d)
      i = i * part.whole()[d] + x[d];
    return static_cast<std::size_t>(i);
  }
  /// Of ways around the lattice, as kernels take it: along what is divided links have the factor,
  /// since no rank goes around there.
  [[nodiscard]] double boundary(int mu) const {
    return part.divided(mu) ? 1 : boundary_[static_cast<std::size_t>(mu)].re;
  }
  [[nodiscard]] ColourMatrix<double> link(const HostLinks& host, const int (&x)[4], int mu) const {
    const ColourMatrix<double>& u = host[4 * site(x) + static_cast<std::size_t>(mu)];
    if (!part.divided(mu) || x[mu] + 1 != part.whole()[mu]) return u;
    return boundary_[static_cast<std::size_t>(mu)].re * u;
  }

  /// A kernel that reads its psi at neighbours; over ranks these are exchanged. Its result is
  /// left as it is where other ranks own the sites.
  template <class K>
  [[nodiscard]] Program program(const lattice::StoredCall<K>& call) const {
    return lattice::stored_program(ranks, queue, part, call, {exchanged_psi(call.kernel)});
  }
  /// One that reads no neighbours.
  template <class K>
  [[nodiscard]] Program at_sites(lattice::StoredCall<K> call) const {
    call.window = part.owned();
    return {queue, call};
  }
  void run(const Program& program) const {
    program.run();
    if (!alone()) queue.wait(); // the messages' memory goes
  }

  /// Calls take(x, s, value) with what this rank owns, x of the whole lattice.
  template <class Field, class Take>
  void visit(const Field& field, const Take& take) const {
    field.visit(queue, [&](const int(&own)[4], int s, const auto& value) {
      if (!part.owns(own)) return;
      int x[4];
      part.to_whole(own, x);
      take(x, s, value);
    });
  }
  template <class Field>
  void clear(const Field& field) const {
    fill_bytes(queue, field.view().elements.data, 0, field.bytes());
  }
  /// |x|^2 of what this rank owns of `sites`, and of all ranks.
  template <class Site>
  [[nodiscard]] double norm2(const std::vector<Site>& sites) const {
    const auto volume = static_cast<std::size_t>(part.whole().count());
    double sum = 0;
    for (std::size_t at = 0; at < sites.size(); at += volume) {
      part.each_row([&](Index first, Index count) {
        const std::size_t begin = at + static_cast<std::size_t>(first);
        for (std::size_t i = begin; i < begin + static_cast<std::size_t>(count); ++i) {
          for (int c = 0; c < lattice::components_of<Site>; ++c) {
            const auto& z = component(sites[i], c);
            sum += z.re * z.re + z.im * z.im;
          }
        }
      });
    }
    return alone() ? sum : ranks.sum(sum);
  }
  /// The same, the same bits for any number of ranks.
  template <class Site>
  [[nodiscard]] double reproducible_norm2(const std::vector<Site>& sites) const {
    const auto volume = static_cast<std::size_t>(part.whole().count());
    lattice::BinnedSum<double> sum;
    sum.clear();
    for (std::size_t at = 0; at < sites.size(); at += volume) {
      part.each_row([&](Index first, Index count) {
        for (Index i = 0; i < count; ++i) {
          const Site& site = sites[at + static_cast<std::size_t>(first + i)];
          for (int c = 0; c < lattice::components_of<Site>; ++c) {
            const auto& z = component(site, c);
            sum.add_product(z.re, z.re);
            sum.add_product(z.im, z.im);
          }
          sum.settle();
        }
      });
    }
    lattice::BinnedSum<double> all;
    all.clear();
    for (const auto& one : ranks.gather(sum))
      all.merge(one);
    return all.value();
  }
  template <class Site>
  [[nodiscard]] double norm2(const std::vector<Site>& sites, bool reproducible) const {
    return reproducible ? reproducible_norm2(sites) : norm2(sites);
  }
  /// Brings what other ranks own to rank 0. `sites`: one or several values of each.
  template <class Site>
  void gather(std::vector<Site>& sites) const {
    const auto volume = static_cast<std::size_t>(part.whole().count());
    for (std::size_t first = 0; first < sites.size() && !alone(); first += volume)
      lattice::gather_stored(ranks, part, sites.data() + first, sizeof(Site));
  }
  /// Bytes and operations of all ranks.
  [[nodiscard]] solve::Solved of_all(solve::Solved solved) const {
    if (alone()) return solved;
    solved.bytes = ranks.sum(solved.bytes);
    solved.flops = ranks.sum(solved.flops);
    return solved;
  }

  comm::Communicator& ranks;
  Queue& queue;
  const lattice::StoredPart part;

private:
  Boundary boundary_;
};

} // namespace ridge::gauge::detail
