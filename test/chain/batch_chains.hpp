// Chains with outer dimensions: what a user would write.
#pragma once

#include <ridge/chain/columns.hpp>
#include <ridge/chain/operation.hpp>
#include <ridge/lab/kernels/chain/cloud_models.hpp>
#include <ridge/lab/kernels/chain/columns.hpp>

namespace ridge::chain::test {

/// Six dimensions: an item says where it is along each.
struct Where {
  static constexpr Slot<0> given{};
  static constexpr Slot<1> doubled{};
  static constexpr Slot<2> place{};
  struct Double {
    static constexpr const char* name = "double";
    static constexpr std::array accesses{read(given), write(doubled)};
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(doubled, 2.0 * at(given));
    }
  };
  struct Place {
    static constexpr const char* name = "place";
    static constexpr std::array accesses{read(doubled), write(place)};
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      using V = typename At::Value;
      const auto digit = [](Index i) { return static_cast<double>(i); };
      const double others = digit(at.y()) * 1e1 + digit(at.z()) * 1e2 + digit(at.outer()) * 1e3 +
                            digit(at.template outer<1>()) * 1e4 +
                            digit(at.template outer<2>()) * 1e5 + digit(at.extent_z()) * 1e6;
      at.set(place, at(doubled) + at.x_values() + V(others));
    }
  };
  static constexpr const char* name = "where";
  static constexpr std::array arrays{input("given"), temporary("doubled"), output("place")};
  static constexpr std::array dimensions{independent(), independent(), independent()};
  static constexpr int outer = 3;
  std::tuple<Double, Place> operations;
};

/// One dimension, and interfaces between its cells: instances cannot follow each other along it.
struct Ring {
  static constexpr Slot<0> u{};
  static constexpr Slot<1> flux{};
  static constexpr Slot<2> after{};
  struct Flux {
    static constexpr const char* name = "flux";
    static constexpr std::array accesses{read(u, along_x(-1, 0)), write(flux)};
    static constexpr Domain domain{{}, {1, 0, 0}};
    double rate = 0.25;
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(flux, rate * (at(u) - at(u, -1)));
    }
  };
  struct Move {
    static constexpr const char* name = "move";
    static constexpr std::array accesses{read(u), read(flux, along_x(0, 1)), write(after)};
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(after, at(u) + at(flux, 1) - at(flux));
    }
  };
  static constexpr const char* name = "ring";
  static constexpr std::array arrays{input("u"), temporary("flux", {1, 0, 0}), output("after")};
  static constexpr std::array dimensions{independent(1, Edge::clamp)};
  std::tuple<Flux, Move> operations;
};

} // namespace ridge::chain::test
