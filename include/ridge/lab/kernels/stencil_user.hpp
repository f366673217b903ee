// Stencils in files of the user's.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/bench.hpp>
#include <ridge/stencil/declared.hpp>

#include <optional>
#include <string>
#include <type_traits>

namespace ridge::lab {

template <Use For, class K>
[[nodiscard]] UserKernel describe_declared_stencil(const std::string& name, const K& kernel) {
  UserKernel made;
  if constexpr (For == Use::evolution) {
    made.bench.name = name;
    made.bench.pattern = "stencil";
    made.evolution = [name, kernel](int element_bytes, std::optional<double> dt) {
      K set = kernel;
      if constexpr (knows_dt<K>) {
        if (dt) set.dt = as_member<std::remove_cvref_t<decltype(set.dt)>>({"dt", *dt, {}, "--"});
      } else if (dt) {
        throw UsageError(name + " has no member dt for --dt to set");
      }
      return element_bytes == 4 ? evolution<K, float>(name, set) : evolution<K, double>(name, set);
    };
  } else {
    const stencil::StencilKernel any = stencil::stencil_kernel(kernel);
    made.bench = stencil::bench_stencil(name, "a stencil of " + name,
                                        stencil::default_stencil_size(rank_of<K>()),
                                        [any](const Extents& /*size*/) { return any; });
  }
  return made;
}

/// Compilers say first what a stencil has to have.
template <Use For, class K>
[[nodiscard]] UserKernel describe_stencil_kernel(const std::string& name, const K& kernel,
                                                 const std::string& file,
                                                 const std::string& flags) {
  stencil::require_declared(name, kernel);
  stencil::know_stencil_source<K>(file, flags);
  return describe_declared_stencil<For>(name, kernel);
}

} // namespace ridge::lab
