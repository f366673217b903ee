// A lattice kernel in a file of the user's: a reduction, a map, or an operator.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/lab/user_kernel.hpp>

#include <type_traits>

namespace ridge::lattice {
struct SiteOperator; // ridge/lattice/site_operator.hpp
} // namespace ridge::lattice

namespace ridge::lab {

template <class K>
concept IsReduction = std::is_base_of_v<lattice::Reduction, K>;
template <class K>
concept IsMap = requires(const K& map, Pack<double, 1> number) {
  K::inputs, K::flops;
  map(number);
}
|| requires(const K& map, Pack<double, 1> number) {
  K::inputs, K::flops;
  map(number, number);
};
template <class K>
concept IsSiteOperator = std::is_base_of_v<lattice::SiteOperator, K>;
template <class K>
concept IsOfLattices = IsReduction<K> || IsMap<K> || IsSiteOperator<K>;

/// Describes an operator: ridge/lab/kernels/lattice_operator.hpp has it, which descriptions of
/// files with operators include.
template <class K>
[[nodiscard]] BenchKernel operator_kernel(const std::string& name, const K& kernel,
                                          const std::string& file, const std::string& flags);

/// Describes either; `file` and `flags` are where its source is.
template <class K>
[[nodiscard]] UserKernel describe_of_lattices(const std::string& name, const K& kernel,
                                              const std::string& file, const std::string& flags) {
  UserKernel made;
  std::string what;
  if constexpr (IsSiteOperator<K>) {
    static_assert(
        requires { typename K::template Site<double>; },
        "an operator says what a site holds: template <class T> using Site = "
        "ridge::lattice::ColourVector<T>;");
    static_assert(
        requires { K::flops; },
        "an operator says its operations a result: static constexpr double flops = 582;");
    what = "an operator on";
    made.bench = operator_kernel(name, kernel, file, flags);
  } else if constexpr (IsReduction<K>) {
    static_assert(
        requires { K::name, K::flops; },
        "a reduction says its name and its operations a real number: static constexpr const char* "
        "name = \"fourth powers\"; static constexpr double flops = 4;");
    what = "a reduction of";
    know_source(typeid(lattice::ReduceCall<K, float>), file, flags);
    know_source(typeid(lattice::ReduceCall<K, double>), file, flags);
    made.bench =
        reduction_kernel(name, "a reduction of " + name, [kernel](auto) { return kernel; });
  } else {
    static_assert(
        requires { K::name; },
        "a map says its name: static constexpr const char* name = \"difference\";");
    what = "a map of";
    know_source(typeid(lattice::MapCall<K, float>), file, flags);
    know_source(typeid(lattice::MapCall<K, double>), file, flags);
    made.bench = map_kernel(name, "a map of " + name, [kernel](auto) { return kernel; });
  }
  made.no_job = name + " is " + what + " lattice fields; apply takes stencils";
  return made;
}

} // namespace ridge::lab
