// Chains with columns: what a user would write.
#pragma once

#include <ridge/chain/columns.hpp>

namespace ridge::chain::test {

// Weights of layers, summed from above and below, and what is made of both: a run upwards, one
// downwards, and operations on items around them.
inline constexpr Slot<0> density;
inline constexpr Slot<1> moisture;
inline constexpr Slot<2> weight;
inline constexpr Slot<3> below;
inline constexpr Slot<4> above;
inline constexpr Slot<5> extreme;
inline constexpr Slot<6> product;

struct Weigh {
  static constexpr const char* name = "weigh";
  static constexpr std::array accesses{read(density), read(moisture), write(weight)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(weight, at(density) * at(moisture));
  }
};
struct Combine {
  static constexpr const char* name = "combine";
  static constexpr std::array accesses{read(below), read(above), read(extreme), read(density),
                                       write(product)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(product, at(below) + at(density) * (at(above) - at(extreme)));
  }
};
template <int Rank, bool Cut>
struct Weights {
  static constexpr const char* name = "weights";
  static constexpr std::array arrays{input("density"),   input("moisture"),  temporary("weight"),
                                     temporary("below"), temporary("above"), temporary("extreme"),
                                     output("product")};
  static constexpr auto dimensions = [] {
    std::array<Dimension, static_cast<std::size_t>(Rank)> all{};
    if (!Cut) all.back() = internal();
    return all;
  }();
  std::tuple<Weigh, ScanUp<Sum, Slot<2>, Slot<3>>, ScanDown<Sum, Slot<2>, Slot<4>>,
             ScanDown<std::conditional_t<Rank == 2, Least, Greatest>, Slot<1>, Slot<5>>, Combine>
      operations;
};

/// Reads a neighbour in its column, and one beside it, of what a scan wrote.
template <bool Across>
struct Difference {
  static constexpr const char* name = "difference";
  static constexpr std::array accesses{
      read(Slot<1>{}, Across ? Reach{{-1, 0, 0}, {0, 0, 1}} : along_z(0, 1)), write(Slot<2>{})};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto beside = Across ? at(Slot<1>{}, -1, 0, 0) : at(Slot<1>{});
    at.set(Slot<2>{}, at(Slot<1>{}, 0, 0, 1) - beside);
  }
};
template <bool Across>
struct Differences {
  static constexpr const char* name = "differences";
  static constexpr std::array arrays{input("value"), temporary("sum"), output("difference")};
  static constexpr std::array dimensions{independent(Across ? 1 : 0, Edge::clamp), independent(),
                                         internal(Edge::clamp)};
  std::tuple<ScanUp<Sum, Slot<0>, Slot<1>>, Difference<Across>> operations;
};

// Tridiagonal systems: a matrix a column or one for all, columns that end or go round.
template <bool OneMatrix, bool Periodic>
struct Systems {
  static constexpr const char* name = "systems";
  static constexpr auto arrays = [] {
    constexpr auto matrix = [](const char* of) { return OneMatrix ? profile(of) : input(of); };
    std::array<Array, Periodic ? 8 : 7> all{
        matrix("lower"),    matrix("diagonal"), matrix("upper"),     input("right"),
        output("solution"), temporary("ratio"), temporary("reduced")};
    if constexpr (Periodic) all[7] = temporary("wrap");
    return all;
  }();
  static constexpr std::array dimensions{independent(), internal()};
  using Solve =
      std::conditional_t<Periodic,
                         SolvePeriodic<Slot<0, OneMatrix>, Slot<1, OneMatrix>, Slot<2, OneMatrix>,
                                       Slot<3>, Slot<4>, Slot<5>, Slot<6>, Slot<7>>,
                         SolveTridiagonal<Slot<0, OneMatrix>, Slot<1, OneMatrix>,
                                          Slot<2, OneMatrix>, Slot<3>, Slot<4>, Slot<5>, Slot<6>>>;
  std::tuple<typename Solve::Eliminate, typename Solve::Substitute> operations;
};

} // namespace ridge::chain::test
