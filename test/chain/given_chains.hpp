// Chains between given ends, in two dimensions and in three: fields of unequal reach and height.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/pack_math.hpp>

namespace ridge::chain::test {

namespace given_ends {

inline constexpr Slot<0> a;
inline constexpr Slot<1> b;
inline constexpr Slot<2> c;
inline constexpr Slot<3> d;
inline constexpr ProfileSlot<4> p;

template <int Rank>
constexpr Reach upwards(int low, int high) {
  return Rank == 2 ? along_y(low, high) : along_z(low, high);
}
template <int Rank>
constexpr Reach box(int low, int high) {
  return {{low, low, Rank == 2 ? 0 : low}, {high, high, Rank == 2 ? 0 : high}};
}
/// One item more along the last dimension.
template <int Rank>
constexpr Offset one_more{0, Rank == 2 ? 1 : 0, Rank == 2 ? 0 : 1};

template <int Rank, class At, class S>
RIDGE_FN auto up(const At& at, S slot, int rows) {
  return Rank == 2 ? at(slot, 0, rows) : at(slot, 0, 0, rows);
}

template <int Rank>
struct Rise {
  static constexpr const char* name = "rise";
  static constexpr std::array accesses{read(a, along_x(-1, 2)),
                                       read(a, upwards<Rank>(-2, 3)),
                                       read(a, Rank == 3 ? along_y(-3, 0) : Reach{}),
                                       read(c, box<Rank>(0, 1)),
                                       read(p, upwards<Rank>(-1, 0)),
                                       read(b),
                                       write(b)};
  static constexpr Domain domain{{}, one_more<Rank>};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto across = 0.25 * (at(a, 2) - at(a, -1));
    const auto along = 0.5 * (up<Rank>(at, a, 3) - up<Rank>(at, a, -2));
    at.set(b, at(b) + across / (2 + at(c, 1)) +
                  along * at(c) / (2 + at(c, 1, 1, Rank == 3 ? 1 : 0)) +
                  up<Rank>(at, p, -1) * at(a, 0, Rank == 3 ? -3 : 0) - up<Rank>(at, c, 1));
  }
};
/// Joins the one before.
template <int Rank>
struct Sum {
  static constexpr const char* name = "sum";
  static constexpr std::array accesses{read(b), read(c, upwards<Rank>(0, 1)), write(d)};
  static constexpr Domain domain{{}, one_more<Rank>};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(d, 0.5 * at(b) + up<Rank>(at, c, 1));
  }
};
/// Reads of `c` far around: more than is fetched ahead.
template <int Rank>
struct Fall {
  static constexpr const char* name = "fall";
  static constexpr std::array accesses{read(b, along_x(-2, 2)), read(b, upwards<Rank>(-3, 1)),
                                       read(c, box<Rank>(-4, 4)), read(a), write(a)};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(a, at(a) - 0.25 * (at(b, -2) + at(b, 2) + up<Rank>(at, b, -3) + up<Rank>(at, b, 1)) +
                  at(c, -4, 3) * at(c, 4, -1, Rank == 3 ? 2 : 0) - at(b) - up<Rank>(at, c, -4));
  }
};

/// Fluxes through the faces of a cell: each one's flux is the next one's, too.
template <int Rank>
struct Faces {
  static constexpr const char* name = "faces";
  static constexpr std::array accesses{read(a, along_x(-1, 2)), read(a, upwards<Rank>(-1, 1)),
                                       write(b)};

  template <class V>
  static RIDGE_FN V flux(const V& from, const V& to) {
    return sqrt(2 + from) * (to - from) / (2 + to);
  }
  template <class V>
  using Handed = V;
  template <class At>
  RIDGE_FN auto before(const At& at) const {
    return flux(up<Rank>(at, a, -1), at(a));
  }
  template <class At>
  RIDGE_FN void operator()(const At& at, typename At::Value& handed) const {
    const auto low = handed;
    handed = flux(at(a), up<Rank>(at, a, 1));
    at.set(b, handed - low + flux(at(a), at(a, 1)) - flux(at(a, -1), at(a)) + at(a, 2));
  }
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    auto handed = before(at);
    (*this)(at, handed);
  }
};

} // namespace given_ends

/// A chain whose items hand on what the next ones compute, too.
template <int Rank>
struct GivenFaces {
  static constexpr const char* name = "given-faces";
  static constexpr std::array arrays{input("a"), output("b")};
  static constexpr auto dimensions = [] {
    std::array<Dimension, Rank> all{};
    all.fill(given(4)); // so that rows begin at whole accesses
    return all;
  }();
  std::tuple<given_ends::Faces<Rank>> operations;
};

template <int Rank>
struct GivenEnds {
  static constexpr const char* name = "given-ends";
  static constexpr Offset more = given_ends::one_more<Rank>;
  static constexpr std::array arrays{update("a"), update("b", more), input("c"), output("d", more),
                                     profile("p")};
  static constexpr auto dimensions = [] {
    std::array<Dimension, Rank> all{};
    all.fill(given(4));
    return all;
  }();
  std::tuple<given_ends::Rise<Rank>, given_ends::Sum<Rank>, given_ends::Fall<Rank>> operations;
};

} // namespace ridge::chain::test
