// Chains of the tests' own: what a user would write.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/pack_math.hpp>

namespace ridge::chain::test {

// Fluxes through the interfaces of cells, one more than cells, and what is left in the cells.
inline constexpr Slot<0> amount;
inline constexpr ProfileSlot<1> speed;
inline constexpr Slot<2> flux;
inline constexpr Slot<3> after;

struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(amount, along_y(-1, 0)), read(speed), write(flux)};
  static constexpr Domain domain{{}, {0, 1, 0}};
  static constexpr double flops = 4;
  double scale = 1;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const bool wall = at.y() == 0 || at.y() == at.extent_y();
    at.set(flux,
           wall ? 0.0 * at(amount) : scale * at(speed) * 0.5 * (at(amount, 0, -1) + at(amount)));
  }
};
struct Move {
  static constexpr const char* name = "move";
  static constexpr std::array accesses{read(amount), read(flux, along_y(0, 1)), write(after)};
  static constexpr double flops = 2;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(after, at(amount) - (at(flux, 0, 1) - at(flux)));
  }
};
struct Transport {
  static constexpr const char* name = "transport";
  static constexpr std::array arrays{input("amount"), profile("speed", {0, 1, 0}),
                                     temporary("flux", {0, 1, 0}), output("after")};
  static constexpr std::array dimensions{independent(), independent(1, Edge::clamp)};
  std::tuple<Flux, Move> operations;
};

// Two stages of slopes at interfaces and of what they do to cells, along one dimension, as far as
// one warp or one block has to pass values on.
template <int Along>
constexpr Reach along(int low, int high) {
  return Along == 0 ? along_x(low, high) : Along == 1 ? along_y(low, high) : along_z(low, high);
}
template <int Along>
constexpr Offset one_along{Along == 0 ? 1 : 0, Along == 1 ? 1 : 0, Along == 2 ? 1 : 0};

template <int From, int To, int Along>
struct Slope {
  static constexpr const char* name = "slope";
  static constexpr std::array accesses{read(Slot<From>{}, along<Along>(-3, 2)), write(Slot<To>{})};
  static constexpr Domain domain{{}, one_along<Along>};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto cell = [&](int i) {
      return at(Slot<From>{}, Along == 0 ? i : 0, Along == 1 ? i : 0, Along == 2 ? i : 0);
    };
    using V = typename At::Value;
    const V slope = 0.3 * (cell(0) - cell(-1)) - 0.1 * (cell(2) - cell(-3)) + 0.05 * cell(1);
    if constexpr (Along == 0) {
      at.set(Slot<To>{}, select(at.x_values() < 0.5, 0.5 * slope, slope));
    } else {
      at.set(Slot<To>{}, (Along == 1 ? at.y() : at.z()) == 0 ? 0.5 * slope : slope);
    }
  }
};
template <int From, int Slopes, int To, int Along>
struct Relax {
  static constexpr const char* name = "relax";
  static constexpr std::array accesses{read(Slot<From>{}), read(Slot<Slopes>{}, along<Along>(0, 1)),
                                       write(Slot<To>{})};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    constexpr Offset next = one_along<Along>;
    at.set(Slot<To>{},
           at(Slot<From>{}) + at(Slot<Slopes>{}, next.x, next.y, next.z) - at(Slot<Slopes>{}));
  }
};
template <int Along, int Rank, Edge Ends>
struct Stages {
  static constexpr const char* name = "stages";
  static constexpr Offset faces = one_along<Along>;
  static constexpr std::array arrays{input("before"), temporary("slopes", faces),
                                     temporary("between"), temporary("slopes", faces),
                                     output("after")};
  static constexpr auto dimensions = [] {
    std::array<Dimension, static_cast<std::size_t>(Rank)> all{};
    for (int d = 0; d < Rank; ++d)
      all[static_cast<std::size_t>(d)] = independent(d == Along ? 4 : 0, Ends);
    return all;
  }();
  std::tuple<Slope<0, 1, Along>, Relax<0, 1, 2, Along>, Slope<2, 3, Along>, Relax<2, 3, 4, Along>>
      operations;
};

/// Of which demanded_kernels.cpp compiles the first two operations as one launch.
struct Demanded : Stages<0, 2, Edge::clamp> {};

// Means over neighbours in both directions: nothing that registers could pass on.
struct MeanX {
  static constexpr const char* name = "mean x";
  static constexpr Slot<0> from{};
  static constexpr Slot<1> to{};
  static constexpr std::array accesses{read(from, along_x(-1, 1)), write(to)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, 0.5 * (at(from, -1) + at(from, 1)));
  }
};
struct MeanBoth {
  static constexpr const char* name = "mean of both";
  static constexpr Slot<1> from{};
  static constexpr Slot<2> to{};
  static constexpr std::array accesses{read(from, {{-1, -1, 0}, {1, 1, 0}}), write(to)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, 0.25 * (at(from, -1, -1) + at(from, 1, 1) + at(from, -1, 1) + at(from, 1, -1)));
  }
};
struct Means {
  static constexpr const char* name = "means";
  static constexpr std::array arrays{input("from"), temporary("between"), output("to")};
  static constexpr std::array dimensions{independent(1, Edge::periodic),
                                         independent(1, Edge::clamp)};
  std::tuple<MeanX, MeanBoth> operations;
};

/// Reads a neighbour that it does not declare.
struct Overreach {
  static constexpr const char* name = "overreach";
  static constexpr Slot<0> from{};
  static constexpr Slot<1> to{};
  static constexpr std::array accesses{read(from, along_x(-1, 0)), write(to)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, at(from, -1) + at(from, 1));
  }
};
template <int Number>
struct Undeclared {
  static constexpr const char* name = "undeclared";
  static constexpr std::array arrays{input("from"), output("to")};
  static constexpr std::array dimensions{independent(0, Edge::clamp)};
  std::tuple<Overreach> operations;
};

} // namespace ridge::chain::test
