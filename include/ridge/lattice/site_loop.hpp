// Site loops: a kernel at every site of a lattice, or at its even or odd ones, in one launch.
//
// A site kernel is a functor, copied to the device,
//
//   template <class At> RIDGE_FN void operator()(const At& at) const {
//     const auto u = coalesced_read(at, links);            // the tensor of a SiteView
//     const auto v = coalesced_read(at.shifted(2, +1), links);
//     coalesced_write(at, product, u * adj(v));
//   }
//
// whose tensors hold plain numbers on a GPU lane and packs of sites on the cpu. Kernel sources,
// compiled once per device kind, call `for_each_site<Here>`. On GPUs a kernel is compiled for
// blocks of at most 256 threads, or for those of its own `using Bounds = Choices<1024, 256>`.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lattice/schedule.hpp>

#include <optional>

namespace ridge::lattice {

/// All sites, or those whose coordinates add up to an even or odd number.
enum class Subset { all, even, odd };

/// Tensors of so few components are computed in one piece, so that what they share is loaded once.
inline constexpr int few_components = 9;

/// The tensor of a field at a site.
template <class At, class S>
RIDGE_FN auto coalesced_read(const At& at, const SiteView<S>& view) {
  using Tensor = std::remove_const_t<S>;
  Over<Tensor, typename At::template Value<RealOf<Tensor>>> site;
  RIDGE_UNROLL
  for (int c = 0; c < components_of<Tensor>; ++c)
    component(site, c) = at.load(view, c);
  return site;
}

/// Stores a tensor. The field has numbers of the size that the loop goes by.
template <class At, class S, class Value>
RIDGE_FN void coalesced_write(const At& at, const SiteView<S>& view, const Value& site) {
  RIDGE_UNROLL
  for (int c = 0; c < components_of<S>; ++c)
    at.store(view, c, component(site, c));
}

namespace detail {
/// The schedule given, or the default; UsageError for that of another kind of device.
template <class S>
S schedule_of(const Device& device, const std::optional<Schedule>& given, const SiteShape& shape,
              const Geometry& geometry) {
  const Schedule chosen =
      given ? *given : default_schedule(device, Task::expression, shape, geometry);
  if (const auto* const fitting = std::get_if<S>(&chosen)) return *fitting;
  throw UsageError("the schedule '" + to_text(chosen) + "' is not one for " +
                   ridge::to_text(device.id()));
}
} // namespace detail

} // namespace ridge::lattice

#if defined(RIDGE_TARGET_CPU)
#include <ridge/lattice/cpu_site_loop.hpp>
#elif defined(RIDGE_TARGET_SIMT) || defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#include <ridge/lattice/gpu_site_loop.hpp>
#endif
