// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/stencil/stored_shell.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>

#include <algorithm>
#else
#include <ridge/device/launch.hpp>
#endif

namespace ridge::stencil {

namespace shells::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

/// Waking threads takes longer than so many rows.
constexpr Index few_rows = 512;

template <class T>
void fill(Queue& /*queue*/, const Shell<T>& shell) {
  const Index3 n = shell.field.extents;
  const Index rows = n.y * n.z;
  const auto read = [](const auto& from, Index i) { return from.data[i]; };
  ridge::cpu::run(rows < few_rows ? 1 : ridge::cpu::default_threads(),
                  [&](int thread, int threads) {
                    const auto mine = ridge::cpu::share_of(rows, thread, threads);
                    for (Index row = mine.begin; row < mine.end; ++row) {
                      const Index y = row % n.y;
                      const Index z = row / n.y;
                      const auto set = [&](Index begin, Index end) {
                        for (Index x = begin; x < end; ++x) {
                          T value;
                          if (shell.value(x, y, z, value, read))
                            shell.field.data[shell.field.at(x, y, z)] = value;
                        }
                      };
                      const Index ry = axis_of(shell, 1).radius;
                      const Index rz = axis_of(shell, 2).radius;
                      if (y < ry || y >= n.y - ry || z < rz || z >= n.z - rz) {
                        set(0, n.x);
                      } else {
                        set(0, axis_of(shell, 0).radius);
                        set(n.x - axis_of(shell, 0).radius, n.x);
                      }
                    }
                  });
}

template <class T>
void copy(Queue& /*queue*/, const BoxCopy<T>& c) {
  const Index3 n = c.to.extents;
  const Index rows = n.y * n.z;
  ridge::cpu::run(ridge::cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = ridge::cpu::share_of(rows, thread, threads);
    for (Index row = mine.begin; row < mine.end; ++row) {
      const T* const from = c.from.data + c.from.at(0, row % n.y, row / n.y);
      std::copy(from, from + n.x, c.to.data + c.to.at(0, row % n.y, row / n.y));
    }
  });
}

#else

constexpr int block = 256;
constexpr Index most_in_32_bits = (Index{1} << 32) - block;

/// One lane a point of the shell: the slabs at the ends of z, then of y, then of x. Divisions of 64
/// bits take longer than memory does.
template <class T>
struct FillBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "stencil boundaries";

  Shell<T> shell;

  [[nodiscard]] RIDGE_FN Index points() const {
    const Index3 n = shell.field.extents;
    const Index rx = axis_of(shell, 0).radius;
    const Index ry = axis_of(shell, 1).radius;
    const Index rz = axis_of(shell, 2).radius;
    return n.x * n.y * n.z - (n.x - 2 * rx) * (n.y - 2 * ry) * (n.z - 2 * rz);
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= points()) return;
    if (points() <= most_in_32_bits) {
      set(lane, static_cast<std::uint32_t>(i));
    } else {
      set(lane, i);
    }
  }

private:
  template <class Lane, class I>
  RIDGE_DEVICE void set(Lane& lane, I i) const {
    const Index3 n = shell.field.extents;
    const auto nx = static_cast<I>(n.x);
    const auto ny = static_cast<I>(n.y);
    const auto nz = static_cast<I>(n.z);
    const auto rx = static_cast<I>(axis_of(shell, 0).radius);
    const auto ry = static_cast<I>(axis_of(shell, 1).radius);
    const auto rz = static_cast<I>(axis_of(shell, 2).radius);
    const I in_z = nx * ny * 2 * rz;
    const I in_y = nx * 2 * ry * (nz - 2 * rz);
    I x;
    I y;
    I z;
    if (i < in_z) {
      const I row = i / nx;
      x = i - row * nx;
      z = row / ny;
      y = row - z * ny;
      z = either_end(z, rz, nz);
    } else if (i -= in_z; i < in_y) {
      const I row = i / nx;
      x = i - row * nx;
      z = row / (2 * ry);
      y = either_end(row - z * 2 * ry, ry, ny);
      z += rz;
    } else {
      i -= in_y;
      const I row = i / (2 * rx);
      x = either_end(i - row * 2 * rx, rx, nx);
      z = row / (ny - 2 * ry);
      y = ry + row - z * (ny - 2 * ry);
      z += rz;
    }
    T value;
    const auto read = [&](const auto& from, Index at) { return lane.load_written(from, at); };
    if (shell.value(x, y, z, value, read))
      lane.store(shell.field.elements(), shell.field.at(x, y, z), value);
  }

  /// The i-th of the first and last `radius` of n.
  template <class I>
  RIDGE_FN static I either_end(I i, I radius, I n) {
    return i < radius ? i : n - 2 * radius + i;
  }
};

template <class T>
void fill(Queue& queue, const Shell<T>& shell) {
  const FillBody<T> body{shell};
  const auto blocks = static_cast<int>(ceil_div(body.points(), block));
  if (blocks > 0) launch_body(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, body);
}

/// Lanes that copy a part of a row together, and points that each copies.
constexpr int together = 32, each = 8;

/// So many lanes a part of a row: a lane divides once for all its points.
template <class T>
struct CopyBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "stencil copy";

  BoxCopy<T> c;

  [[nodiscard]] RIDGE_FN Index parts() const {
    return ceil_div(c.to.extents.x, Index{together} * each);
  }
  [[nodiscard]] RIDGE_FN Index groups() const { return parts() * c.to.extents.y * c.to.extents.z; }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index3 n = c.to.extents;
    const Index group = Index{lane.block().x} * (block / together) + lane.thread().x / together;
    if (group >= groups()) return;
    const Index row = group / parts();
    const Index z = row / n.y;
    const Index y = row - z * n.y;
    const Index first = (group - row * parts()) * (together * each) + lane.thread().x % together;
    const Index from = c.from.at(first, y, z);
    const Index to = c.to.at(first, y, z);
    T values[each]; // all on their way at once
    for (int k = 0; k < each; ++k) {
      const Index at = Index{k} * together;
      if (first + at < n.x) values[k] = lane.load(c.from.elements(), from + at);
    }
    for (int k = 0; k < each; ++k) {
      const Index at = Index{k} * together;
      if (first + at < n.x) lane.store(c.to.elements(), to + at, values[k]);
    }
  }
};

template <class T>
void copy(Queue& queue, const BoxCopy<T>& c) {
  const CopyBody<T> body{c};
  const auto blocks = static_cast<int>(ceil_div(body.groups(), block / together));
  if (blocks > 0) launch_body(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, body);
}

#endif

template <class T>
struct Offers {
  Offer filled{kind_of<Here>, typeid(Shell<T>), &fill<T>};
  Offer copied{kind_of<Here>, typeid(BoxCopy<T>), &copy<T>};
};
const Offers<float> floats;
const Offers<double> doubles;
const Offers<Fp16> halves;
const Offers<Bf16> short_floats;

} // namespace shells::inline RIDGE_TARGET_NAME

} // namespace ridge::stencil
