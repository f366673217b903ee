// Iterations of conjugate gradients in numbers of 16 bits, for those in double around them.
#pragma once

#include <ridge/gauge/even_odd_cg.hpp>
#include <ridge/gauge/recode.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/solve/cg.hpp>

#include "even_odd.hpp"

namespace ridge::gauge::detail {

/// S^+ S of the Wilson operator, which is d^2 M^+ M with kappa = h / d; links of 12 numbers.
class FixedCg final : public solve::UpdatedCg::Inner {
public:
  FixedCg(const StoredPlaced& placed, const HostLinks& host, const WilsonNumbers& n)
      : queue_(placed.queue), grids_(placed.grids(sizeof(float))),
        links_(placed.queue, {grids_[0], grids_[1]},
               placed.part.placed(
                   [&](const int (&x)[4], int mu) { return placed.link(host, x, mu); })),
        cg_(placed.queue, links_, grids_[0], n.hop / n.diagonal, boundary_of(placed)),
        r_(placed.queue.device(), grids_[0], "the residual"),
        x_(placed.queue.device(), grids_[0], "the inner solution"),
        take_(queue_, recoded<float, lattice::Fixed16>(r_, cg_.residual(), 1)),
        show_(queue_, recoded<lattice::Fixed16, float>(
                          cg_.solution(), x_, static_cast<float>(1 / (n.diagonal * n.diagonal)))),
        show_direction_(queue_, recoded<lattice::Fixed16, float>(cg_.direction(), x_, 1)) {
    placed.clear(x_); // lanes without a site
  }

  [[nodiscard]] Span<float> residual() const override { return r_.view().elements; }
  [[nodiscard]] Span<float> solution() const override { return x_.view().elements; }
  void begin(bool anew, double r2, double along) override {
    take_.run();
    if (anew) {
      cg_.start();
    } else {
      cg_.go_on(r2, along);
    }
  }
  double iterate(Index iterations) override {
    cg_.iterate(static_cast<int>(iterations));
    return cg_.rr();
  }
  void show() override { show_.run(); }
  void show_direction() override { show_direction_.run(); }
  [[nodiscard]] double bytes() const override { return cg_.bytes(); }
  [[nodiscard]] double flops() const override { return cg_.flops(); }

private:
  template <class From, class To>
  static lattice::StoredCall<Recode<From, To>> recoded(const StoredFermion<From>& from,
                                                       const StoredFermion<To>& to, float factor) {
    Recode<From, To> kernel;
    kernel.from = from.view();
    kernel.to = to.view();
    kernel.factor = factor;
    return {kernel, to.grid()};
  }
  static std::array<double, 4> boundary_of(const StoredPlaced& placed) {
    std::array<double, 4> all{};
    for (int mu = 0; mu < 4; ++mu)
      all[static_cast<std::size_t>(mu)] = placed.boundary(mu);
    return all;
  }

  Queue& queue_;
  std::array<lattice::SiteGrid, 2> grids_;
  StoredLinks<lattice::Fixed16, 12> links_;
  EvenOddCg<lattice::Fixed16, 12> cg_;
  StoredFermion<float> r_, x_;
  Program take_, show_, show_direction_;
};

} // namespace ridge::gauge::detail
