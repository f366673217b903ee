// From the entries of a header of ridge/lab/kernels/stencil to what the lab knows of its kernels.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/stencil/bench.hpp>
#include <ridge/stencil/sweeps_case.hpp>

#include "entry_checks.hpp"

#include <type_traits>

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

template <class E>
[[nodiscard]] BenchKernel describe_stencil_entry(const char* header) {
  for_ranks<E>(
      [&](auto r) { stencil::know_stencil_source<typename E::template Kernel<r.value>>(header); });
  BenchKernel made = stencil::bench_stencil(
      E::name, E::meaning, stencil::default_stencil_size(E::most_rank), [](const Extents& size) {
        return for_rank_of<E>(
            size, [](auto r) { return stencil::stencil_kernel(benched_stencil<E, r.value>()); });
      });
  made.in_lab = E::in_lab;
  made.numbers = {"hx", "hy", "hz"};
  made.on_arrays.make = [](Queue& queue, RoofSource&, const Arguments& arguments) {
    const Array& out = arguments.arrays.back();
    require_rank(E::name, E::least_rank, E::most_rank, out.rank);
    require_spacing(E::name, E::equal_spacing, arguments.spacing, out.rank, out.element_bytes);
    return for_rank<E>(out.rank, [&](auto r) {
      return stencil::stencil_on_arrays(
          queue, stencil::stencil_kernel(E::template make<r.value>(arguments.spacing)), arguments);
    });
  };
  return made;
}

// --- Those that evolve

/// The kernel that entry E makes, on a grid like those that are benched, its step well within the
/// stable ones.
template <class E, int Rank>
[[nodiscard]] auto benched_evolution() {
  constexpr auto h = stencil::benched_spacing;
  return E::template make<Rank>(h, 1, E::template stable_step<Rank>(h, 1) / 2);
}

/// Says where the kernel that is made is.
template <class K>
void know_made(const char* header, K (* /*make*/)(stencil::Spacing, double, double)) {
  stencil::know_stencil_source<K>(header);
}

template <class K>
[[nodiscard]] Evolution asked_evolution(const EvolutionRequest& r, const K& kernel) {
  return r.element_bytes == 4 ? evolution<K, float>(r.kernel, kernel)
                              : evolution<K, double>(r.kernel, kernel);
}

template <class E>
[[nodiscard]] EvolvingKernel describe_evolving_entry(const char* header) {
  constexpr bool absorbs = requires { &E::template absorbing<E::most_rank>; };
  constexpr bool rests = requires { &E::template at_rest<E::most_rank>; };
  for_ranks<E>([&](auto r) {
    know_made(header, &E::template make<r.value>);
    if constexpr (absorbs) know_made(header, &E::template absorbing<r.value>);
    if constexpr (rests) know_made(header, &E::template at_rest<r.value>);
  });
  EvolvingKernel made{E::name, E::meaning, E::value};
  made.absorbs = absorbs;
  made.stable_step = [](const EvolutionRequest& q) {
    return for_rank<E>(
        q.rank, [&](auto r) { return E::template stable_step<r.value>(q.spacing, q.value); });
  };
  made.make = [](const EvolutionRequest& q, double dt) {
    return for_rank<E>(q.rank, [&](auto r) {
      if constexpr (absorbs) {
        if (q.absorbing)
          return asked_evolution(q, E::template absorbing<r.value>(q.spacing, q.value, dt));
      }
      return asked_evolution(q, E::template make<r.value>(q.spacing, q.value, dt));
    });
  };
  if constexpr (rests) {
    made.at_rest = [](const EvolutionRequest& q, double dt) {
      return for_rank<E>(q.rank, [&](auto r) {
        return asked_evolution(q, E::template at_rest<r.value>(q.spacing, q.value, dt));
      });
    };
  }
  if constexpr (E::benched) {
    made.bench =
        bench_evolution(E::name, E::meaning, stencil::default_stencil_size(E::most_rank),
                        [](const Extents& size, std::string_view precision) {
                          return for_rank_of<E>(size, [&](auto r) {
                            const auto kernel = benched_evolution<E, r.value>();
                            return in_precision(precision, E::name, [&]<class T>(T /*number*/) {
                              return stencil::checked_evolution<T>(E::name, kernel);
                            });
                          });
                        });
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
      made.kernels.push_back(describe_stencil_entry<One>(header));
    }
  };
  (add(E{}), ...);
  return made;
}

} // namespace ridge::lab
