// Waves by the leapfrog, of order 2 in time.
#pragma once

#include <ridge/lab/kernels/stencil_entry.hpp>
#include <ridge/stencil/evolving.hpp>

#include <tuple>

namespace ridge::lab {

/// A leapfrog step of the wave equation: 2 u - before + (c dt)^2 laplacian(u).
template <int Order, int Rank>
struct Wave {
  static constexpr auto footprints =
      std::make_tuple(stencil::star<Order / 2, Rank>(), stencil::point());
  static constexpr int levels = 2;
  static constexpr double flops = stencil::Laplacian<Order, Rank>::flops + 1;

  stencil::Laplacian<Order, Rank> step; ///< the terms of u

  template <class U, class B>
  RIDGE_FN auto operator()(const U& u, const B& before) const {
    return step(u) - before(0, 0, 0);
  }
};

/// A wave with friction: the third field holds a = 1 / (1 + s dt / 2) for u_tt + s u_t, 1 where
/// there is none.
template <int Order, int Rank>
struct AbsorbedWave {
  static constexpr auto footprints =
      std::make_tuple(stencil::star<Order / 2, Rank>(), stencil::point(), stencil::point());
  static constexpr int levels = 2;
  static constexpr double flops = stencil::Laplacian<Order, Rank>::flops + 5;

  stencil::Laplacian<Order, Rank> step;

  template <class U, class B, class A>
  RIDGE_FN auto operator()(const U& u, const B& before, const A& friction) const {
    const auto a = friction(0, 0, 0);
    return a * step(u) - (2.0 * a - 1.0) * before(0, 0, 0);
  }
};

template <int Order>
struct WaveEntry : EvolvingEntry {
  static constexpr const char* name = by_order<Order>("wave", "wave4", "wave6", "wave8");
  static constexpr const char* meaning = by_order<Order>(
      "u_tt = c^2 laplacian(u), order 2 in time and in space", "the same of order 4 in space",
      "the same of order 6 in space", "the same of order 8 in space");
  static constexpr const char* value = "speed";

  template <int Rank>
  static double stable_step(stencil::Spacing h, double speed) {
    return stencil::stable_wave_step<Order, Rank>(h, speed);
  }
  template <int Rank>
  static Wave<Order, Rank> make(stencil::Spacing h, double speed, double dt) {
    return {terms<Rank>(h, speed, dt)};
  }
  template <int Rank>
  static AbsorbedWave<Order, Rank> absorbing(stencil::Spacing h, double speed, double dt) {
    return {terms<Rank>(h, speed, dt)};
  }
  /// A start at rest is the same forwards and backwards: before = u + (c dt)^2 / 2 laplacian(u).
  template <int Rank>
  static stencil::Laplacian<Order, Rank> at_rest(stencil::Spacing h, double speed, double dt) {
    return stencil::scaled_laplacian<Order, Rank>(h, speed * speed * dt * dt / 2, 1);
  }

private:
  template <int Rank>
  static stencil::Laplacian<Order, Rank> terms(stencil::Spacing h, double speed, double dt) {
    return stencil::scaled_laplacian<Order, Rank>(h, speed * speed * dt * dt, 2);
  }
};

struct Wave2Entry : WaveEntry<2> {
  using ahead = Ahead<stencil::Call<Wave<2, 3>, float>, stencil::Call<Wave<2, 3>, double>>;
};

namespace built_in {
using wave = Stencils<Wave2Entry, WaveEntry<4>, WaveEntry<6>, WaveEntry<8>>;
}

} // namespace ridge::lab
