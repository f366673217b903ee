#include "gauge.hpp"

#include <ridge/core/error.hpp>
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/domain_wall.hpp>
#include <ridge/gauge/flow.hpp>
#include <ridge/gauge/gaussian.hpp>
#include <ridge/gauge/hadrons.hpp>
#include <ridge/gauge/heatbath.hpp>
#include <ridge/gauge/loops.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/gauge/smear.hpp>
#include <ridge/gauge/staggered_solver.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/io/gauge_file.hpp>

#include "python/interrupt.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

/// Links that are on a device for `work`, and back in Python's array afterwards.
template <class Work>
void change_links(const Sizes& sizes, std::uintptr_t address, const std::string& device,
                  const Work& work) {
  const Extents extents = extents_of(sizes);
  in_turn(device, [&](Queue& queue) {
    auto links = gauge::to_device(queue, gauge::Lattice(extents), links_at(extents, address));
    work(queue, links);
    const gauge::HostLinks after = gauge::to_host(queue, links);
    std::memcpy(reinterpret_cast<void*>(address), after.data(), bytes_of(after));
  });
}

/// How a solver ended: whether it converged, iterations, the residual, seconds and bytes.
using Ended = std::tuple<bool, Index, double, double, double>;
Ended ended(const solve::Solved& solved) {
  return {solved.converged, solved.iterations, solved.residual, solved.seconds.value, solved.bytes};
}

solve::Options options_of(double tolerance, Index iterations) {
  solve::Options options{.tolerance = tolerance, .most_iterations = iterations};
  options.go_on = [](const solve::Progress&) {
    check_interrupt();
    return true;
  };
  return options;
}

gauge::Boundary boundary_of(bool antiperiodic) {
  return antiperiodic ? gauge::antiperiodic_in_time : gauge::periodic;
}

class WilsonOperator {
public:
  WilsonOperator(const Sizes& sizes, std::uintptr_t links, double diagonal, double hop,
                 bool antiperiodic, bool mixed, std::string device)
      : device_(std::move(device)), numbers_{diagonal, hop}, boundary_(boundary_of(antiperiodic)),
        mixed_(mixed) {
    in_turn(device_, [&](Queue& queue) {
      const Extents extents = extents_of(sizes);
      using gauge::WilsonSolver;
      solver_ = std::make_unique<WilsonSolver>(
          queue, extents, links_at(extents, links), numbers_, boundary_,
          mixed ? WilsonSolver::Method::mixed_cg : WilsonSolver::Method::cg);
    });
  }

  void apply(std::uintptr_t out, std::uintptr_t psi, bool dagger) const {
    in_turn(device_, [&](Queue& queue) {
      const Fermions in(*this, queue, psi, "psi");
      const Fermions result(*this, queue, 0, "D psi");
      solver_->apply(result.field, in.field, dagger);
      result.give(queue, out);
    });
  }

  Ended solve(std::uintptr_t x, std::uintptr_t b, double tolerance, Index iterations) const {
    return in_turn(device_, [&](Queue& queue) {
      const Fermions source(*this, queue, b, "the source");
      const Fermions solution(*this, queue, x, "the solution");
      const solve::Solved solved =
          solver_->solve(solution.field, source.field, options_of(tolerance, iterations));
      solution.give(queue, x);
      return ended(solved);
    });
  }

  /// Of `count` right-hand sides that follow each other, so many at once; the last one fills up
  /// what is missing at the end. `links` are those that it was made of.
  std::vector<Ended> solve_columns(std::uintptr_t links, std::uintptr_t x, std::uintptr_t b,
                                   Index count, int columns, double tolerance,
                                   Index iterations) const {
    return in_turn(device_, [&](Queue& queue) {
      using gauge::WilsonColumns;
      const Extents& extents = solver_->lattice().extents();
      WilsonColumns solver(queue, extents, links_at(extents, links), numbers_, columns, boundary_,
                           mixed_ ? WilsonColumns::Method::mixed_cg : WilsonColumns::Method::cg);
      const auto sites = static_cast<std::size_t>(extents.count());
      const auto place = [&](std::uintptr_t of, Index column) {
        return reinterpret_cast<Site*>(of) + column * extents.count();
      };
      std::vector<Ended> all;
      for (Index first = 0; first < count; first += columns) {
        std::vector<WilsonColumns::Sites> solutions, sources;
        for (Index i = first; i < first + columns; ++i) {
          const Index column = std::min(i, count - 1);
          solutions.emplace_back(place(x, column), place(x, column + 1));
          sources.emplace_back(place(b, column), place(b, column + 1));
        }
        const auto solved = solver.solve(solutions, sources, options_of(tolerance, iterations));
        for (Index i = first; i < std::min(first + columns, count); ++i) {
          const auto from = static_cast<std::size_t>(i - first);
          std::memcpy(place(x, i), solutions[from].data(), sites * sizeof(Site));
          all.push_back(ended(solved[from]));
        }
      }
      return all;
    });
  }

  /// Of (D^+ D + shift) x = D^+ b for each shift; the solutions follow each other at x.
  std::vector<Ended> solve_shifted(std::uintptr_t x, std::uintptr_t b,
                                   const std::vector<double>& shifts, double tolerance,
                                   Index iterations) const {
    return in_turn(device_, [&](Queue& queue) {
      const Fermions source(*this, queue, b, "the source");
      std::vector<std::unique_ptr<Fermions>> solutions;
      std::vector<const gauge::Fermion<double>*> fields;
      for (std::size_t i = 0; i < shifts.size(); ++i) {
        solutions.push_back(std::make_unique<Fermions>(*this, queue, 0, "the solution"));
        fields.push_back(&solutions.back()->field);
      }
      std::vector<Ended> all;
      for (const solve::Solved& solved :
           solver_->solve_shifted(fields, source.field, shifts, options_of(tolerance, iterations)))
        all.push_back(ended(solved));
      const auto bytes = static_cast<std::size_t>(solver_->lattice().sites()) * sizeof(Site);
      for (std::size_t i = 0; i < shifts.size(); ++i)
        solutions[i]->give(queue, x + i * bytes);
      return all;
    });
  }

private:
  using Site = gauge::Spinor<double>;
  struct Fermions {
    Fermions(const WilsonOperator& d, Queue& queue, std::uintptr_t from, const char* what)
        : field(queue.device(), d.solver_->lattice(), what) {
      std::vector<Site> sites(static_cast<std::size_t>(field.lattice().sites()));
      if (from != 0)
        std::memcpy(sites.data(), reinterpret_cast<const void*>(from), sites.size() * sizeof(Site));
      field.set(queue, sites);
    }
    void give(Queue& queue, std::uintptr_t to) const {
      const auto sites = field.get(queue);
      std::memcpy(reinterpret_cast<void*>(to), sites.data(), sites.size() * sizeof(Site));
    }
    gauge::Fermion<double> field;
  };

  std::string device_;
  gauge::WilsonNumbers numbers_;
  gauge::Boundary boundary_;
  bool mixed_;
  std::unique_ptr<gauge::WilsonSolver> solver_;
};

class DomainWallOperator {
public:
  DomainWallOperator(const Sizes& sizes, std::uintptr_t links, double mass, double m5, int values,
                     double b, double c, bool antiperiodic, bool mixed, std::string device)
      : device_(std::move(device)), volume_(static_cast<std::size_t>(extents_of(sizes).count())),
        values_(static_cast<std::size_t>(values)) {
    in_turn(device_, [&](Queue& queue) {
      const Extents extents = extents_of(sizes);
      solver_ = std::make_unique<gauge::DomainWallSolver>(
          queue, extents, links_at(extents, links),
          gauge::DomainWallNumbers{mass, m5, values, b, c}, boundary_of(antiperiodic),
          mixed ? gauge::DomainWallSolver::Method::mixed_cg : gauge::DomainWallSolver::Method::cg);
    });
  }

  void apply(std::uintptr_t out, std::uintptr_t psi, bool dagger) const {
    in_turn(device_,
            [&](Queue&) { give(solver_->apply(taken(psi, volume_ * values_), dagger), out); });
  }
  /// In five dimensions, or of a source in four from wall to wall; then what is between the walls
  /// goes to `midpoint`, unless that is 0.
  Ended solve(std::uintptr_t x, std::uintptr_t b, double tolerance, Index iterations,
              bool propagates, std::uintptr_t midpoint) const {
    return in_turn(device_, [&](Queue&) {
      const solve::Options options = options_of(tolerance, iterations);
      Sites found, middle;
      const Sites source = taken(b, propagates ? volume_ : volume_ * values_);
      const solve::Solved solved = propagates ? solver_->propagate(found, source, options, &middle)
                                              : solver_->solve(found, source, options);
      give(found, x);
      if (midpoint != 0) give(middle, midpoint);
      return ended(solved);
    });
  }

private:
  using Sites = gauge::DomainWallSolver::Sites;
  static Sites taken(std::uintptr_t from, std::size_t count) {
    Sites sites(count);
    std::memcpy(sites.data(), reinterpret_cast<const void*>(from), count * sizeof(sites.front()));
    return sites;
  }
  static void give(const Sites& sites, std::uintptr_t to) {
    std::memcpy(reinterpret_cast<void*>(to), sites.data(), sites.size() * sizeof(sites.front()));
  }

  std::string device_;
  std::size_t volume_, values_;
  std::unique_ptr<gauge::DomainWallSolver> solver_;
};

/// An operator whose solver takes and gives sites of the host.
template <class Solver>
class SitesOperator {
public:
  void apply(std::uintptr_t out, std::uintptr_t psi, bool dagger) const {
    in_turn(device_, [&](Queue&) {
      Sites result;
      solver_->apply(result, taken(psi), dagger);
      give(result, out);
    });
  }
  Ended solve(std::uintptr_t x, std::uintptr_t b, double tolerance, Index iterations) const {
    return in_turn(device_, [&](Queue&) {
      Sites found = taken(x);
      const solve::Solved solved =
          solver_->solve(found, taken(b), options_of(tolerance, iterations));
      give(found, x);
      return ended(solved);
    });
  }

protected:
  using Sites = typename Solver::Sites;
  SitesOperator(const Sizes& sizes, std::string device)
      : device_(std::move(device)), volume_(static_cast<std::size_t>(extents_of(sizes).count())) {}
  [[nodiscard]] Sites taken(std::uintptr_t from) const {
    Sites sites(volume_);
    std::memcpy(sites.data(), reinterpret_cast<const void*>(from), bytes());
    return sites;
  }
  void give(const Sites& sites, std::uintptr_t to) const {
    std::memcpy(reinterpret_cast<void*>(to), sites.data(), bytes());
  }
  [[nodiscard]] std::size_t bytes() const { return volume_ * sizeof(typename Sites::value_type); }

  std::string device_;
  std::size_t volume_;
  std::unique_ptr<Solver> solver_;
};

class CloverOperator : public SitesOperator<gauge::CloverSolver> {
public:
  CloverOperator(const Sizes& sizes, std::uintptr_t links, double diagonal, double hop, double csw,
                 bool antiperiodic, const std::string& device)
      : SitesOperator(sizes, device) {
    in_turn(device_, [&](Queue& queue) {
      const Extents extents = extents_of(sizes);
      solver_ = std::make_unique<gauge::CloverSolver>(queue, extents, links_at(extents, links),
                                                      gauge::WilsonNumbers{diagonal, hop}, csw,
                                                      boundary_of(antiperiodic));
    });
  }
};

class StaggeredOperator : public SitesOperator<gauge::StaggeredSolver> {
public:
  StaggeredOperator(const Sizes& sizes, std::uintptr_t links, double mass, bool antiperiodic,
                    const std::string& device)
      : SitesOperator(sizes, device) {
    in_turn(device_, [&](Queue& queue) {
      const Extents extents = extents_of(sizes);
      solver_ = std::make_unique<gauge::StaggeredSolver>(queue, extents, links_at(extents, links),
                                                         mass, boundary_of(antiperiodic));
    });
  }
  /// Of (D^+ D + shift) x = D^+ b for each shift; the solutions follow each other at x.
  std::vector<Ended> solve_shifted(std::uintptr_t x, std::uintptr_t b,
                                   const std::vector<double>& shifts, double tolerance,
                                   Index iterations) const {
    return in_turn(device_, [&](Queue&) {
      std::vector<Sites> found(shifts.size());
      std::vector<Ended> all;
      for (const solve::Solved& solved :
           solver_->solve_shifted(found, taken(b), shifts, options_of(tolerance, iterations)))
        all.push_back(ended(solved));
      for (std::size_t i = 0; i < found.size(); ++i)
        give(found[i], x + i * bytes());
      return all;
    });
  }
};

// Texts of headers are bytes: what they are encoded in, no header says.
nb::bytes as_bytes(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

nb::tuple read_links(const std::filesystem::path& file, int configuration) {
  io::GaugeFile read;
  {
    const OthersMayRun others_may_run;
    read = io::read_gauge_file(file, configuration);
  }
  Sizes sizes;
  for (int d = 0; d < 4; ++d)
    sizes.push_back(read.configuration.extents[d]);
  std::vector<std::pair<nb::bytes, nb::bytes>> lines;
  for (const io::HeaderLine& line : read.configuration.header)
    lines.emplace_back(as_bytes(line.key), as_bytes(line.value));
  std::vector<std::tuple<nb::bytes, nb::bytes, nb::bytes, bool>> checks;
  for (const io::GaugeCheck& check : read.checks)
    checks.emplace_back(as_bytes(check.what), as_bytes(check.found), as_bytes(check.expected),
                        check.ok);
  return nb::make_tuple(sizes, lines, checks,
                        nb::bytes(reinterpret_cast<const char*>(read.configuration.links.data()),
                                  bytes_of(read.configuration.links)));
}

/// `target`: what the file, which is in the making, is called in errors. Unless `accept`, throws
/// UsageError for links that reading would refuse.
void write_links(const std::filesystem::path& file, const std::filesystem::path& target,
                 const Sizes& sizes, std::uintptr_t links,
                 const std::vector<std::pair<nb::bytes, nb::bytes>>& header,
                 const std::string& format, int real_bytes, bool big_endian, int rows,
                 bool accept) {
  io::GaugeConfiguration c;
  for (const auto& [key, value] : header)
    c.header.push_back({{key.c_str(), key.size()}, {value.c_str(), value.size()}});
  const OthersMayRun others_may_run;
  c.extents = extents_of(sizes);
  c.links = links_at(c.extents, links);
  const auto kind = format == "ildg" ? io::GaugeFormat::ildg : io::GaugeFormat::nersc;
  const io::GaugeForm form{kind, real_bytes, big_endian, rows};
  io::require_storable(target, form, c);
  if (const gauge::Unitarity worst = gauge::unitarity(c.links);
      !accept && !(worst.distance <= io::unitary_tolerance)) {
    throw UsageError(fmt::format("{}: the link at site {} along {} is {:.1e} from SU(3), more than "
                                 "{:.0e}, and reading would "
                                 "refuse it; accept=True writes it, and reads it again",
                                 target.string(), worst.link / 4, "xyzt"[worst.link % 4],
                                 worst.distance, io::unitary_tolerance));
  }
  io::write_gauge_file(file, form, c);
}

std::pair<double, double> link_averages(const Sizes& sizes, std::uintptr_t links,
                                        const std::string& device) {
  const Extents extents = extents_of(sizes);
  return in_turn(device, [&](Queue& queue) {
    const auto fields = gauge::to_device(queue, gauge::Lattice(extents), links_at(extents, links));
    const auto averages = gauge::MeasurePlaquette(queue, fields)();
    return std::pair(averages.plaquette, averages.link_trace);
  });
}

void heatbath(const Sizes& sizes, std::uintptr_t links, double beta, Index sweeps, int relaxations,
              std::uint64_t seed, std::uint32_t first, const std::string& device) {
  change_links(sizes, links, device, [&](Queue& queue, const gauge::Links<double>& fields) {
    gauge::Heatbath update(queue, fields, {beta, relaxations, seed, first});
    for (Index i = 0; i < sweeps; ++i) {
      update.sweep();
      queue.wait(); // Ctrl-C then ends all: nothing is queued
      check_interrupt();
    }
  });
}

void smear_links(const Sizes& sizes, std::uintptr_t links, bool stout, double weight, int steps,
                 bool spatial, const std::string& device) {
  change_links(sizes, links, device, [&](Queue& queue, gauge::Links<double>& fields) {
    for (int i = 0; i < steps; ++i) {
      gauge::smear(queue, fields, {stout, weight, 1, spatial});
      queue.wait(); // Ctrl-C then ends all: nothing is queued
      check_interrupt();
    }
  });
}

/// Time, energies by leaves and by plaquettes, and charge of each point of the flow.
using Points = std::vector<std::tuple<double, double, double, double>>;
Points flow_links(const Sizes& sizes, std::uintptr_t links, double until, double step,
                  const std::string& device) {
  Points points;
  change_links(sizes, links, device, [&](Queue& queue, gauge::Links<double>& fields) {
    gauge::GradientFlow flow(queue, fields);
    const auto add = [&] {
      const gauge::FlowPoint p = flow.measure();
      points.emplace_back(p.time, p.clover, p.plaquette, p.charge);
      check_interrupt();
    };
    add();
    const auto steps = static_cast<Index>(std::ceil(until / step - 1e-9));
    for (Index i = 0; i < steps; ++i) {
      flow.advance(i + 1 < steps ? step : until - static_cast<double>(i) * step);
      add();
    }
  });
  return points;
}
std::pair<std::optional<double>, std::optional<double>> flow_scales(const Points& points) {
  std::vector<gauge::FlowPoint> all;
  for (const auto& [time, clover, plaquette, charge] : points)
    all.push_back({time, clover, plaquette, charge});
  return {gauge::flow_t0(all), gauge::flow_w0(all)};
}

std::vector<double> wilson_loops(const Sizes& sizes, std::uintptr_t links, int r, int t,
                                 const std::string& device) {
  std::vector<double> values;
  change_links(sizes, links, device, [&](Queue& queue, const gauge::Links<double>& fields) {
    for (const gauge::WilsonLoop& loop : gauge::wilson_loops(queue, fields, r, t))
      values.push_back(loop.value);
  });
  return values;
}
std::pair<double, double> polyakov_loop(const Sizes& sizes, std::uintptr_t links,
                                        const std::string& device) {
  std::pair<double, double> value;
  change_links(sizes, links, device, [&](Queue& queue, const gauge::Links<double>& fields) {
    const auto loop = gauge::polyakov_loop(queue, fields);
    value = {loop.re, loop.im};
  });
  return value;
}

/// Smears `count` fermions that follow each other.
void smear_fermions(const Sizes& sizes, std::uintptr_t links, std::uintptr_t psi, Index count,
                    int steps, double alpha, const std::string& device) {
  const Extents extents = extents_of(sizes);
  using Sites = gauge::GaussianSmearing::Sites;
  in_turn(device, [&](Queue& queue) {
    gauge::GaussianSmearing smear(
        queue, gauge::to_device(queue, gauge::Lattice(extents), links_at(extents, links)));
    for (Index i = 0; i < count; ++i) {
      auto* const place = reinterpret_cast<Sites::value_type*>(psi) +
                          static_cast<std::ptrdiff_t>(i * extents.count());
      Sites sites(place, place + extents.count());
      smear(sites, {steps, alpha});
      std::copy(sites.begin(), sites.end(), place);
    }
  });
}

std::vector<std::pair<std::string, std::vector<double>>>
hadrons(const Sizes& sizes, std::uintptr_t columns, Index source_time, bool antiperiodic) {
  const OthersMayRun others_may_run;
  const Extents extents = extents_of(sizes);
  gauge::PropagatorColumns all;
  const auto* const first = reinterpret_cast<const gauge::Spinor<double>*>(columns);
  for (std::size_t c = 0; c < all.size(); ++c)
    all[c] = first + c * static_cast<std::size_t>(extents.count());
  std::vector<std::pair<std::string, std::vector<double>>> found;
  for (auto& [name, values] : gauge::hadron_correlators(extents, all, source_time, antiperiodic))
    found.emplace_back(name, std::move(values));
  return found;
}

void add_to(nb::module_& m) {
  nb::class_<WilsonOperator>(m, "WilsonOperator")
      .def(nb::init<Sizes, std::uintptr_t, double, double, bool, bool, std::string>(), "extents"_a,
           "links"_a, "diagonal"_a, "hop"_a, "antiperiodic"_a, "mixed"_a, "device"_a)
      .def("apply", &WilsonOperator::apply, "out"_a, "psi"_a, "dagger"_a)
      .def("solve", &WilsonOperator::solve, "x"_a, "b"_a, "tolerance"_a, "iterations"_a)
      .def("solve_columns", &WilsonOperator::solve_columns, "links"_a, "x"_a, "b"_a, "count"_a,
           "columns"_a, "tolerance"_a, "iterations"_a)
      .def("solve_shifted", &WilsonOperator::solve_shifted, "x"_a, "b"_a, "shifts"_a, "tolerance"_a,
           "iterations"_a);
  nb::class_<DomainWallOperator>(m, "DomainWallOperator")
      .def(nb::init<Sizes, std::uintptr_t, double, double, int, double, double, bool, bool,
                    std::string>(),
           "extents"_a, "links"_a, "mass"_a, "m5"_a, "values"_a, "b"_a, "c"_a, "antiperiodic"_a,
           "mixed"_a, "device"_a)
      .def("apply", &DomainWallOperator::apply, "out"_a, "psi"_a, "dagger"_a)
      .def("solve", &DomainWallOperator::solve, "x"_a, "b"_a, "tolerance"_a, "iterations"_a,
           "propagates"_a, "midpoint"_a);
  nb::class_<CloverOperator>(m, "CloverOperator")
      .def(nb::init<Sizes, std::uintptr_t, double, double, double, bool, std::string>(),
           "extents"_a, "links"_a, "diagonal"_a, "hop"_a, "csw"_a, "antiperiodic"_a, "device"_a)
      .def("apply", &CloverOperator::apply, "out"_a, "psi"_a, "dagger"_a)
      .def("solve", &CloverOperator::solve, "x"_a, "b"_a, "tolerance"_a, "iterations"_a);
  nb::class_<StaggeredOperator>(m, "StaggeredOperator")
      .def(nb::init<Sizes, std::uintptr_t, double, bool, std::string>(), "extents"_a, "links"_a,
           "mass"_a, "antiperiodic"_a, "device"_a)
      .def("apply", &StaggeredOperator::apply, "out"_a, "psi"_a, "dagger"_a)
      .def("solve", &StaggeredOperator::solve, "x"_a, "b"_a, "tolerance"_a, "iterations"_a)
      .def("solve_shifted", &StaggeredOperator::solve_shifted, "x"_a, "b"_a, "shifts"_a,
           "tolerance"_a, "iterations"_a);
  m.def("read_links", &read_links, "file"_a, "configuration"_a);
  m.def("write_links", &write_links, "file"_a, "target"_a, "extents"_a, "links"_a, "header"_a,
        "format"_a, "real_bytes"_a, "big_endian"_a, "rows"_a, "accept"_a);
  m.def("link_averages", &link_averages, "extents"_a, "links"_a, "device"_a);
  m.def("heatbath", &heatbath, "extents"_a, "links"_a, "beta"_a, "sweeps"_a, "relaxations"_a,
        "seed"_a, "first"_a, "device"_a);
  m.def("smear_links", &smear_links, "extents"_a, "links"_a, "stout"_a, "weight"_a, "steps"_a,
        "spatial"_a, "device"_a);
  m.def("flow_links", &flow_links, "extents"_a, "links"_a, "until"_a, "step"_a, "device"_a);
  m.def("flow_scales", &flow_scales, "points"_a);
  m.def("wilson_loops", &wilson_loops, "extents"_a, "links"_a, "r"_a, "t"_a, "device"_a);
  m.def("polyakov_loop", &polyakov_loop, "extents"_a, "links"_a, "device"_a);
  m.def("smear_fermions", &smear_fermions, "extents"_a, "links"_a, "psi"_a, "count"_a, "steps"_a,
        "alpha"_a, "device"_a);
  add_by_links(m);
  m.def("hadrons", &hadrons, "extents"_a, "columns"_a, "source_time"_a, "antiperiodic"_a);
}

} // namespace

} // namespace ridge::python

namespace ridge::wings::python {

void gauge(nb::module_& m);

void gauge(nb::module_& m) {
  ridge::python::add_to(m);
}

} // namespace ridge::wings::python
