// The operators that conjugate gradients of domain-wall fermions apply, in double and in single
// precision (ridge/gauge/domain_wall.hpp has the equations).
#pragma once

#include <ridge/gauge/domain_wall.hpp>
#include <ridge/gauge/fifth_dimension.hpp>
#include <ridge/gauge/fifth_matrix.hpp>
#include <ridge/launch/program.hpp>

#include "even_odd.hpp"

#include <vector>

namespace ridge::gauge::domain_wall {

using lattice::SiteGrid;

/// A matrix on the device, by columns of as many numbers as a group has lanes.
template <class T>
class Table {
public:
  Table(Queue& queue, const FifthMatrix& matrix, int stride)
      : values_(matrix.n), stride_(stride),
        memory_(queue.device(), Bytes{Index{2} * matrix.n * stride * Index{sizeof(T)}},
                "a matrix") {
    const auto n = static_cast<std::size_t>(matrix.n);
    const auto step = static_cast<std::size_t>(stride);
    std::vector<T> host(2 * n * step, 0);
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t t = 0; t < n; ++t) {
        host[t * step + s] = static_cast<T>(matrix.upper[s * n + t]);
        host[(n + t) * step + s] = static_cast<T>(matrix.lower[s * n + t]);
      }
    }
    copy_to_device(queue, static_cast<T*>(memory_.data()), host.data(),
                   static_cast<Index>(host.size()));
    queue.wait();
  }
  void set(FifthDimension<T>& kernel) const {
    const auto* const all = static_cast<const T*>(memory_.data());
    const Index half = Index{values_} * stride_;
    kernel.upper = {all, half};
    kernel.lower = {all + half, half};
    kernel.values = values_;
    kernel.stride = stride_;
  }

private:
  int values_, stride_;
  Memory memory_;
};

template <class T>
class Operator {
public:
  using Values = Span<const T>;
  using Hop = Dslash<T, 18>;
  /// Which matrix in the fifth dimension.
  enum Which { blended, blended_t, unblended, local, local_t, preconditioned, preconditioned_t };

  Operator(const detail::StoredPlaced& placed, const HostLinks& host, const DomainWallNumbers& n)
      : links(placed, host, n.values), t(placed.queue, links.grids, "between operators"),
        u(placed.queue, links.grids, "between operators"), placed_(placed) {
    if (!placed.alone()) { // other ranks' sites
      for (detail::Both<T>* const both : {&t, &u}) {
        placed.clear(both->even);
        placed.clear(both->odd);
      }
    }
    const FifthMatrix one(n.values), hop = fifth_hop(n.values, n.mass);
    const FifthMatrix blend = combined(n.b, one, n.c, hop);
    const FifthMatrix diagonal = combined(4 - n.m5, blend, 1, combined(1, one, -1, hop));
    const FifthMatrix k = product(blend, inverse(diagonal, "the diagonal part of the operator"));
    for (const FifthMatrix& m : {blend, transposed(blend), inverse(blend, "b + c L"), diagonal,
                                 transposed(diagonal), k, transposed(k)})
      tables_.emplace_back(placed.queue, m, lanes());
  }

  /// Of a group of values.
  [[nodiscard]] int lanes() const { return t.lanes(); }

  /// out = diagonal source + hop H psi on the sites of a parity.
  [[nodiscard]] lattice::StoredCall<Hop> hop(int parity, Span<T> out, Values psi, bool dagger,
                                             double factor = 1, double diagonal = 0,
                                             Values source = {}) const {
    Hop kernel;
    links.set(kernel, parity);
    kernel.psi = {psi, lanes()};
    kernel.out = {out, lanes()};
    if (source.data != nullptr) kernel.source = {source, lanes()};
    kernel.hop = static_cast<T>(factor);
    kernel.diagonal = static_cast<T>(diagonal);
    kernel.sign = dagger ? -1 : 1;
    return {kernel, links.grids[static_cast<std::size_t>(parity)]};
  }
  /// out = diagonal source + factor (a matrix in the fifth dimension) psi.
  [[nodiscard]] lattice::StoredCall<FifthDimension<T>> fifth(int parity, Span<T> out, Which which,
                                                             Values psi, double factor = 1,
                                                             double diagonal = 0,
                                                             Values source = {}) const {
    FifthDimension<T> kernel;
    kernel.psi = {psi, lanes()};
    kernel.out = {out, lanes()};
    if (source.data != nullptr) kernel.source = {source, lanes()};
    tables_[which].set(kernel);
    kernel.factor = static_cast<T>(factor);
    kernel.diagonal = static_cast<T>(diagonal);
    return {kernel, links.grids[static_cast<std::size_t>(parity)]};
  }

  /// out = S^+ S in on even sites, S = 1 - K H_eo K H_oe / 4, through t and u; `out` may be u.
  [[nodiscard]] Span<T> image() const { return u.span(0); }
  [[nodiscard]] std::vector<Program> normal(Span<T> out, Values in) const {
    const Span<T> te = t.span(0), to = t.span(1), ue = u.span(0), uo = u.span(1);
    std::vector<Program> all;
    all.push_back(placed_.program(hop(1, to, in, false)));
    all.push_back(placed_.at_sites(fifth(1, uo, preconditioned, to)));
    all.push_back(placed_.program(hop(0, te, uo, false)));
    all.push_back(placed_.at_sites(fifth(0, ue, preconditioned, te, -0.25, 1, in)));
    adjoint(all, out, ue);
    return all;
  }
  /// out = S^+ in, through t and u; `in` may be u.
  void adjoint(std::vector<Program>& all, Span<T> out, Values in) const {
    const Span<T> te = t.span(0), to = t.span(1), uo = u.span(1);
    all.push_back(placed_.at_sites(fifth(0, te, preconditioned_t, in)));
    all.push_back(placed_.program(hop(1, to, te, true)));
    all.push_back(placed_.at_sites(fifth(1, uo, preconditioned_t, to)));
    all.push_back(placed_.program(hop(0, out, uo, true, -0.25, 1, in)));
  }

  detail::EvenOddLinks<T> links;
  detail::Both<T> t, u; ///< what lies between operators

private:
  const detail::StoredPlaced& placed_;
  std::vector<Table<T>> tables_;
};

} // namespace ridge::gauge::domain_wall
