// Chains over elements: what a user would write.
#pragma once

#include <ridge/chain/elements.hpp>
#include <ridge/chain/operation.hpp>
#include <ridge/lab/kernels/chain/elements.hpp>

namespace ridge::chain::test {

/// Derivatives along both dimensions of the points, added to a profile of each level.
template <int Np, bool Both>
struct Derivatives {
  static constexpr Slot<0> u{};
  static constexpr ProfileSlot<1> level{};
  static constexpr Slot<2> along{};
  static constexpr Slot<3> result{};
  struct AlongX {
    static constexpr const char* name = "along x";
    static constexpr std::array accesses{read(u), write(along)};
    Matrix<Np> derivative = derivative_matrix<Np>();
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      at.set(along, at.contract_x(derivative, u));
    }
  };
  struct AlongY {
    static constexpr const char* name = "along y";
    static constexpr std::array accesses{read(u), read(along), read(level), write(result)};
    Matrix<Np> derivative = derivative_matrix<Np>();
    template <class At>
    RIDGE_FN void operator()(const At& at) const {
      if constexpr (Both) {
        at.set(result, at.contract_y(derivative, u) + at(level) * at(along));
      } else {
        at.set(result, at(u) + at(level) * at(along));
      }
    }
  };
  static constexpr const char* name = "derivatives";
  static constexpr std::array arrays{input("u"), profile("level"), temporary("along"),
                                     output("result")};
  static constexpr std::array dimensions{points(Np), Both ? points(Np) : independent(),
                                         independent()};
  std::tuple<AlongX, AlongY> operations;
};

/// Reads the element above: what lanes with a row each do not have.
struct Above {
  static constexpr const char* name = "above";
  static constexpr std::array accesses{read(Slot<1>{}, along_z(0, 1)), write(Slot<2>{})};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(Slot<2>{}, at(Slot<1>{}) + 2.0 * at(Slot<1>{}, 0, 0, 1));
  }
};
struct Twice {
  static constexpr const char* name = "twice";
  static constexpr std::array accesses{read(Slot<0>{}), write(Slot<1>{})};
  Matrix<3> matrix = derivative_matrix<3>();
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(Slot<1>{}, at.contract_y(matrix, Slot<0>{}));
  }
};
struct Stack {
  static constexpr const char* name = "stack";
  static constexpr std::array arrays{input("below"), temporary("between"), output("above")};
  static constexpr std::array dimensions{points(3), points(3), independent(1, Edge::clamp)};
  std::tuple<Twice, Above> operations;
};

} // namespace ridge::chain::test
