// From the entries of a header of ridge/lab/kernels/stencil to what the lab knows of its kernels.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/on_arrays/stencil.hpp>
#include <ridge/lab/rank_stencil.hpp>
#include <ridge/lab/stencil_entry.hpp>

#include "entry_checks.hpp"
#include "evolution_case.hpp"

#include <type_traits>
#include <utility>

namespace ridge::lab {

/// Calls `use(std::integral_constant<int, rank>{})` for a rank that entry E has.
template <class E, int Rank = E::least_rank, class Use>
auto for_rank(int rank, const Use& use) {
  if constexpr (Rank == E::least_rank) require_rank(E::name, E::least_rank, E::most_rank, rank);
  if constexpr (Rank < E::most_rank) {
    if (rank != Rank) return for_rank<E, Rank + 1>(rank, use);
  }
  return use(std::integral_constant<int, Rank>{});
}

/// The same for the rank of a size, which is named where E does not have it.
template <class E, class Use>
auto for_rank_of(const Extents& size, const Use& use) {
  require_rank(E::name, E::least_rank, E::most_rank, size.rank(), to_text(size));
  return for_rank<E>(size.rank(), use);
}

/// The same for each of them.
template <class E, class Use>
void for_ranks(const Use& use) {
  for (int rank = E::least_rank; rank <= E::most_rank; ++rank)
    for_rank<E>(rank, use);
}

// --- Stencils

/// What is benched: spacings that differ where they may, so that a swapped axis shows.
template <class E, int Rank>
[[nodiscard]] auto benched_stencil() {
  constexpr stencil::Spacing even{0.5, 0.5, 0.5};
  constexpr stencil::Spacing uneven{0.5, 0.75, 1.25};
  return E::template make<Rank>(E::equal_spacing ? even : uneven);
}

template <class K>
[[nodiscard]] stencil::Traits traits_in(std::string_view precision, std::string_view name) {
  if (precision == "fp32") return stencil::traits_of<K, float>();
  if (precision == "fp64") return stencil::traits_of<K, double>();
  refuse_precision(precision, name, "fp32 and fp64");
}

template <class E>
[[nodiscard]] stencil::Traits traits_of_entry(std::string_view precision, int rank) {
  return for_rank<E>(rank, [&](auto r) {
    return traits_in<typename E::template Kernel<r.value>>(precision, E::name);
  });
}

template <class E>
[[nodiscard]] StencilJob job_of_entry(int rank, int element_bytes, stencil::Spacing h) {
  require_spacing(E::name, E::equal_spacing, h, rank, element_bytes);
  return for_rank<E>(rank, [&](auto r) {
    using K = typename E::template Kernel<r.value>;
    const K kernel = E::template make<r.value>(h);
    return element_bytes == 4 ? stencil_job<K, float>(E::name, kernel)
                              : stencil_job<K, double>(E::name, kernel);
  });
}

template <class E>
[[nodiscard]] BuiltInStencil describe_stencil_entry(const char* header) {
  for_ranks<E>([&](auto r) { know_stencil_source<typename E::template Kernel<r.value>>(header); });
  BuiltInStencil made{{E::name, "stencil", E::meaning, default_stencil_size(E::most_rank),
                       [](const BenchRequest& request, RoofSource&) {
                         return for_rank_of<E>(request.size, [&](auto r) {
                           return stencil_case(E::name, benched_stencil<E, r.value>(), request);
                         });
                       }},
                      &traits_of_entry<E>,
                      nullptr};
  made.bench.in_lab = E::in_lab;
  made.bench.on_arrays = arrays_of_stencil<typename E::template Kernel<E::most_rank>>();
  made.bench.on_arrays.make = [](Queue& queue, RoofSource&, const Arguments& arguments) {
    const Array& out = arguments.arrays.back();
    require_rank(E::name, E::least_rank, E::most_rank, out.rank);
    require_spacing(E::name, E::equal_spacing, arguments.spacing, out.rank, out.element_bytes);
    return for_rank<E>(out.rank, [&](auto r) {
      return stencil_on_arrays(queue, E::template make<r.value>(arguments.spacing), arguments);
    });
  };
  made.bench.make_menu = [](const BenchRequest& r, const Place& place) {
    return stencil::menu(traits_of_entry<E>(r.precision, r.size.rank()), r.size.xyz(), place);
  };
  made.bench.make_rank_case = [](const BenchRequest& request, comm::Communicator& ranks,
                                 const std::string& grid) {
    return for_rank_of<E>(request.size, [&](auto r) {
      return rank_stencil_case(E::name, benched_stencil<E, r.value>(), request, ranks, grid);
    });
  };
  if constexpr (stencil::inputs_of<typename E::template Kernel<E::most_rank>> == 1)
    made.job = &job_of_entry<E>;
  return made;
}

// --- Those that evolve

/// The kernel that entry E makes, on a grid like those that are benched.
template <class E, int Rank>
[[nodiscard]] auto benched_evolution() {
  const double dt = part_of_stable * E::template stable_step<Rank>(sweeps_spacing, 1);
  return E::template make<Rank>(sweeps_spacing, 1, dt);
}

template <class E>
[[nodiscard]] stencil::Traits traits_of_evolving(std::string_view precision, int rank) {
  return for_rank<E>(rank, [&](auto r) {
    return traits_in<decltype(benched_evolution<E, r.value>())>(precision, E::name);
  });
}

/// Says where the kernel that is made is.
template <class K>
void know_made(const char* header, K (* /*make*/)(stencil::Spacing, double, double)) {
  know_stencil_source<K>(header);
}

template <class K>
[[nodiscard]] Evolution evolution_of(const EvolutionRequest& r, const K& kernel) {
  return r.element_bytes == 4 ? evolution<K, float>(r.kernel, kernel)
                              : evolution<K, double>(r.kernel, kernel);
}

template <class E>
[[nodiscard]] EvolvingKernel describe_evolving_entry(const char* header) {
  constexpr bool absorbs = requires {
    &E::template absorbing<E::most_rank>;
  };
  constexpr bool rests = requires {
    &E::template at_rest<E::most_rank>;
  };
  for_ranks<E>([&](auto r) {
    know_made(header, &E::template make<r.value>);
    if constexpr (absorbs) know_made(header, &E::template absorbing<r.value>);
    if constexpr (rests) know_made(header, &E::template at_rest<r.value>);
  });
  EvolvingKernel made{E::name, E::meaning, E::value};
  made.absorbs = absorbs;
  made.traits = &traits_of_evolving<E>;
  made.stable_step = [](const EvolutionRequest& q) {
    return for_rank<E>(
        q.rank, [&](auto r) { return E::template stable_step<r.value>(q.spacing, q.value); });
  };
  made.make = [](const EvolutionRequest& q, double dt) {
    return for_rank<E>(q.rank, [&](auto r) {
      if constexpr (absorbs) {
        if (q.absorbing)
          return evolution_of(q, E::template absorbing<r.value>(q.spacing, q.value, dt));
      }
      return evolution_of(q, E::template make<r.value>(q.spacing, q.value, dt));
    });
  };
  if constexpr (rests) {
    made.at_rest = [](const EvolutionRequest& q, double dt) {
      return for_rank<E>(q.rank, [&](auto r) {
        return evolution_of(q, E::template at_rest<r.value>(q.spacing, q.value, dt));
      });
    };
  }
  if constexpr (E::benched) {
    made.bench = BenchKernel{E::name, "sweeps", E::meaning, default_stencil_size(E::most_rank),
                             [](const BenchRequest& request, RoofSource& roof) {
                               return for_rank_of<E>(request.size, [&](auto r) {
                                 return evolution_case(E::name, benched_evolution<E, r.value>(),
                                                       request, roof);
                               });
                             }};
    made.bench->make_menu = [](const BenchRequest& r, const Place& place) {
      constexpr int levels = stencil::levels_of<decltype(benched_evolution<E, E::most_rank>())>();
      return stencil::sweeps_menu(traits_of_evolving<E>(r.precision, r.size.rank()), levels,
                                  stencil::parse_boundaries(r.boundary), r.size.xyz(), place);
    };
  }
  return made;
}

/// The kernels of a header's entries; `header` is how compilers include it.
template <class... E>
[[nodiscard]] BuiltIn describe(Stencils<E...> /*all*/, const char* header) {
  BuiltIn made;
  const auto add = [&]<class One>(One /*entry*/) {
    if constexpr (requires { One::value; }) {
      made.evolving.push_back(describe_evolving_entry<One>(header));
    } else if constexpr (requires { One::name; }) {
      made.stencils.push_back(describe_stencil_entry<One>(header));
    }
  };
  (add(E{}), ...);
  return made;
}

} // namespace ridge::lab
