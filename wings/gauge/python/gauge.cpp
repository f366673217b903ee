#include <ridge/core/error.hpp>
#include <ridge/gauge/flow.hpp>
#include <ridge/gauge/gaussian.hpp>
#include <ridge/gauge/hadrons.hpp>
#include <ridge/gauge/heatbath.hpp>
#include <ridge/gauge/loops.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/gauge/smear.hpp>
#include <ridge/io/gauge_file.hpp>

#include "arrays.hpp"
#include "python/stepping.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python::of_gauge {

namespace {

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

/// Ends what launches after Ctrl-C: nothing is queued then. Looks ten times a second, as other
/// threads have the interpreter meanwhile.
std::function<void()> interrupts_of(Queue& queue) {
  using Clock = std::chrono::steady_clock;
  return [&queue, next = Clock::now()]() mutable {
    if (Clock::now() < next) return;
    queue.wait();
    check_interrupt();
    next = Clock::now() + std::chrono::milliseconds(100);
  };
}

void heatbath(const Sizes& sizes, std::uintptr_t links, double beta, Index sweeps, int relaxations,
              std::uint64_t seed, std::uint32_t first, const std::string& device) {
  change_links(sizes, links, device, [&](Queue& queue, const gauge::Links<double>& fields) {
    gauge::Heatbath update(queue, fields, {beta, relaxations, seed, first});
    update.between_launches(interrupts_of(queue));
    for (Index i = 0; i < sweeps; ++i)
      update.sweep();
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
    for (const gauge::WilsonLoop& loop :
         gauge::wilson_loops(queue, fields, r, t, interrupts_of(queue)))
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
      std::atomic<Index> done{0};
      take_steps(done, steps, [&](Index few) {
        const auto begin = std::chrono::steady_clock::now();
        smear(sites, {static_cast<int>(few), alpha});
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      });
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
  add_operators(m);
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

} // namespace ridge::python::of_gauge

namespace ridge::wings::python {

void gauge(nb::module_& m);

void gauge(nb::module_& m) {
  ridge::python::of_gauge::add_to(m);
}

} // namespace ridge::wings::python
