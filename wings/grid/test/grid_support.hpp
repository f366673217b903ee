// What tests of grids share: problems, what they mean in plain loops, and solves of them.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/grid/multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace ridge::solve::of_grids { // beside the lattice's tests, whose fields are others

using ridge::Field;
using stencil::Boundary;
using stencil::Condition;

inline GridProblem problem_of(Index3 n, const char* walls, stencil::Spacing h = {},
                              double shift = 0) {
  GridProblem problem{n, stencil::parse_boundaries(walls), shift};
  problem.boundaries.spacing = h;
  return problem;
}

inline std::vector<double> random_numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> some(-1, 1);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (double& x : all)
    x = some(random);
  return all;
}

/// div(k grad u) - shift u at every point by the definition of the boundaries, in plain loops; NaN
/// on dirichlet faces. Empty k: 1. Where `mask` is not 0 nothing flows, and it is u.
inline std::vector<double> applied(const GridProblem& p, const std::vector<double>& u,
                                   const std::vector<double>& k = {},
                                   const std::vector<double>& mask = {}) {
  const Index n[3] = {p.extents.x, p.extents.y, p.extents.z};
  const double h[3] = {p.boundaries.spacing.x, p.boundaries.spacing.y, p.boundaries.spacing.z};
  const auto at = [&](const Index* i) {
    return u[static_cast<std::size_t>(i[0] + n[0] * (i[1] + n[1] * i[2]))];
  };
  std::vector<double> f;
  for (Index z = 0; z < n[2]; ++z) {
    for (Index y = 0; y < n[1]; ++y) {
      for (Index x = 0; x < n[0]; ++x) {
        const Index here[3] = {x, y, z};
        const auto is_masked = [&](const Index* i) {
          return !mask.empty() &&
                 mask[static_cast<std::size_t>(i[0] + n[0] * (i[1] + n[1] * i[2]))] != 0;
        };
        if (is_masked(here)) {
          f.push_back(at(here));
          continue;
        }
        double sum = -p.shift * at(here);
        bool fixed = false;
        for (std::size_t d = 0; d < 3; ++d) {
          if (n[d] == 1) continue;
          double flux = 0;
          for (std::size_t side = 0; side < 2; ++side) {
            const Condition& c = p.boundaries.faces[d][side];
            Index there[3] = {x, y, z};
            const bool on_face = here[d] == (side == 0 ? 0 : n[d] - 1);
            there[d] += side == 0 ? -1 : 1;
            double add = 0;
            if (on_face) {
              switch (c.kind) {
              case Boundary::periodic:
                there[d] = side == 0 ? n[d] - 1 : 0;
                break;
              case Boundary::mirror:
                there[d] = here[d];
                break;
              case Boundary::neumann:
                there[d] = side == 0 ? 1 : n[d] - 2;
                add = 2 * h[d] * c.value;
                break;
              default:
                fixed = true;
                there[d] = here[d];
              }
            }
            const double inflow = c.kind == Boundary::neumann && on_face ? add : 0;
            if (is_masked(there)) {
              flux +=
                  (k.empty() ? 1 : k[static_cast<std::size_t>(x + n[0] * (y + n[1] * z))]) * inflow;
              continue;
            }
            double weight = 1;
            if (!k.empty()) {
              const auto k_at = [&](const Index* i) {
                return k[static_cast<std::size_t>(i[0] + n[0] * (i[1] + n[1] * i[2]))];
              };
              const double own = k_at(here);
              const double other = k_at(there);
              weight = 2 * own * other / (own + other);
              if (c.kind == Boundary::neumann && on_face) {
                // Half a cell: as much flows in from the mirrored side as from within, and k G.
                flux += weight * (at(there) - at(here)) + own * add;
                continue;
              }
            }
            flux += weight * (at(there) + add - at(here));
          }
          sum += flux / (h[d] * h[d]);
        }
        f.push_back(fixed ? std::nan("") : sum);
      }
    }
  }
  return f;
}

template <class T>
std::vector<T> on_host(Queue& queue, const Field<T>& field) {
  std::vector<T> all(static_cast<std::size_t>(field.count()));
  copy_to_host(queue, all.data(), field.data(), field.count());
  queue.wait();
  return all;
}

struct Solved {
  GridSolution how;
  std::vector<double> u;
};
/// In a precision.
template <class T = double>
Solved solved(const Device& device, const GridProblem& p, const std::vector<double>& f,
              const GridOptions& options = {}, const std::vector<double>& k = {},
              const std::vector<double>& mask = {}) {
  Queue queue(device);
  const Extents n{p.extents.x, p.extents.y, p.extents.z};
  const Field<T> right(device, n), u(device, n), coefficient(device, n), land(device, n);
  const auto bring = [&](const Field<T>& to, const std::vector<double>& from) {
    const std::vector<T> values(from.begin(), from.end());
    copy_to_device(queue, to.data(), values.data(), to.count());
    queue.wait();
    return View<const T>(to.view());
  };
  const View<const T> given = bring(right, f);
  fill_bytes(queue, u.data(), 0xff, Bytes{u.count() * static_cast<Index>(sizeof(T))});
  Multigrid<T> solver(queue, p);
  if (!mask.empty()) {
    const View<const T> varying = k.empty() ? View<const T>() : bring(coefficient, k);
    solver.set_mask(bring(land, mask), k.empty() ? nullptr : &varying);
  } else if (!k.empty()) {
    solver.set_coefficient(bring(coefficient, k));
  }
  Solved s{solver.solve(given, u.view(), options), {}};
  const std::vector<T> all = on_host(queue, u);
  s.u.assign(all.begin(), all.end());
  return s;
}

/// The largest difference from `f` of what the solution gives, over the largest of f; of masked
/// points from 0.
inline double misfit(const GridProblem& p, const Solved& s, const std::vector<double>& f,
                     const std::vector<double>& k = {}, const std::vector<double>& mask = {}) {
  const std::vector<double> got = applied(p, s.u, k, mask);
  double worst = 0;
  double size = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (std::isnan(got[i]) && !std::isnan(s.u[i])) continue; // on a face that has a value
    const double wanted = mask.empty() || mask[i] == 0 ? f[i] : 0;
    worst = std::max(worst, std::isnan(got[i]) ? 1e300 : std::abs(got[i] - wanted));
    size = std::max(size, std::abs(f[i]));
  }
  return worst / size;
}

} // namespace ridge::solve::of_grids
