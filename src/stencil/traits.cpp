#include <ridge/stencil/traits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ridge::stencil {

Traits::Traits() = default;
Traits::Traits(const Traits& other) = default;
Traits::Traits(Traits&& other) noexcept = default;
Traits& Traits::operator=(const Traits& other) = default;
Traits& Traits::operator=(Traits&& other) noexcept = default;
Traits::~Traits() = default;

void Traits::add_footprint(std::span<const Offset> offsets) {
  footprints.emplace_back(offsets.begin(), offsets.end());
}

namespace {

/// Along one axis of n points, the pieces [begin, end) in which no shifted interior begins or ends.
std::vector<Index> cuts(Index n, int radius, const std::vector<int>& shifts) {
  std::vector<Index> at{0, n};
  for (const int shift : shifts) {
    at.push_back(radius + shift);
    at.push_back(n - radius + shift);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

/// Points touched by the union of the interior box shifted by each offset.
Index touched_points(const std::vector<Offset>& offsets, Offset r, Index3 n) {
  std::array<std::vector<int>, 3> shifts;
  for (const Offset& o : offsets) {
    shifts[0].push_back(o.x);
    shifts[1].push_back(o.y);
    shifts[2].push_back(o.z);
  }
  const auto xs = cuts(n.x, r.x, shifts[0]);
  const auto ys = cuts(n.y, r.y, shifts[1]);
  const auto zs = cuts(n.z, r.z, shifts[2]);
  const auto inside = [](Index at, int radius, int shift, Index extent) {
    return at - shift >= radius && at - shift < extent - radius;
  };
  Index touched = 0;
  for (std::size_t k = 0; k + 1 < zs.size(); ++k) {
    for (std::size_t j = 0; j + 1 < ys.size(); ++j) {
      for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
        const bool read = std::any_of(offsets.begin(), offsets.end(), [&](const Offset& o) {
          return inside(xs[i], r.x, o.x, n.x) && inside(ys[j], r.y, o.y, n.y) &&
                 inside(zs[k], r.z, o.z, n.z);
        });
        if (read) touched += (xs[i + 1] - xs[i]) * (ys[j + 1] - ys[j]) * (zs[k + 1] - zs[k]);
      }
    }
  }
  return touched;
}

} // namespace

Index interior_points(const Traits& traits, Index3 n) {
  const Offset r = traits.radius;
  const Index x = n.x - 2 * Index{r.x};
  const Index y = n.y - 2 * Index{r.y};
  const Index z = n.z - 2 * Index{r.z};
  return x > 0 && y > 0 && z > 0 ? x * y * z : 0;
}

Work work_of(const Traits& traits, Index3 n) {
  Work work;
  work.items = interior_points(traits, n);
  if (work.items == 0) return work;
  Index read = 0;
  for (const auto& offsets : traits.footprints)
    read += touched_points(offsets, traits.radius, n);
  work.read = {read * traits.element_bytes};
  work.written = {work.items * traits.element_bytes};
  work.flops = traits.flops * static_cast<double>(work.items);
  work.convention =
      fmt::format("bytes: each input point of the footprint read once, each interior point written "
                  "once; {}",
                  operations_text(traits.flops, "flops a point"));
  return work;
}

} // namespace ridge::stencil
