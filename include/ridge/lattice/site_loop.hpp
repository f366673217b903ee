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
// compiled once per device kind, call `for_each_site<Here>` or bind it once and run it often by
// `bind_site_loop<Here>`. On GPUs a kernel is compiled ahead for blocks of at most 256 threads, or
// for those of its own `using Bounds = Choices<1024, 256>`. For its record it may say `name`,
// `flops` a site, and by
//
//   template <class F> void for_each_view(const F& f) const { f(links), f(product); }
//
// the fields that it reads and writes, all of them. A kernel that says them reads them without a
// branch between its loads on GPUs, where they lie as the loop goes: that is several times as fast.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/lattice/site_access.hpp>
#include <ridge/lattice/site_executor.hpp>

#if defined(RIDGE_TARGET_CPU) || defined(RIDGE_TARGET_GPU)
namespace ridge::lattice {

/// `kernel` at the sites of a lattice as the field `like` lies. The fields that it holds views of
/// must outlive what is bound.
template <class Target, class S, class K>
[[nodiscard]] Program
bind_site_loop(Queue& queue, const SiteView<S>& like, const K& kernel, Subset subset = Subset::all,
               const std::optional<Schedule>& schedule = {}, std::string_view name = "user") {
  return detail::bind_here<Target>(queue, SiteLoopCall<S, K>{like, kernel, subset}, schedule, name);
}

/// Runs the loop once, in queue order.
template <class Target, class S, class K>
void for_each_site(Queue& queue, const SiteView<S>& like, const K& kernel,
                   Subset subset = Subset::all, const std::optional<Schedule>& schedule = {}) {
  bind_site_loop<Target>(queue, like, kernel, subset, schedule).run();
}

} // namespace ridge::lattice
#endif
