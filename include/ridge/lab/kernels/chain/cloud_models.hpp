// Many small models of the air at once, as a climate model has one for each of its columns: mixing,
// a branch where vapour condenses, and rain that settles.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/branch.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/lab/kernels/chain_entry.hpp>

namespace ridge::lab {

/// Cells (x, y) on levels (z) of each model. All numbers are scaled: random fields of -1 to 1 make
/// cloud in two cells of a hundred.
struct CloudModels {
  static constexpr chain::Slot<0> heat{};
  static constexpr chain::Slot<1> vapour{};
  static constexpr chain::Slot<2> mixed_heat{};
  static constexpr chain::Slot<3> mixed_vapour{};
  static constexpr chain::Slot<4> warmed{};
  static constexpr chain::Slot<5> rain{};
  static constexpr chain::Slot<6> settled{};

  struct Mix {
    static constexpr const char* name = "mix";
    static constexpr chain::Reach around{{-1, 0, -1}, {1, 0, 1}};
    static constexpr std::array accesses{chain::read(heat, around), chain::read(vapour, around),
                                         chain::write(mixed_heat), chain::write(mixed_vapour)};
    static constexpr double flops = 12;
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      const auto mixed = [&](auto slot) {
        return 0.5 * at(slot) +
               0.125 * ((at(slot, -1) + at(slot, 1)) + (at(slot, 0, 0, -1) + at(slot, 0, 0, 1)));
      };
      at.set(mixed_heat, mixed(heat));
      at.set(mixed_vapour, mixed(vapour));
    }
  };
  /// Vapour beyond saturation condenses and warms: c of v - c = a exp(b (h + l c)), by three of
  /// Newton's steps. The exponential lies above its tangent: below that nothing condenses.
  struct Condense {
    static constexpr const char* name = "condense";
    static constexpr std::array accesses{chain::read(mixed_heat), chain::read(mixed_vapour),
                                         chain::write(warmed), chain::write(rain)};
    static constexpr double flops = 5;
    static constexpr chain::Branch branch{100, 0.02};
    static constexpr double a = 0.625, b = 0.25, l = 0.5;
    bool everywhere = false; ///< without a branch

    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      using V = typename At::Value;
      const V h = at(mixed_heat);
      const V v = at(mixed_vapour);
      const auto cloudy = v > a * (1.0 + b * h);
      const auto condensed = [&] {
        V c(0.0);
        for (int step = 0; step < 3; ++step) {
          const V saturated = a * exp(b * (h + l * c));
          c = c + (v - c - saturated) / (1.0 + b * l * saturated);
        }
        return max(c, V(0.0));
      };
      const V c = everywhere ? V(select(cloudy, condensed(), V(0.0)))
                             : V(ridge::branch(cloudy, condensed, V(0.0)));
      at.set(rain, c);
      at.set(warmed, h + l * c);
    }
  };
  /// Rain of the level above falls in, that of this one out.
  struct Settle {
    static constexpr const char* name = "settle";
    static constexpr std::array accesses{
        chain::read(warmed), chain::read(rain, chain::along_z(0, 1)), chain::write(settled)};
    static constexpr double flops = 3;
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(settled, at(warmed) + 0.25 * (at(rain, 0, 0, 1) - at(rain)));
    }
  };

  static constexpr const char* name = "cloud-models";
  static constexpr std::array arrays{
      chain::input("heat"),           chain::input("vapour"),
      chain::temporary("mixed heat"), chain::temporary("mixed vapour"),
      chain::temporary("warmed"),     chain::temporary("rain"),
      chain::output("settled")};
  static constexpr std::array dimensions{chain::independent(0, chain::Edge::periodic),
                                         chain::independent(),
                                         chain::independent(1, chain::Edge::clamp)};
  static constexpr int outer = 1;
  static constexpr std::array<std::array<int, 2>, 1> groups{{{0, 1}}};
  std::tuple<Mix, Condense, Settle> operations;
};

struct CloudModelsEntry : ChainEntry<CloudModels> {
  static constexpr const char* name = "cloud-models";
  static constexpr const char* meaning =
      "many models of x, y and z each: mixing, a branch where it condenses, rain";
  static Extents default_size() { return {64, 1, 28, 4096}; }
};
/// That chain without a branch, by the same kernels: it shows what a branch saves.
struct UnbranchedEntry : CloudModelsEntry {
  static constexpr const char* name = "cloud-models-everywhere";
  static constexpr const char* meaning =
      "the same without the branch: condensation is computed everywhere";
  static CloudModels make() {
    CloudModels chain;
    std::get<1>(chain.operations).everywhere = true;
    return chain;
  }
};

namespace built_in {
using cloud_models = Chains<CloudModelsEntry, UnbranchedEntry>;
}

} // namespace ridge::lab
