// Kernels of interactions by their names, built in or the user's.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/far/case.hpp>
#include <ridge/pairs/lists/case.hpp>
#include <ridge/pairs/on_arrays.hpp>
#include <ridge/pairs/random_bodies.hpp>
#include <ridge/pattern/bench_kernel.hpp>

#include <functional>
#include <string>

namespace ridge::pairs {

/// Makes so many bodies from a seed.
template <class I>
using MakeBodies = HostBodies<I::sources> (*)(Index count, std::uint64_t seed);

/// The number of bodies asked for. Throws UsageError unless it is one number, and for a precision
/// that is none of those an interaction has: fp32, fp64 and, where `mixed` says so, mixed.
[[nodiscard]] Index bodies_asked(const Extents& size, const std::string& precision,
                                 const std::string& name, bool mixed);

/// The lists' cutoff, skin and box as options say, of a size that numbers in float hold exactly.
/// `positions` are spread over the box: from a unit cube, -1 to 1, or wherever they are; and
/// rounded so that a cutoff takes the same pairs in any precision.
[[nodiscard]] ListOptions spread(const std::array<std::vector<double>*, 3>& positions,
                                 const OptionValues& options);

/// The case of a request on bodies of its own.
template <class I, class P>
[[nodiscard]] std::unique_ptr<Case> requested_case(const std::string& name, const I& interaction,
                                                   HostBodies<I::sources> host,
                                                   const BenchRequest& request, RoofSource& roof) {
  const auto with = [&](const I& chosen) {
    return std::make_shared<OwnBodies<I, P>>(chosen, host, request.device);
  };
  const OptionValues& options = request.options;
  if (options.has("cutoff")) {
    if constexpr (takes_lists<I>) {
      const auto lists = spread({&host[0], &host[1], &host[2]}, options);
      const auto own = with(with_cutoff(interaction, lists.cutoff));
      const NearCall<I, P> call{own->call, lists};
      return case_of(name, own->queue, call, {own->queue, call, roof}, own);
    }
    throw UsageError(name + " has no cutoff: it says of no three components that they are "
                            "positions");
  }
  const auto error = options.find<double>("error");
  if (options.has("theta") || error) {
    if constexpr (takes_lists<I> && std::is_same_v<typename P::Stored, typename P::Computed>) {
      const int degree = options.get("degree", error ? 0 : 4); // 0: any
      FarOptions far;
      if (!error) { // what it chooses is sound
        far.theta = options.get("theta", far.theta);
        far.degree = degree;
        require_sound(far);
      }
      const auto own = with(interaction);
      const FarCall<I, P> call{own->call, far, error, degree};
      return case_of(name, own->queue, call, {std::move(host)}, own);
    }
    throw UsageError(name + " has no far field by proxies: it says of no three components that "
                            "they are positions, or the precision is mixed");
  }
  const auto own = with(interaction);
  return case_of(name, own->queue, own->call, {roof}, own);
}

/// Where interactions `Is` come from, in each precision.
template <class... Is>
void know_interactions(const std::string& file, const std::string& flags = {}) {
  const auto know = [&]<class P>(P /*precision*/) {
    (know_source(typeid(Call<Is, P>), file, flags), ...);
  };
  know(Fp32{});
  know(Fp64{});
  know(Mixed{});
}

/// Calls made(P{}) for a precision of I's.
template <class I, class Made>
[[nodiscard]] auto in_precision_of(const std::string& precision, const Made& made) {
  if (precision == "fp32") return made(Fp32{});
  if constexpr (has_mutual<I>) {
    if (precision == "mixed") return made(Mixed{});
  }
  return made(Fp64{});
}

/// An interaction of random bodies among themselves.
template <class I>
[[nodiscard]] BenchKernel named_kernel(const std::string& name, const std::string& meaning,
                                       const I& interaction,
                                       MakeBodies<I> make = &random_bodies<I::sources>) {
  BenchKernel entry{name, "pairs", meaning, Extents{65536}, {}};
  entry.default_precision = "fp32";
  entry.of_bodies = true;
  entry.make_case = [=](const BenchRequest& request, RoofSource& roof) {
    const Index count = bodies_asked(request.size, request.precision, name, has_mutual<I>);
    return in_precision_of<I>(request.precision, [&]<class P>(P /*precision*/) {
      return requested_case<I, P>(name, interaction, make(count, 1), request, roof);
    });
  };
  entry.on_arrays = {[=](Queue& queue, RoofSource& roof, const Arguments& arguments) {
                       return on_arrays(queue, roof, interaction, arguments);
                     },
                     {"sources", "sums"},
                     1,
                     false,
                     false,
                     true};
  entry.make_menu = [=](const BenchRequest& r, const ridge::Place& place) {
    const Index count = bodies_asked(r.size, r.precision, name, has_mutual<I>);
    return in_precision_of<I>(r.precision, [&]<class P>(P /*precision*/) {
      return menu(traits_of<I, P>(), {count, count, true}, place);
    });
  };
  return entry;
}

} // namespace ridge::pairs
