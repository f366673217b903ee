// Chains of the tests of chains over ranks, beside those of test/chain.
#pragma once

#include <ridge/chain/placed.hpp>

#include "chain/column_chains.hpp"
#include "chain/element_chains.hpp"
#include "chain/test_chains.hpp"

namespace ridge::comm::test {

using chain::along_x;
using chain::along_y;
using chain::along_z;
using chain::read;
using chain::Slot;
using chain::write;
using chain::test::Means;
using chain::test::Stack;
using chain::test::Transport;
using Weights = chain::test::Weights<3, false>;
using Walls = chain::test::Stages<2, 3, chain::Edge::clamp>;

/// Goes round in all dimensions, to other distances at either side, and knows where its items are.
struct RingZ {
  static constexpr const char* name = "ring z";
  static constexpr Slot<0> from{};
  static constexpr Slot<1> to{};
  static constexpr std::array accesses{read(from, {{-1, 0, -2}, {0, 0, 1}}), write(to)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, 0.5 * at(from, -1, 0, -2) - 0.25 * at(from, 0, 0, 1) +
                   (at.z() == at.extent_z() - 1 ? 0.125 : 0.5) * at.x_values());
  }
};
struct RingY {
  static constexpr const char* name = "ring y";
  static constexpr Slot<0> original{};
  static constexpr Slot<1> from{};
  static constexpr Slot<2> to{};
  static constexpr std::array accesses{read(original), read(from, {{0, -1, 0}, {1, 1, 1}}),
                                       write(to)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto sides = at(from, 1, 1, 1) + at(from, 0, -1);
    at.set(to, at.y() % 2 == 0 ? 0.75 * sides : sides - at(original));
  }
};
struct Ring {
  static constexpr const char* name = "ring";
  static constexpr std::array arrays{chain::input("from"), chain::temporary("between"),
                                     chain::output("to")};
  static constexpr std::array dimensions{chain::independent(1, chain::Edge::periodic),
                                         chain::independent(1, chain::Edge::periodic),
                                         chain::independent(1, chain::Edge::periodic)};
  std::tuple<RingZ, RingY> operations;
};

/// Stays within its arrays: operations have fewer items than the range.
struct InnerX {
  static constexpr const char* name = "inner x";
  static constexpr Slot<0> from{};
  static constexpr Slot<1> to{};
  static constexpr std::array accesses{read(from, along_x(-2, 1)), write(to)};
  static constexpr chain::Domain domain{{2, 0, 0}, {-1, 0, 0}};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, at(from, -2) - 0.5 * at(from, 1) + 0.25 * at(from));
  }
};
struct InnerY {
  static constexpr const char* name = "inner y";
  static constexpr Slot<1> from{};
  static constexpr Slot<2> weight{};
  static constexpr Slot<3> to{};
  static constexpr std::array accesses{read(from, {{0, -1, 0}, {1, 0, 0}}),
                                       read(weight, along_y(0, 1)), write(to)};
  static constexpr chain::Domain domain{{2, 1, 0}, {-2, 0, 0}};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(to, at(weight, 0, 1) * at(from, 1) - at(weight) * at(from, 0, -1));
  }
};
/// `weight` has a point more along y: the chain can be divided along y alone.
struct Inner {
  static constexpr const char* name = "inner";
  static constexpr std::array arrays{chain::input("from"), chain::temporary("between"),
                                     chain::input("weight", {0, 1, 0}), chain::output("to")};
  static constexpr std::array dimensions{chain::independent(1), chain::independent(1)};
  std::tuple<InnerX, InnerY> operations;
};

} // namespace ridge::comm::test
