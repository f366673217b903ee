#include <ridge/stencil/sweeps_reference.hpp>

namespace ridge::stencil::detail {

Index Extended::inside(int axis, Index at) const {
  const Index n = n_[static_cast<std::size_t>(axis)];
  if (at >= 0 && at < n) return at;
  switch (condition(axis, at < 0 ? 0 : 1).kind) {
  case Boundary::periodic:
    return inside(axis, at < 0 ? at + n : at - n);
  case Boundary::mirror:
    return inside(axis, at < 0 ? -1 - at : 2 * n - 1 - at);
  default:
    return inside(axis, at < 0 ? -at : 2 * (n - 1) - at);
  }
}

double Extended::face_value(int axis, int side, std::array<Index, 3> at) const {
  const Condition& c = condition(axis, side);
  if (c.values.empty()) return c.value;
  std::size_t index = 0;
  for (int other = 2; other >= 0; --other) {
    if (other == axis) continue;
    const auto o = static_cast<std::size_t>(other);
    index = index * static_cast<std::size_t>(n_[o]) + static_cast<std::size_t>(at[o]);
  }
  return c.values[index];
}

bool Extended::computes(Index x, Index y, Index z) const {
  const Index at[3] = {x, y, z};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for (int side = 0; side < 2; ++side) {
      const Boundary kind = condition(axis, side).kind;
      const Index kept = kind == Boundary::untouched ? r_[a] : kind == Boundary::dirichlet ? 1 : 0;
      if ((side == 0 ? at[axis] : n_[a] - 1 - at[axis]) < kept) return false;
    }
  }
  return true;
}

std::vector<double> Extended::make(std::vector<double>& field) const {
  const auto index = [](std::array<Index, 3> at, std::array<Index, 3> sizes) {
    return static_cast<std::size_t>(at[0] + sizes[0] * (at[1] + sizes[1] * at[2]));
  };
  const auto for_each = [](std::array<Index, 3> sizes, const auto& visit) {
    for (Index z = 0; z < sizes[2]; ++z) {
      for (Index y = 0; y < sizes[1]; ++y) {
        for (Index x = 0; x < sizes[0]; ++x)
          visit(std::array<Index, 3>{x, y, z});
      }
    }
  };
  for (int axis = 0; axis < 3 && !even_; ++axis) {
    for_each(n_, [&](std::array<Index, 3> at) {
      for (int side = 0; side < 2; ++side) {
        const auto a = static_cast<std::size_t>(axis);
        if (condition(axis, side).kind == Boundary::dirichlet &&
            at[a] == (side == 0 ? 0 : n_[a] - 1))
          field[index(at, n_)] = face_value(axis, side, at);
      }
    });
  }

  std::vector<double> now = field;
  std::array<Index, 3> sizes = n_;
  std::array<Index, 3> lead{};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto axis = static_cast<int>(a);
    const double h =
        std::array{boundaries_->spacing.x, boundaries_->spacing.y, boundaries_->spacing.z}[a];
    const std::array<Index, 3> before = sizes;
    sizes[a] += 2 * r_[a];
    std::vector<double> next(static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2]), 0.0);
    const auto value = [&](const auto& self, std::array<Index, 3> at) -> double {
      const Index p = at[a];
      if (p >= 0 && p < n_[a]) return now[index(at, before)];
      const int side = p < 0 ? 0 : 1;
      const Condition& c = condition(axis, side);
      const Index distance = side == 0 ? -p : p - (n_[a] - 1);
      std::array<Index, 3> other = at;
      other[a] = side == 0 ? distance : n_[a] - 1 - distance;
      switch (c.kind) {
      case Boundary::untouched:
        return 0;
      case Boundary::periodic:
        other[a] = side == 0 ? p + n_[a] : p - n_[a];
        return self(self, other);
      case Boundary::mirror:
        other[a] += side == 0 ? -1 : 1;
        return self(self, other);
      default:
        break;
      }
      if (even_) return self(self, other);
      std::array<Index, 3> face{};
      for (int o = 0; o < 3; ++o) {
        const auto b = static_cast<std::size_t>(o);
        face[b] = o == axis ? 0 : inside(o, at[b] - lead[b]);
      }
      if (c.kind == Boundary::neumann)
        return self(self, other) +
               2 * static_cast<double>(distance) * h * face_value(axis, side, face);
      return 2 * face_value(axis, side, face) - self(self, other);
    };
    for_each(sizes, [&](std::array<Index, 3> at) {
      std::array<Index, 3> from = at;
      from[a] -= r_[a];
      next[index(at, sizes)] = value(value, from);
    });
    lead[a] = r_[a];
    now = std::move(next);
  }
  return now;
}

} // namespace ridge::stencil::detail
