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

/// One lane a point of the shell: the slabs at the ends of z, then of y, then of x.
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
    const Index3 n = shell.field.extents;
    const Index rx = axis_of(shell, 0).radius;
    const Index ry = axis_of(shell, 1).radius;
    const Index rz = axis_of(shell, 2).radius;
    Index i = Index{lane.block().x} * block + lane.thread().x;
    const Index in_z = n.x * n.y * 2 * rz;
    const Index in_y = n.x * 2 * ry * (n.z - 2 * rz);
    if (i >= points()) return;
    Index x;
    Index y;
    Index z;
    if (i < in_z) {
      x = i % n.x;
      y = i / n.x % n.y;
      z = either_end(i / n.x / n.y, rz, n.z);
    } else if (i -= in_z; i < in_y) {
      x = i % n.x;
      y = either_end(i / n.x % (2 * ry), ry, n.y);
      z = rz + i / n.x / (2 * ry);
    } else {
      i -= in_y;
      x = either_end(i % (2 * rx), rx, n.x);
      y = ry + i / (2 * rx) % (n.y - 2 * ry);
      z = rz + i / (2 * rx) / (n.y - 2 * ry);
    }
    T value;
    const auto read = [&](const auto& from, Index at) { return lane.load_written(from, at); };
    if (shell.value(x, y, z, value, read))
      lane.store(shell.field.elements(), shell.field.at(x, y, z), value);
  }

private:
  /// The i-th of the first and last `radius` of n.
  RIDGE_FN static Index either_end(Index i, Index radius, Index n) {
    return i < radius ? i : n - 2 * radius + i;
  }
};

template <class T>
void fill(Queue& queue, const Shell<T>& shell) {
  const FillBody<T> body{shell};
  const auto blocks = static_cast<int>(ceil_div(body.points(), block));
  if (blocks > 0) launch_body(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, body);
}

template <class T>
struct CopyBody {
  static constexpr int max_threads = block;
  static constexpr const char* name = "stencil copy";

  BoxCopy<T> c;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index3 n = c.to.extents;
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= n.x * n.y * n.z) return;
    const Index x = i % n.x;
    const Index y = i / n.x % n.y;
    const Index z = i / n.x / n.y;
    lane.store(c.to.elements(), c.to.at(x, y, z), lane.load(c.from.elements(), c.from.at(x, y, z)));
  }
};

template <class T>
void copy(Queue& queue, const BoxCopy<T>& c) {
  const Index3 n = c.to.extents;
  const auto blocks = static_cast<int>(ceil_div(n.x * n.y * n.z, block));
  launch_body(queue, {{blocks, 1, 1}, {block, 1, 1}, 0}, CopyBody<T>{c});
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
