// Benchmarks of interactions, built in or the user's.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/far_case.hpp>
#include <ridge/lab/near_case.hpp>
#include <ridge/lab/on_arrays/pairs.hpp>
#include <ridge/lab/pairs_bodies.hpp>
#include <ridge/lab/pairs_case.hpp>

#include <functional>
#include <string>

namespace ridge::lab {

/// Makes so many bodies from a seed.
template <class I>
using MakeBodies = pairs::HostBodies<I::sources> (*)(Index count, std::uint64_t seed);

/// The number of bodies asked for. Throws UsageError unless it is one number, and for a precision
/// that is none of those an interaction has: fp32, fp64 and, where `mixed` says so, mixed.
[[nodiscard]] Index bodies_asked(const Extents& size, const std::string& precision,
                                 const std::string& name, bool mixed);

/// An interaction of random bodies among themselves.
template <class I>
[[nodiscard]] BenchKernel pairs_kernel(const std::string& name, const std::string& meaning,
                                       const I& interaction,
                                       MakeBodies<I> make = &random_bodies<I::sources>) {
  BenchKernel entry{name, "pairs", meaning, Extents{65536}, {}};
  entry.default_precision = "fp32";
  entry.make_case = [=](const BenchRequest& request, RoofSource& roof) -> std::unique_ptr<Case> {
    const Index count = bodies_asked(request.size, request.precision, name, pairs::has_mutual<I>);
    const auto of = [&]<class P>(P /*precision*/) -> std::unique_ptr<Case> {
      if (request.near) {
        if constexpr (takes_lists<I>) {
          return std::make_unique<NearCase<I, P>>(name, interaction, make(count, 1), *request.near,
                                                  request.device, roof);
        }
        throw UsageError(name + " has no cutoff: it says of no three components that they are "
                                "positions");
      }
      if (request.far) {
        if constexpr (takes_lists<I> && std::is_same_v<typename P::Stored, typename P::Computed>) {
          return std::make_unique<FarCase<I, P>>(name, interaction, make(count, 1), *request.far,
                                                 request.device);
        }
        throw UsageError(name + " has no far field by proxies: it says of no three components that "
                                "they are positions, or the precision is mixed");
      }
      return std::make_unique<PairsCase<I, P>>(name, interaction, make(count, 1), request.device,
                                               roof);
    };
    if (request.precision == "fp32") return of(pairs::Fp32{});
    if constexpr (pairs::has_mutual<I>) {
      if (request.precision == "mixed") return of(pairs::Mixed{});
    }
    return of(pairs::Fp64{});
  };
  entry.on_arrays = {[=](Queue& queue, RoofSource& roof, const Arguments& arguments) {
                       return pairs_on_arrays(queue, roof, interaction, arguments);
                     },
                     {"sources", "sums"},
                     1,
                     false,
                     false,
                     true};
  entry.make_menu = [=](const BenchRequest& r, const Place& place) {
    const Index count = bodies_asked(r.size, r.precision, name, pairs::has_mutual<I>);
    pairs::Traits traits = pairs::traits_of<I, pairs::Fp64>();
    if (r.precision == "fp32") traits = pairs::traits_of<I, pairs::Fp32>();
    if constexpr (pairs::has_mutual<I>) {
      if (r.precision == "mixed") traits = pairs::traits_of<I, pairs::Mixed>();
    }
    return pairs::menu(traits, {count, count, true}, place);
  };
  return entry;
}

} // namespace ridge::lab
