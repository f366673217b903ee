// The adjoints of all built-in stencils are proved, and what is wrong is found.
#include <ridge/gradient/proof.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/kernels/stencil/box27.hpp>
#include <ridge/lab/kernels/stencil/diffusion.hpp>
#include <ridge/lab/kernels/stencil/heat.hpp>
#include <ridge/lab/kernels/stencil/laplacian.hpp>
#include <ridge/lab/kernels/stencil/wave.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ridge::gradient {
namespace {

template <class K>
auto adjoints_of(const K& kernel) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple(adjoint_kernel<static_cast<int>(I)>(kernel)...);
  }
  (InputNumbers<K>{});
}

template <class K>
void expect_proved(const std::string& name, const K& kernel, int rank) {
  const Proof proof = prove_adjoints(kernel, adjoints_of(kernel), rank);
  EXPECT_EQ(proof.fault(), "") << name << " in " << rank << " dimensions";
  EXPECT_LT(proof.dot_error, 1e-14) << name;
  EXPECT_NEAR(proof.slope, 2, 0.01) << name;
}

/// Those of a header in three dimensions, those of order 2 in each number of them; steps and layers
/// that absorb, too.
struct All {
  std::set<std::string> names;

  template <class... E>
  void add(lab::Stencils<E...> /*header*/) {
    (add_entry<E>(), ...);
  }

private:
  template <class E>
  static constexpr bool
      low_order = std::string_view(E::name).find_first_of("468") == std::string_view::npos;
  template <class E>
  void add_entry() {
    if constexpr (requires { E::name; }) {
      names.insert(E::name);
      add_rank<E, low_order<E> ? E::least_rank : E::most_rank>();
    }
  }
  template <class E, int Rank>
  void add_rank() {
    constexpr stencil::Spacing h = [] {
      return E::equal_spacing ? stencil::Spacing{0.5, 0.5, 0.5} : uneven;
    }();
    expect_proved(E::name, E::template make<Rank>(h), Rank);
    if constexpr (Rank < E::most_rank) add_rank<E, Rank + 1>();
  }
  template <class E, int Rank>
  requires requires { E::value; }
  void add_rank() {
    const double dt = E::template stable_step<Rank>(uneven, 1) / 2;
    expect_proved(E::name, E::template make<Rank>(uneven, 1, dt), Rank);
    constexpr bool absorbs = requires {
      E::template absorbing<Rank>(uneven, 1, dt);
    };
    if constexpr (absorbs && low_order<E>)
      expect_proved(E::name, E::template absorbing<Rank>(uneven, 1, dt), Rank);
    if constexpr (Rank < E::most_rank) add_rank<E, Rank + 1>();
  }
  static constexpr stencil::Spacing uneven{0.5, 0.75, 1.25};
};

TEST(Proof, HoldsForAllBuiltInStencils) {
  All all;
  all.add(lab::built_in::box27{});
  all.add(lab::built_in::diffusion{});
  all.add(lab::built_in::heat{});
  all.add(lab::built_in::laplacian{});
  all.add(lab::built_in::laplacian_orders{});
  all.add(lab::built_in::wave{});
  for (const lab::BenchKernel& kernel : lab::bench_kernels()) {
    const bool is_stencil = kernel.pattern == "stencil" || kernel.pattern == "sweeps";
    EXPECT_TRUE(!is_stencil || all.names.count(kernel.name) == 1)
        << kernel.name << " is not proved here";
  }
}

/// All that has kinks and jumps, of two inputs.
struct Kinks {
  static constexpr auto footprints = std::make_tuple(stencil::star<1, 2>(), stencil::point());
  template <class U, class V>
  RIDGE_FN auto operator()(const U& u, const V& v) const {
    const auto slope = u(1, 0, 0) - u(-1, 0, 0);
    const auto limited = min(max(slope, -0.5), 0.75 * v(0, 0, 0));
    auto sum = select(u(0, 1, 0) < u(0, -1, 0), limited * u(0, 0, 0), abs(v(0, 0, 0)));
    if (any(slope > 0.9)) sum += select(slope > 0.9, slope * slope, 0);
    return sum + (u(0, 0, 0) - floor(3 * u(0, 0, 0)) / 3) * sqrt(v(0, 0, 0) * v(0, 0, 0) + 1);
  }
};

TEST(Proof, LeavesOutPointsThatTurn) {
  expect_proved("kinks", Kinks{}, 2);
}

/// Takes logarithms: of numbers above zero alone.
struct Logarithm {
  static constexpr auto footprint = stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return log(u(0, 0, 0)) * sqrt(u(-1, 0, 0)) + pow(u(1, 0, 0), u(-1, 0, 0));
  }
};

TEST(Proof, TakesNumbersThatTheKernelTakes) {
  expect_proved("logarithm", Logarithm{}, 1);
}

/// Its square, whose derivative by dual numbers is wrong.
template <class T, int N, class A>
Pack<T, N, A> wrong_square(const Pack<T, N, A>& x) {
  return x * x;
}
template <class T, int N, class A>
Pack<T, N, abi::Dual<A>> wrong_square(const Pack<T, N, abi::Dual<A>>& x) {
  return {x.value * x.value, 3.0 * x.value * x.derivative, x.active};
}
struct WrongSquare {
  static constexpr auto footprint = stencil::star<1, 1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(-1, 0, 0) * wrong_square(u(0, 0, 0)) + u(1, 0, 0);
  }
};

TEST(Proof, FindsDerivativesThatAreWrongBothWays) {
  const Proof proof = prove_adjoints(WrongSquare{}, adjoints_of(WrongSquare{}), 1);
  EXPECT_LT(proof.dot_error, 1e-12); // as both ways have the same
  EXPECT_NE(proof.fault().find("central differences"), std::string::npos) << proof.fault();
}

TEST(Proof, FindsAdjointsThatAreNotTransposed) {
  const stencil::Laplacian<2, 2> kernel({0.5, 0.75});
  const std::tuple other{
      Transposed<stencil::Laplacian<2, 2>, 0>(stencil::Laplacian<2, 2>({0.5, 0.7}))};
  const Proof proof = prove_adjoints(kernel, other, 2);
  EXPECT_GT(proof.dot_error, 1e-4);
  EXPECT_NE(proof.fault().find("<J v, w>"), std::string::npos) << proof.fault();
  std::tuple shifted = adjoints_of(kernel);
  std::swap(std::get<0>(shifted).weights[1], std::get<0>(shifted).weights[3]);
  EXPECT_FALSE(prove_adjoints(kernel, shifted, 2).ok());
}

} // namespace
} // namespace ridge::gradient
