// Cases of operators on stored fields, checked against plain arithmetic on the host.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/gauge/reference.hpp>
#include <ridge/gauge/stored_over_ranks.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>

namespace ridge::gauge {

/// The hopping term at a place.
[[nodiscard]] inline Expected expected_hopping(const RandomWorld& world, const int (&x)[4], int s) {
  lattice::Coordinates at;
  for (int d = 0; d < 4; ++d)
    at[d] = x[d];
  return reference_hopping(
      world.extents(), at, false,
      [&](int mu, const lattice::Coordinates& y) {
        HostLink u;
        const auto& stored = world.link({y[0], y[1], y[2], y[3]}, mu);
        for (int c = 0; c < 9; ++c)
          u[static_cast<std::size_t>(c)] = {component(stored, c).re, component(stored, c).im};
        return u;
      },
      [&](const lattice::Coordinates& y) {
        HostSpinor psi;
        const auto stored = world.spinor({y[0], y[1], y[2], y[3]}, s);
        for (int c = 0; c < 12; ++c)
          psi[static_cast<std::size_t>(c)] = {component(stored, c).re, component(stored, c).im};
        return psi;
      });
}

/// An operator on stored fields with a check against the host.
template <class Kernel, class Tensor, class Number>
class StoredCase : public StoredOverRanks<Kernel, Tensor, Number> {
  using Base = StoredOverRanks<Kernel, Tensor, Number>;

public:
  using Base::Base;
  using Base::real_bytes;

  /// Against plain arithmetic in double, relative to the magnitudes of what a number adds up.
  [[nodiscard]] Check check() override {
    struct Worst {
      double error = 0;
      int x[4] = {}, s = 0, component = 0;
    } worst;
    std::mutex guard;
    std::atomic<double> seen = 0;
    this->out_.visit(this->queue_, [&](const int(&own)[4], int s, const auto& got) {
      if (!this->part_.owns(own)) return;
      int x[4];
      this->part_.to_whole(own, x);
      const Expected right = expected(x, s);
      for (int c = 0; c < lattice::components_of<Tensor>; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const std::complex<double> value(component(got, c).re, component(got, c).im);
        double error = size_of(value - right.value[i]) / right.scale[i];
        if (std::isnan(error)) error = HUGE_VAL;
        if (error <= seen.load(std::memory_order_relaxed)) continue;
        const std::lock_guard lock(guard);
        if (error <= worst.error) continue;
        worst = {error, {x[0], x[1], x[2], x[3]}, s, c};
        seen = error;
      }
    });
    this->note_bits();
    Check check;
    check.max_error = worst.error;
    check.ok = worst.error <= (Kernel::fixed ? 1e-4 : real_bytes == 8 ? 4e-15 : 2e-6);
    if (!check.ok) {
      check.message = fmt::format(
          "component {} of the site {},{},{},{} (s = {}) differs by {:.1e}, "
          "relative to the magnitudes of what it adds up",
          worst.component, worst.x[0], worst.x[1], worst.x[2], worst.x[3], worst.s, worst.error);
    }
    return check;
  }

protected:
  using typename Base::Host;

  /// What the launch should give at a place.
  [[nodiscard]] virtual Expected expected(const int (&x)[4], int s) const = 0;
};

} // namespace ridge::gauge
