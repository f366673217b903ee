// Operators of fermions and their solvers for Python.
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/domain_wall.hpp>
#include <ridge/gauge/staggered_solver.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>

#include "arrays.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python::of_gauge {

namespace {

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

  /// Solves for `count` right-hand sides that follow each other, so many at once; the last one
  /// fills up what is missing at the end. `links` are those that it was made of.
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

  /// Solves (D^+ D + shift) x = D^+ b for each shift; the solutions follow each other at x.
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
  /// Solves in five dimensions, or for a source in four from wall to wall; the solution between the
  /// walls goes to `midpoint` then, unless that is 0.
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
  /// Solves (D^+ D + shift) x = D^+ b for each shift; the solutions follow each other at x.
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

} // namespace

void add_operators(nb::module_& m) {
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
}

} // namespace ridge::python::of_gauge
