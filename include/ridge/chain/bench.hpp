// Chains as kernels by their names, on random arrays and on those of other languages.
#pragma once

#include <ridge/chain/case.hpp>
#include <ridge/chain/on_arrays.hpp>
#include <ridge/core/error.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/precision.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ridge::chain {

/// Chains that can be run on random arrays and compared with the reference: inputs, temporaries,
/// and one output, the last.
template <class C>
[[nodiscard]] constexpr bool runs_on_random_arrays() {
  for (std::size_t i = 0; i + 1 < C::arrays.size(); ++i) {
    const Role role = C::arrays[i].role;
    if (role != Role::input && role != Role::temporary) return false;
  }
  return C::arrays.back().role == Role::output;
}

/// Throws UsageError for more dimensions than the chain has, and for a precision that is neither
/// fp32 nor fp64.
void require_chain(const std::string& name, int dimensions, const Extents& size,
                   const std::string& precision);

/// All dimensions of C's ranges.
template <class C>
inline constexpr int chain_dimensions = static_cast<int>(C::dimensions.size()) + outer_of<C>();

/// A chain's entry, which runs nowhere yet.
template <class C>
[[nodiscard]] BenchKernel chain_entry(const std::string& name, const std::string& meaning) {
  constexpr int dimensions = chain_dimensions<C>;
  return {name,
          "chain",
          meaning,
          dimensions == 1   ? Extents{Index{1} << 24}
          : dimensions == 2 ? Extents{4096, 4096}
          : dimensions == 3 ? Extents{256, 256, 256}
                            : Extents{64, 64, 64, 64},
          {}};
}

template <class C>
[[nodiscard]] BenchKernel chain_kernel(const std::string& name, const std::string& meaning,
                                       const C& chain) {
  constexpr int dimensions = chain_dimensions<C>;
  BenchKernel made = chain_entry<C>(name, meaning);
  made.make_case = [=](const BenchRequest& request, RoofSource&) {
    require_chain(name, dimensions, request.size, request.precision);
    return in_precision(request.precision, name, [&]<class T>(T /*number*/) {
      const auto range = range_of(describe<C, T>(), request.size);
      const auto own = std::make_shared<OwnArrays<C, T>>(request.device, chain, range);
      return case_of(name, own->queue, own->call, {}, own);
    });
  };
  made.on_arrays = arrays_of_chain<C>();
  made.on_arrays.make = [=](Queue& queue, RoofSource&, const Arguments& arguments) {
    return chain_on_arrays(queue, chain, arguments);
  };
  made.make_menu = [=](const BenchRequest& r, const Place& place) {
    require_chain(name, dimensions, r.size, r.precision);
    const auto d = describe_in<C>(r.precision);
    return menu(d, range_of(d, r.size), place);
  };
  return made;
}

} // namespace ridge::chain
