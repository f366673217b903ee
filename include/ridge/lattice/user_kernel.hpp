// A reduction or a map of lattice fields in a file of the user's.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lattice/kernel.hpp>
#include <ridge/pattern/user_kernel.hpp>

#include <type_traits>

namespace ridge {

namespace lattice {

template <class K>
concept IsReduction = std::is_base_of_v<Reduction, K>;
template <class K>
concept IsMap = requires(const K& map, Pack<double, 1> number) {
  K::inputs, K::flops;
  map(number);
}
|| requires(const K& map, Pack<double, 1> number) {
  K::inputs, K::flops;
  map(number, number);
};

} // namespace lattice

template <class K>
requires lattice::IsReduction<K> || lattice::IsMap<K>
struct DescriptionOf<K> {
  template <KernelUse For>
  [[nodiscard]] static DescribedKernel describe(const std::string& name, const K& kernel,
                                                const std::string& file, const std::string& flags) {
    const auto made = [&](const std::string& what, BenchKernel bench) -> DescribedKernel {
      return {std::move(bench), name + " is " + what + " lattice fields; apply takes stencils"};
    };
    if constexpr (lattice::IsReduction<K>) {
      static_assert(
          requires { K::name, K::flops; },
          "a reduction says its name and its operations a real number: static constexpr const "
          "char* name = \"fourth powers\"; static constexpr double flops = 4;");
      know_source(typeid(lattice::ReduceCall<K, float>), file, flags);
      know_source(typeid(lattice::ReduceCall<K, double>), file, flags);
      return made("a reduction of", lattice::reduction_kernel(name, "a reduction of " + name,
                                                              [kernel](auto) { return kernel; }));
    } else {
      static_assert(
          requires { K::name; },
          "a map says its name: static constexpr const char* name = \"difference\";");
      know_source(typeid(lattice::MapCall<K, float>), file, flags);
      know_source(typeid(lattice::MapCall<K, double>), file, flags);
      return made("a map of",
                  lattice::map_kernel(name, "a map of " + name, [kernel](auto) { return kernel; }));
    }
  }
};

} // namespace ridge
