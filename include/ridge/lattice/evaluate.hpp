// Evaluating expressions: for kernel sources, which are compiled once per device kind.
//
//   template <class Target>                        // in a kernel source
//   void Update<Target>::run(Queue& queue, Fields& f) {
//     assign<Target>(queue, f.z, f.a * f.x + adj(f.u) * f.y);
//   }
//   template struct Update<ridge::Here>;
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/lattice/site_executor.hpp>

#if defined(RIDGE_TARGET_CPU) || defined(RIDGE_TARGET_GPU)
namespace ridge::lattice {

/// z = the expression, or at the sites of a subset. z may be in the expression where it is read at
/// the component and site that is stored. Throws UsageError for fields of another lattice and for a
/// z that is needed elsewhere. The fields must outlive what is bound.
template <class Target, class Site, Operand X>
[[nodiscard]] Program
bind_assign(Queue& queue, Field<Site>& z, const X& expression, Subset subset = Subset::all,
            const std::optional<Schedule>& schedule = {}, std::string_view kernel = "user") {
  return detail::bind_here<Target>(queue, assign_call(z, expression, subset), schedule, kernel);
}

/// Evaluates once, in queue order.
template <class Target, class Site, Operand X>
void assign(Queue& queue, Field<Site>& z, const X& expression, Subset subset = Subset::all,
            const std::optional<Schedule>& schedule = {}) {
  bind_assign<Target>(queue, z, expression, subset, schedule).run();
}

} // namespace ridge::lattice
#endif
