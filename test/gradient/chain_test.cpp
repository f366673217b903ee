// Adjoints of chains against central differences of the forward chain: at ends of every kind, with
// interfaces, and with operations that leave out items.
#include <ridge/chain/reference.hpp>
#include <ridge/core/random.hpp>
#include <ridge/gradient/chain_call.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ridge::gradient {
namespace {

using namespace ridge::chain;

inline constexpr Slot<0> slot_u;
inline constexpr Slot<1> slot_k;
inline constexpr Slot<2> slot_flux;
inline constexpr Slot<3> slot_v;

template <Edge E>
struct Flux {
  static constexpr const char* name = "flux";
  static constexpr std::array accesses{read(slot_u, Reach{{-2, 0, 0}, {1, 0, 0}}),
                                       read(slot_k, Reach{{-1, -1, 0}, {0, 1, 0}}),
                                       write(slot_flux)};
  static constexpr Domain domain = E == Edge::none    ? Domain{{2, 1, 0}, {-1, -1, 0}}
                                   : E == Edge::clamp ? Domain{{}, {1, 0, 0}}
                                                      : Domain{};
  double rate = 0.3;
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(slot_flux,
           rate * (at(slot_k) + at(slot_k, -1, 1) * at(slot_k, 0, -1)) *
               (at(slot_u) * at(slot_u) - at(slot_u, -1) + 0.1 * at(slot_u, 1) * at(slot_u, -2)));
  }
};
template <Edge E>
struct Update {
  static constexpr const char* name = "update";
  static constexpr std::array accesses{read(slot_u), read(slot_flux, along_x(0, 1)), write(slot_v)};
  static constexpr Domain domain = E == Edge::none ? Domain{{2, 1, 0}, {-2, -1, 0}} : Domain{};
  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    at.set(slot_v, at(slot_u) * 1.5 + at(slot_flux, 1) - exp(0.1 * at(slot_flux)));
  }
};
template <Edge E>
struct Heat {
  static constexpr const char* name = "heat";
  static constexpr std::array arrays{
      input("u"), input("k"),
      temporary("flux", E == Edge::clamp ? chain::Offset{1, 0, 0} : chain::Offset{}), output("v")};
  static constexpr std::array dimensions{independent(1, E), independent(1, E)};
  std::tuple<Flux<E>, Update<E>> operations;
};

template <class E>
struct ChainAdjoints : testing::Test {};
using Edges = testing::Types<std::integral_constant<Edge, Edge::none>,
                             std::integral_constant<Edge, Edge::clamp>,
                             std::integral_constant<Edge, Edge::periodic>>;
TYPED_TEST_SUITE(ChainAdjoints, Edges);

TYPED_TEST(ChainAdjoints, EqualDifferences) {
  using C = Heat<TypeParam::value>;
  const C heat{};
  const Range n(9, 7, 1);
  constexpr std::size_t items = 63;
  std::array<std::vector<double>, 4> in;
  std::vector<double> weights(items);
  for (std::size_t i = 0; i < items; ++i) {
    in[0].push_back(1 + 0.5 * random_value(1, static_cast<Index>(i)));
    in[1].push_back(1 + 0.5 * random_value(2, static_cast<Index>(i)));
    weights[i] = random_value(3, static_cast<Index>(i));
  }
  const auto results = [&](auto arrays) {
    apply_reference(heat, n, arrays);
    return arrays[3];
  };
  const std::vector<double> there = results(in);
  for (std::size_t i = 0; i < items; ++i) {
    if (std::isnan(there[i])) weights[i] = 0; // no item of the chain
  }
  std::array<std::vector<double>, 8> all{in[0], in[1], {}, {}, {}, {}, {}, weights};
  apply_reference(adjoint(heat), n, all);
  for (std::size_t array = 0; array < 2; ++array) {
    ASSERT_EQ(all[4 + array].size(), items);
    for (std::size_t i = 0; i < items; ++i) {
      double difference = 0;
      for (const double step : {1e-5, -1e-5}) {
        auto moved = in;
        moved[array][i] += step;
        const std::vector<double> found = results(moved);
        for (std::size_t j = 0; j < items; ++j)
          difference += weights[j] == 0 ? 0 : weights[j] * found[j] / (2 * step);
      }
      EXPECT_NEAR(all[4 + array][i], difference, 1e-8) << "array " << array << ", item " << i;
    }
  }
}

struct Sums : Heat<Edge::none> {
  static constexpr int outer = 1;
};
TEST(ChainAdjoints, SayWhyThereIsNone) {
  EXPECT_STREQ(why_no_adjoint<Heat<Edge::none>>(), "");
  EXPECT_STREQ(why_no_adjoint<Sums>(), "it has outer dimensions");
}

} // namespace
} // namespace ridge::gradient
