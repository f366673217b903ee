// The pseudofermions of hybrid Monte Carlo on their device, or over ranks.
#pragma once

#include <ridge/gauge/hmc.hpp>
#include <ridge/gauge/hmc_fermions.hpp>
#include <ridge/lattice/rank_reduce.hpp>
#include <ridge/solve/cg.hpp>

#include "core/refuse.hpp"
#include "wilson_operators.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ridge::gauge::detail {

/// Of links that went so far that they, or fermions on them, are no numbers.
struct NoNumbers : Failure {
  using Failure::Failure;
};

class Pseudofermions {
public:
  Pseudofermions(const Placed& placed, const Links<double>& links, const HmcOptions& options)
      : placed_(placed), links_(links), options_(options), numbers_(by_kappa(*options.kappa)),
        bounded_(fields_like(links)),
        clover_(options.csw ? std::make_unique<CloverFields>(placed, bounded_,
                                                             *options.kappa * *options.csw,
                                                             all_even(placed.part.whole()))
                            : nullptr),
        operators_(placed_, bounded_, numbers_, clover_.get()), phi_(field("pseudofermions")),
        x_(field("X")), y_(field("Y")), into_y_(operators_.apply(y_.reals(), x_.reals())),
        cg_(placed.queue, normal_of(operators_), placed.held.sites() * 24, &placed_.ranks),
        around_(placed.ranks, placed.queue, placed.part, reaches()),
        of_links_(placed.ranks, placed.queue, placed.part, reaches_of_links()) {
    using Step = Operators<double>::Step;
    if (!operators_.even_odd()) return;
    const double kappa = *options.kappa;
    operators_.add(complete_,
                   Step{lattice::Subset::odd, x_.reals(), 0, x_.reals(), kappa, x_.reals()});
    operators_.add(complete_,
                   Step{lattice::Subset::odd, y_.reals(), 0, y_.reals(), kappa, y_.reals(), true});
  }

  /// Draws eta and phi; the action of them is |eta|^2, but for a clover term's determinant.
  void draw(const lattice::Field<lattice::Complex<double>>& site, std::uint32_t trajectory) {
    take_links();
    clear(x_);
    DrawPseudofermions kernel{site.view(), x_.view(), options_.seed, trajectory, {}};
    kernel.chosen = {placed_.part.owned(),
                     {},
                     operators_.even_odd() ? lattice::Subset::even : lattice::Subset::all,
                     placed_.part.starts_odd()};
    run_once(placed_.queue, lattice::SiteLoopCall<Spinor<double>, DrawPseudofermions>{
                                kernel.out, kernel, lattice::Subset::all});
    clear(phi_);
    std::vector<Program> programs;
    operators_.add(programs, phi_.reals(), x_.reals(), true);
    run(programs);
    placed_.queue.wait(); // the messages' memory goes
  }
  /// phi^+ (A^+ A)^-1 phi, and with a clover term its determinant's part.
  double action() {
    solve(options_.action_tolerance, "action");
    const double solved =
        placed_.ranks.ranks() == 1
            ? lattice::inner_product(placed_.queue, phi_, x_, {{}, true}).re
            : lattice::inner_product(placed_.ranks, placed_.queue, placed_.part, phi_, x_).re;
    return solved + (clover_ ? clover_->action() : 0);
  }
  /// momenta += step times the force.
  void kick(const Links<double>& momenta, double step) {
    solve(options_.force_tolerance, "force");
    run(into_y_);
    run(complete_);
    around_.run();
    KickByFermions kernel;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      kernel.links[mu] = bounded_[mu].view();
      kernel.momenta[mu] = momenta[mu].view();
    }
    kernel.x = x_.view();
    kernel.y = y_.view();
    kernel.factor = *options_.kappa * step;
    run_once(placed_.queue, lattice::SiteLoopCall<ColourMatrix<double>, KickByFermions>{
                                kernel.momenta[0], kernel, lattice::Subset::all});
    if (clover_) clover_->kick(momenta, x_, y_, step);
  }
  /// All solves so far, added up.
  [[nodiscard]] const solve::Solved& solved() const { return solved_; }

private:
  [[nodiscard]] Fermion<double> field(const char* name) const {
    Fermion<double> one(placed_.queue.device(), placed_.held, name);
    clear(one);
    return one;
  }
  void clear(const Fermion<double>& one) const {
    fill_bytes(placed_.queue, one.reals().data, 0, one.bytes());
  }
  [[nodiscard]] Links<double> fields_like(const Links<double>& links) const {
    Links<double> fields;
    for (const auto& link : links)
      fields.emplace_back(placed_.queue.device(), link.lattice(), "links of fermions");
    return fields;
  }
  [[nodiscard]] std::vector<lattice::FieldReach> reaches() const {
    return {all_around(x_, false), all_around(y_, false)};
  }
  [[nodiscard]] std::vector<lattice::FieldReach> reaches_of_links() const {
    std::vector<lattice::FieldReach> reads;
    for (const auto& link : bounded_)
      reads.push_back(all_around(link, clover_ != nullptr)); // leaves reach across corners
    return reads;
  }
  static void run(const std::vector<Program>& programs) {
    for (const Program& program : programs)
      program.run();
  }
  /// The links as they are now, antiperiodic in time for fermions.
  void take_links() {
    for (std::size_t mu = 0; mu < 4; ++mu)
      copy_bytes_on_device(placed_.queue, bounded_[mu].reals().data, links_[mu].reals().data,
                           links_[mu].bytes());
    lattice::SiteBox last = placed_.part.owned();
    const Index end = placed_.part.begin()[3] + last.end[3] - last.begin[3];
    if (end == placed_.part.whole()[3]) {
      last.begin[3] = last.end[3] - 1;
      const ScaleLinks kernel{bounded_[3].view(), -1, {last, {}, lattice::Subset::all, 0}};
      run_once(placed_.queue, lattice::SiteLoopCall<ColourMatrix<double>, ScaleLinks>{
                                  kernel.link, kernel, lattice::Subset::all});
    }
    of_links_.run();
    if (clover_) clover_->make();
  }
  [[nodiscard]] std::function<bool(const solve::Progress&)> go_on() const {
    if (!options_.between) return {};
    return [this](const solve::Progress&) {
      options_.between();
      return true;
    };
  }
  /// X, from 0: the force is a function of the links alone, so that trajectories are reversible.
  void solve(double tolerance, const char* what) {
    take_links();
    clear(x_);
    const solve::Solved now = cg_.solve(x_.reals(), phi_.reals(),
                                        {.tolerance = tolerance,
                                         .most_iterations = options_.most_iterations,
                                         .reproducible = options_.reproducible,
                                         .go_on = go_on()});
    if (!std::isfinite(now.residual))
      throw NoNumbers(fmt::format("the {} of fermions: links or fermions are no numbers", what));
    fail_if(!now.converged,
            "the {} of fermions: conjugate gradients have a residual of {:.2g} after {} "
            "iterations, {:.2g} is wanted; a smaller kappa or more iterations would do",
            what, now.residual, now.iterations, tolerance);
    solved_.iterations += now.iterations;
    solved_.bytes += placed_.ranks.sum(now.bytes);
    solved_.flops += placed_.ranks.sum(now.flops);
    solved_.updates += 1;
  }

  const Placed& placed_;
  const Links<double>& links_;
  const HmcOptions& options_;
  WilsonNumbers numbers_;
  Links<double> bounded_;
  std::unique_ptr<CloverFields> clover_;
  Operators<double> operators_;
  Fermion<double> phi_, x_, y_;
  std::vector<Program> into_y_, complete_;
  solve::Cg cg_;
  lattice::HaloExchange around_, of_links_;
  solve::Solved solved_;
};

} // namespace ridge::gauge::detail
