// Shared by the modules of links and of their operators: arrays of Python, queues, and the end of a
// solve.
#pragma once

#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/solve/solver.hpp>

#include "python/interrupt.hpp"
#include "python/others_may_run.hpp"
#include "python/queues.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace ridge::python::of_gauge {

// Arrays of Python are C-contiguous, complex128, and come as addresses.

using Sizes = std::vector<Index>; ///< x first

inline Extents extents_of(const Sizes& sizes) {
  return {sizes.data(), static_cast<int>(sizes.size())};
}
inline std::size_t bytes_of(const gauge::HostLinks& links) {
  return links.size() * sizeof(links.front());
}
inline gauge::HostLinks links_at(const Extents& extents, std::uintptr_t address) {
  gauge::HostLinks links(static_cast<std::size_t>(extents.count()) * 4);
  std::memcpy(links.data(), reinterpret_cast<const void*>(address), bytes_of(links));
  return links;
}

/// Does `work` with the queue of a device, in turn with other threads.
template <class Work>
auto in_turn(const std::string& device, const Work& work) {
  const OthersMayRun others_may_run;
  const Unforkable unforkable;
  Turn& turn = queue_of(Device(device).id(), nullptr);
  const std::lock_guard lock(turn.guard);
  return work(turn.queue);
}

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

/// The end of a solve: converged or not, iterations, the residual, seconds, bytes, whether rounding
/// ended it, and whether it went on in fp64.
using Ended = std::tuple<bool, Index, double, double, double, bool, bool>;
inline Ended ended(const solve::Solved& solved) {
  return {solved.converged, solved.iterations, solved.residual, solved.seconds.value,
          solved.bytes,     solved.rounding,   solved.in_double};
}

inline solve::Options options_of(double tolerance, Index iterations) {
  solve::Options options{.tolerance = tolerance, .most_iterations = iterations};
  options.go_on = [](const solve::Progress&) {
    check_interrupt();
    return true;
  };
  return options;
}

inline gauge::Boundary boundary_of(bool antiperiodic) {
  return antiperiodic ? gauge::antiperiodic_in_time : gauge::periodic;
}

/// The operators of fermions and their solvers.
void add_operators(nanobind::module_& m);
/// Gradients of operators by links.
void add_by_links(nanobind::module_& m);

} // namespace ridge::python::of_gauge
