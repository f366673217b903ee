// Hybrid Monte Carlo of the Wilson gauge action and of two flavours of Wilson fermions.
#include <ridge/core/error.hpp>
#include <ridge/gauge/hmc.hpp>
#include <ridge/gauge/hmc_links.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "core/refuse.hpp"
#include "integrate.hpp"
#include "pseudofermions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ridge::gauge {

namespace {

using Link = lattice::ColourMatrix<double>;

Links<double> link_fields(Queue& queue, const Links<double>& like, const char* what) {
  Links<double> fields;
  for (const auto& link : like)
    fields.emplace_back(queue.device(), link.lattice(), what);
  return fields;
}

void copy_links(Queue& queue, const Links<double>& to, const Links<double>& from) {
  for (std::size_t mu = 0; mu < 4; ++mu)
    copy_bytes_on_device(queue, to[mu].reals().data, from[mu].reals().data, to[mu].bytes());
}

/// Throws UsageError for options that make no sense.
const HmcOptions& checked(const HmcOptions& options) {
  refuse_if(!(options.beta >= 0) || !std::isfinite(options.beta),
            "beta {}: expected a number of at least 0", options.beta);
  refuse_if(!(options.length > 0) || !std::isfinite(options.length),
            "a trajectory of length {}: expected a number above 0", options.length);
  refuse_if(options.steps < 1, "a trajectory of {} steps: expected at least 1", options.steps);
  refuse_if(options.csw && !(options.kappa && std::isfinite(*options.csw)),
            "a clover term of csw {}: expected a number, and kappa of its fermions",
            options.csw.value_or(0));
  if (!options.kappa) return options;
  if (!std::isfinite(*options.kappa))
    throw UsageError(fmt::format("kappa {}: expected a number", *options.kappa));
  refuse_if(options.gauge_steps < 1,
            "{} steps by the gauge force between fermion forces: expected at least 1",
            options.gauge_steps);
  for (const double tolerance : {options.force_tolerance, options.action_tolerance}) {
    refuse_if(!(tolerance > 0 && tolerance < 1), "a tolerance of {}: expected one between 0 and 1",
              tolerance);
  }
  return options;
}

/// The uniform number by which a trajectory is accepted: that of a site that no lattice has.
double acceptance_number(std::uint64_t seed, std::uint32_t trajectory) {
  const LinkRandom random{seed, std::numeric_limits<std::uint64_t>::max(), trajectory,
                          first_direction_of_momenta};
  return random.draw(0).first;
}

void add(Work& all, const Work& one, double times) {
  const auto scaled = [&](Index count) {
    return static_cast<Index>(times * static_cast<double>(count));
  };
  all.read.value += scaled(one.read.value);
  all.written.value += scaled(one.written.value);
  all.flops += times * one.flops;
  all.items += scaled(one.items);
}

} // namespace

struct Hmc::State {
  State(comm::Communicator& r, Queue& q, const lattice::RankLattice& p, const Links<double>& with,
        const HmcOptions& o)
      : ranks(r), queue(q), part(p), options(checked(o)), links(with), done(o.first_trajectory),
        momenta(link_fields(q, with, "momenta")), before(link_fields(q, with, "links before")),
        site(q.device(), p.held(), "numbers of sites"), plaquette(r, q, p, with),
        around(r, q, p, reaches(with)), placed{r, q, part, p.held()} {
    number_sites(q, p, site);
    if (o.kappa) fermions.emplace(placed, with, options);
  }
  static std::vector<lattice::FieldReach> reaches(const Links<double>& links) {
    std::vector<lattice::FieldReach> reads;
    for (const auto& link : links)
      reads.push_back(all_around(link, true));
    return reads;
  }

  template <class Kernel>
  static lattice::SiteLoopCall<Link, Kernel> call(const lattice::SiteView<Link>& like,
                                                  const Kernel& kernel) {
    return {like, kernel, lattice::Subset::all};
  }
  [[nodiscard]] auto kick_call(std::size_t mu, double factor) const {
    KickMomenta kernel;
    for (std::size_t d = 0; d < 4; ++d)
      kernel.links[d] = links[d].view();
    kernel.momentum = momenta[mu].view();
    kernel.factor = factor;
    kernel.mu = static_cast<int>(mu);
    return call(kernel.momentum, kernel);
  }
  [[nodiscard]] auto move_call(std::size_t mu, double step) const {
    const MoveLinks kernel{momenta[mu].view(), links[mu].view(), step};
    return call(kernel.link, kernel);
  }

  void draw() {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const DrawMomenta kernel{site.view(), momenta[mu].view(), options.seed, done,
                               static_cast<int>(mu)};
      run_once(queue, call(kernel.out, kernel));
    }
    if (fermions) fermions->draw(site, done);
  }
  void kick_by_gauge(double step) {
    around.run();
    for (std::size_t mu = 0; mu < 4; ++mu)
      launch(kick_call(mu, -options.beta * step / 6));
  }
  void move(double step) const {
    for (std::size_t mu = 0; mu < 4; ++mu)
      launch(move_call(mu, step));
  }
  template <class Call>
  void launch(const Call& one) const {
    run_once(queue, one);
    if (options.between) options.between();
  }
  void integrate() {
    const auto along_gauge = [&](double length, int steps) {
      detail::integrate(
          options.integrator, length, steps, [&](double t) { kick_by_gauge(t); },
          [&](double t) { move(t); });
    };
    if (!fermions) return along_gauge(options.length, options.steps);
    detail::integrate(
        options.integrator, options.length, options.steps,
        [&](double t) { fermions->kick(momenta, t); },
        [&](double t) { along_gauge(t, options.gauge_steps); });
  }
  [[nodiscard]] double norm2_of(const LinkField<double>& field) const {
    return ranks.ranks() == 1 ? lattice::norm2(queue, field, {.schedule = {}, .reproducible = true})
                              : lattice::norm2(ranks, queue, part, field);
  }
  [[nodiscard]] Energy energy() {
    Energy all;
    for (const auto& momentum : momenta)
      all.momenta += norm2_of(momentum);
    // Six plaquettes a site, of trace 3 where they are 1.
    all.plaquette = plaquette().plaquette;
    all.gauge = -6 * options.beta * static_cast<double>(part.whole().count()) * all.plaquette;
    if (fermions) all.fermions = fermions->action();
    return all;
  }

  comm::Communicator& ranks;
  Queue& queue;
  lattice::RankLattice part;
  HmcOptions options;
  const Links<double>& links;
  std::uint32_t done;
  Links<double> momenta, before;
  lattice::Field<lattice::Complex<double>> site;
  MeasurePlaquette plaquette;
  lattice::HaloExchange around; ///< of the links
  detail::Placed placed;
  std::optional<detail::Pseudofermions> fermions;
};

Hmc::Hmc(Queue& queue, const Links<double>& links, const HmcOptions& options)
    : Hmc(one_rank(), queue, whole_part(links.front().lattice()), links, options) {}
Hmc::Hmc(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
         const Links<double>& links, const HmcOptions& options)
    : state_(std::make_unique<State>(ranks, queue, part, links, options)) {}
Hmc::~Hmc() = default;

Trajectory Hmc::trajectory(bool always) {
  State& s = *state_;
  copy_links(s.queue, s.before, s.links);
  draw();
  Energy start;
  Energy end;
  try {
    start = energy();
    try {
      integrate();
      end = energy();
    } catch (const detail::NoNumbers&) {
      end.fermions = std::numeric_limits<double>::infinity(); // steps that are far too long
    }
  } catch (...) {
    copy_links(s.queue, s.links, s.before); // as after the last trajectory
    throw;
  }
  Trajectory result;
  result.energy_change = end.sum() - start.sum();
  if (!std::isfinite(result.energy_change))
    result.energy_change = std::numeric_limits<double>::infinity();
  const double chance = std::exp(-result.energy_change);
  result.accepted = std::isfinite(result.energy_change) &&
                    (always || acceptance_number(s.options.seed, s.done) < chance);
  result.plaquette = result.accepted ? end.plaquette : start.plaquette;
  if (!result.accepted) copy_links(s.queue, s.links, s.before);
  ++s.done;
  return result;
}

std::uint32_t Hmc::trajectories() const {
  return state_->done;
}
double Hmc::plaquette() {
  return state_->plaquette().plaquette;
}
void Hmc::draw() {
  state_->draw();
}
void Hmc::integrate() {
  state_->integrate();
}
Energy Hmc::energy() {
  return state_->energy();
}
void Hmc::kick(double step) {
  state_->kick_by_gauge(step);
  if (state_->fermions) state_->fermions->kick(state_->momenta, step);
}
void Hmc::move(double step) {
  state_->move(step);
}
Links<double>& Hmc::momenta() {
  return state_->momenta;
}

Hmc::Solves Hmc::solves() const {
  if (!state_->fermions) return {};
  const solve::Solved& all = state_->fermions->solved();
  return {all.updates, all.iterations};
}

Record Hmc::record() const {
  const State& s = *state_;
  const HmcOptions& o = s.options;
  Record record = Program(s.queue, s.kick_call(0, 0), "hmc").record();
  const Work kick = record.work;
  // Numbers of the lattice, not of what a rank holds.
  const double all =
      4 * static_cast<double>(s.part.whole().count()) / static_cast<double>(s.part.held().sites());
  record.work = {};
  record.work.convention = kick.convention;
  double moves = detail::drifts_of(o.integrator, o.steps), kicks = moves + 1;
  if (o.kappa) {
    kicks = moves * detail::kicks_of(o.integrator, o.gauge_steps);
    moves *= detail::drifts_of(o.integrator, o.gauge_steps);
  }
  add(record.work, kick, all * kicks);
  add(record.work, Program(s.queue, s.move_call(0, 0)).record().work, all * moves);
  if (s.fermions && s.done > o.first_trajectory) {
    const solve::Solved& solved = s.fermions->solved();
    const double trajectories = s.done - o.first_trajectory;
    record.work.read.value += static_cast<Index>(solved.bytes / trajectories);
    record.work.flops += solved.flops / trajectories;
  }
  return of_all_ranks(record, s.part, s.around.carrier());
}

} // namespace ridge::gauge
