// Evaluating expressions: for kernel sources, which are compiled once per device kind.
//
//   template <class Target>                        // in a kernel source
//   void Update<Target>::run(Queue& queue, Fields& f) {
//     assign<Target>(queue, f.z, f.a * f.x + adj(f.u) * f.y);
//   }
//   template struct Update<ridge::Here>;
#pragma once

#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <type_traits>

namespace ridge::lattice {

namespace detail {

template <class Site, class E>
void check_assignment(const Field<Site>& z, const E& e) {
  e.for_each_field(
      [&](const auto& leaf, bool in_place) {
        check_operand(z.label(), z.reals().data, *leaf.label, leaf.view.reals.data, in_place);
      },
      true);
}

} // namespace detail

#if !defined(RIDGE_TARGET_CPU) && !defined(RIDGE_TARGET_SIMT) && !defined(RIDGE_TARGET_CUDA) &&    \
    !defined(RIDGE_TARGET_HIP)
} // namespace ridge::lattice
#else

inline namespace RIDGE_TARGET_NAME {

/// Stores an expression, all components of a site or one.
template <class S, class E, bool Stream>
struct Assigner {
  SiteView<S> z;
  E e;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    if constexpr (components_of<S> <= few_components) {
      RIDGE_UNROLL
      for (int c = 0; c < components_of<S>; ++c)
        one(at, c);
    } else {
      for (int c = 0; c < components_of<S>; ++c)
        one(at, c);
    }
  }
  template <class At>
  RIDGE_FN void operator()(const At& at, int part) const {
    one(at, part);
  }

private:
  template <class At>
  RIDGE_FN void one(const At& at, int c) const {
    using Value = NumberOf<Over<S, typename At::template Value<RealOf<S>>>>;
    if constexpr (Stream) {
      at.template store<true>(z, c, Value(e.component(at, c)));
    } else {
      at.store(z, c, Value(e.component(at, c)));
    }
  }
};

} // namespace RIDGE_TARGET_NAME

/// z = the expression, or at the sites of a subset, in one launch, in queue order. z may be in the
/// expression where it is read at the component and site that is stored. Throws UsageError for
/// fields of another lattice and for a z that is needed elsewhere.
template <class Target, class Site, Operand X>
void assign(Queue& queue, Field<Site>& z, const X& expression, Subset subset = Subset::all,
            const std::optional<Schedule>& schedule = {}) {
  static_assert(std::is_same_v<Target, Here>, "expressions are for kernel sources and their Here");
  using E = detail::NodeOf<X>;
  const E e = detail::node(expression);
  static_assert(std::is_same_v<typename E::Tensor, Site>,
                "the expression gives another site tensor than the field holds");
  detail::check_assignment(z, e);
#if defined(RIDGE_TARGET_CPU)
  const auto s =
      detail::schedule_of<CpuSchedule>(queue.device(), schedule, z.shape(), z.geometry());
  constexpr int width = cpu_site::width_of<Site>;
  const cpu_site::FieldsAhead ahead(s, e);
  if (s.store == Store::nontemporal) {
    cpu_site::loop<width>(z.geometry(), Assigner<Site, E, true>{z.view(), e}, subset, s, &ahead);
  } else {
    cpu_site::loop<width>(z.geometry(), Assigner<Site, E, false>{z.view(), e}, subset, s, &ahead);
  }
#else
  const auto s =
      detail::schedule_of<GpuSchedule>(queue.device(), schedule, z.shape(), z.geometry());
  const Assigner<Site, E, false> kernel{z.view(), e};
  constexpr int bytes = sizeof(NumberOf<Site>);
  if (s.components == Components::threads) {
    gpu::loop<1024, bytes>(queue, z.geometry(), kernel, components_of<Site>, subset, s);
  } else {
    gpu::loop<256, bytes>(queue, z.geometry(), gpu::Whole<Assigner<Site, E, false>>{kernel}, 1,
                          subset, s);
  }
#endif
}

} // namespace ridge::lattice

#endif
