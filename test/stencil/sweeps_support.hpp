// Fields and boundaries of the tests of many sweeps.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/stencil/sweeps.hpp>

#include <random>
#include <string>
#include <vector>

namespace ridge::stencil::test {

inline std::string text_of(Index3 n) {
  return std::to_string(n.x) + "x" + std::to_string(n.y) + "x" + std::to_string(n.z);
}

/// Fields of a kernel on a device, the same numbers on each.
template <class T>
class Fields {
public:
  Fields(Queue& queue, Index3 n, int count) {
    for (int i = 0; i < count; ++i) {
      fields_.emplace_back(queue.device(), Extents{n.x, n.y, n.z});
      std::vector<T> host(static_cast<std::size_t>(fields_.back().count()));
      for (std::size_t k = 0; k < host.size(); ++k)
        host[k] = element_of<T>(static_cast<NumberOf<T>>(
            0.5 * random_value(static_cast<std::uint64_t>(i) + 3, static_cast<std::int64_t>(k))));
      copy_to_device(queue, fields_.back().data(), host.data(), fields_.back().count());
      queue.wait();
      std::vector<double>& numbers = host_.emplace_back();
      for (const T element : host)
        numbers.push_back(number_of(element));
      views_.push_back(fields_.back().view());
    }
  }
  [[nodiscard]] const std::vector<View<T>>& views() const { return views_; }
  [[nodiscard]] const std::vector<std::vector<double>>& host() const { return host_; }

private:
  std::vector<Field<T>> fields_;
  std::vector<View<T>> views_;
  std::vector<std::vector<double>> host_;
};

template <class T>
std::vector<T> read(Queue& queue, Sweeps& sweeps, int input, Index3 n) {
  const Field<T> out(queue.device(), Extents{n.x, n.y, n.z});
  sweeps.read(input, out.view());
  std::vector<T> host(static_cast<std::size_t>(out.count()));
  copy_to_host(queue, host.data(), out.data(), out.count());
  queue.wait();
  return host;
}

inline Boundaries random_boundaries(std::mt19937& random, Index3 n) {
  Boundaries b;
  b.spacing = {0.5, 0.75, 1.25};
  for (int axis = 0; axis < 3; ++axis) {
    auto& faces = b.faces[static_cast<std::size_t>(axis)];
    if (random() % 4 == 0) {
      faces[0].kind = faces[1].kind = Boundary::periodic;
      continue;
    }
    for (Condition& c : faces) {
      constexpr Boundary kinds[] = {Boundary::untouched, Boundary::dirichlet, Boundary::dirichlet,
                                    Boundary::neumann, Boundary::mirror};
      c.kind = kinds[random() % 5];
      if (c.kind == Boundary::dirichlet || c.kind == Boundary::neumann)
        c.value = 0.25 * static_cast<double>(random() % 5) - 0.5;
      if (c.kind == Boundary::dirichlet && random() % 2 == 0) {
        c.field = "f.h5:/f";
        for (Index i = 0; i < face_points(n, axis); ++i)
          c.values.push_back(0.125 * static_cast<double>(random() % 8));
      }
    }
  }
  return b;
}

} // namespace ridge::stencil::test
