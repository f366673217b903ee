// What the parts of the module ridge._gauge share. Arrays of Python are C-contiguous, complex128,
// and come as addresses.
#pragma once

#include <ridge/gauge/averages.hpp>

#include "python/others_may_run.hpp"
#include "python/queues.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ridge::python {

using Sizes = std::vector<Index>; ///< x first

[[nodiscard]] inline Extents extents_of(const Sizes& sizes) {
  return {sizes.data(), static_cast<int>(sizes.size())};
}
[[nodiscard]] inline std::size_t bytes_of(const gauge::HostLinks& links) {
  return links.size() * sizeof(links.front());
}
[[nodiscard]] inline gauge::HostLinks links_at(const Extents& extents, std::uintptr_t address) {
  gauge::HostLinks links(static_cast<std::size_t>(extents.count()) * 4);
  std::memcpy(links.data(), reinterpret_cast<const void*>(address), bytes_of(links));
  return links;
}

/// With the queue of a device, in turn with other threads.
template <class Work>
auto in_turn(const std::string& device, const Work& work) {
  const OthersMayRun others_may_run;
  const Unforkable unforkable;
  Turn& turn = queue_of(Device(device).id(), nullptr);
  const std::lock_guard lock(turn.guard);
  return work(turn.queue);
}

/// Adds gradients by links.
void add_by_links(nanobind::module_& m);

} // namespace ridge::python
