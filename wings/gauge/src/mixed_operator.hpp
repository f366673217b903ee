// An operator on stored fields in both precisions, for conjugate gradients whose iterations are in
// single precision. Their vectors must lie alike, number by number: those in double lie as single
// ones here, and are put into the order of stored doubles where the residual is computed anew.
#pragma once

#include <ridge/lattice/stored/grid.hpp>
#include <ridge/solve/solver.hpp>
#include <ridge/solve/vector_call.hpp>

#include "even_odd.hpp"

#include <vector>

namespace ridge::gauge::detail {

/// How spinors of several values a site lie.
template <class T>
[[nodiscard]] solve::GroupOrder order_of(const lattice::SiteGrid& grid, int lanes) {
  return {lattice::reals_of<Spinor<T>>, lanes,
          grid.chunk == 0 ? 1 : grid.chunk / static_cast<int>(sizeof(T))};
}

/// `Op<T>` has normal(out, in); t, u, links, and image() for what `out` may be.
template <template <class> class Op>
class MixedOperator {
public:
  /// `between` is memory that the operator in double leaves free; `made_of`: what Op<float> is made
  /// of.
  template <class... MadeOf>
  MixedOperator(Queue& queue, const Op<double>& exact, Span<double> between,
                const MadeOf&... made_of)
      : queue_(queue), exact_(exact), between_(between), narrow_(made_of...),
        wide_(order_of<double>(exact.links.grids[0], exact.t.lanes())),
        order_(order_of<float>(narrow_.links.grids[0], narrow_.t.lanes())),
        x_(memory("the solution")), b_(memory("the right-hand side")) {
    const lattice::SiteGrid &wide = exact.links.grids[0], &narrow = narrow_.links.grids[0];
    if (wide.inner > 1 || wide_.lanes == order_.lanes) return;
    // Registers hold fewer sites in double: groups differ.
    const Index numbers = order_.numbers;
    to_narrow_.assign(static_cast<std::size_t>(count() / numbers), -1);
    to_wide_.assign(static_cast<std::size_t>(between_.size / numbers), -1);
    const auto place = [](const lattice::SiteGrid& g, const int(&c)[4], int lanes) {
      const lattice::StoredPlace at = lattice::stored_place(g, c, false, 0, lanes);
      return static_cast<std::size_t>(at.group * lanes + at.lane);
    };
    for (Index site = 0; site < wide.sites(); ++site) {
      int c[4];
      Index rest = site;
      for (int d = 0; d < 4; ++d) {
        c[d] = static_cast<int>(rest % wide.extent[d]);
        rest /= wide.extent[d];
      }
      const std::size_t in_wide = place(wide, c, wide_.lanes);
      const std::size_t in_narrow = place(narrow, c, order_.lanes);
      to_narrow_[in_narrow] = static_cast<int>(in_wide);
      to_wide_[in_wide] = static_cast<int>(in_narrow);
    }
  }
  MixedOperator(const MixedOperator&) = delete;
  MixedOperator& operator=(const MixedOperator&) = delete;
  ~MixedOperator() = default;

  [[nodiscard]] Index count() const { return narrow_.t.span(0).size; }
  /// Of its vectors.
  [[nodiscard]] const solve::GroupOrder& order() const { return order_; }
  [[nodiscard]] solve::Operator<double> exact() const {
    return [this](Span<double> out, Span<const double> in) {
      const Span<double> image = exact_.image();
      std::vector<Program> all;
      all.push_back(widened(between_, in));
      for (Program& program : exact_.normal(image, between_))
        all.push_back(std::move(program));
      all.push_back(narrowed(out, image));
      return all;
    };
  }
  [[nodiscard]] solve::Operator<float> inner() const {
    return [this](Span<float> out, Span<const float> in) { return narrow_.normal(out, in); };
  }

  /// The right-hand side, as stored; its memory is free afterwards.
  void take(Span<const double> b) const { narrowed(span(b_), b).run(); }
  /// What `cg` finds for it, from what x holds, as stored.
  template <class Cg, class... Also>
  auto solve(Cg& cg, Span<double> x, const solve::Options& options, const Also&... also) const {
    narrowed(span(x_), x).run();
    const auto solved = cg.solve(span(x_), span(b_), options, also...);
    show(x);
    return solved;
  }
  /// x = what has been found so far, as stored.
  void show(Span<double> x) const { widened(x, span(x_)).run(); }

private:
  [[nodiscard]] Memory memory(const char* what) const {
    return {queue_.device(), Bytes{count() * Index{sizeof(double)}}, what};
  }
  [[nodiscard]] Span<double> span(const Memory& memory) const {
    return {static_cast<double*>(memory.data()), count()};
  }
  [[nodiscard]] static Span<const int> span(const std::vector<int>& places) {
    return {places.empty() ? nullptr : places.data(), static_cast<Index>(places.size())};
  }
  [[nodiscard]] Program narrowed(Span<double> to, Span<const double> from) const {
    return rearranged({from, to, wide_, order_, span(to_narrow_)});
  }
  [[nodiscard]] Program widened(Span<double> to, Span<const double> from) const {
    return rearranged({from, to, order_, wide_, span(to_wide_)});
  }
  [[nodiscard]] Program rearranged(const solve::Rearrange& what) const {
    const Index read = what.from.size * Index{sizeof(double)};
    const Index written = what.to.size * Index{sizeof(double)};
    return {queue_,
            solve::bind(queue_, solve::VectorCall<solve::Rearrange>{what, what.to.size, {}}),
            [read, written] {
              Record record;
              record.work.read = {read};
              record.work.written = {written};
              return record;
            }};
  }

  Queue& queue_;
  const Op<double>& exact_;
  Span<double> between_;
  Op<float> narrow_;
  solve::GroupOrder wide_, order_;
  Memory x_, b_;
  std::vector<int> to_narrow_, to_wide_; ///< places of sites, where groups differ
};

} // namespace ridge::gauge::detail
