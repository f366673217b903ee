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
/// Where a point lies along an axis: the point that it is an image of, and the face that it is on.
template <class R>
struct Place {
  Index at = 0;
  const Image<R>* image = nullptr;
  int fixed = -1;
};

/// One lane a point of the slabs at the ends of x; of those of y and z one lane takes all points
/// along that axis. Points are counted in 32 bits where they can be: divisions of 64 take longer
/// than memory does. As Shell::value has them.
template <class T>
struct FillBody {
  using R = NumberOf<T>;
  static constexpr int max_threads = block;
  static constexpr const char* name = "stencil boundaries";

  Shell<T> shell;

  [[nodiscard]] RIDGE_FN Index lanes() const { return lanes_of(2) + lanes_of(1) + lanes_of(0); }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = Index{lane.block().x} * block + lane.thread().x;
    if (i >= lanes()) return;
    if (lanes() <= (Index{1} << 31)) {
      set(lane, static_cast<std::uint32_t>(i));
    } else {
      set(lane, static_cast<std::uint64_t>(i));
    }
  }

private:
  [[nodiscard]] RIDGE_FN Index radius(int axis) const { return axis_of(shell, axis).radius; }
  [[nodiscard]] RIDGE_FN Index lanes_of(int axis) const {
    const Index3 n = shell.field.extents;
    if (radius(axis) == 0) return 0;
    if (axis == 2) return n.x * n.y;
    if (axis == 1) return n.x * (n.z - 2 * radius(2));
    return 2 * radius(0) * (n.y - 2 * radius(1)) * (n.z - 2 * radius(2));
  }

  template <class Lane, class I>
  RIDGE_DEVICE void set(Lane& lane, I i) const {
    const Index3 n = shell.field.extents;
    const auto nx = static_cast<I>(n.x);
    if (const auto in_z = static_cast<I>(lanes_of(2)); i < in_z) {
      const I y = i / nx;
      const Place<R> px = place(0, i - y * nx);
      const Place<R> py = place(1, y);
      for (Index k = 0; k < 2 * radius(2); ++k) {
        const Index z = either_end(k, radius(2), n.z);
        put(lane, shell.field.at(i - y * nx, y, z), px, py, place(2, z));
      }
    } else if (i -= in_z; i < static_cast<I>(lanes_of(1))) {
      const I row = i / nx;
      const Index z = row + radius(2);
      const Place<R> px = place(0, i - row * nx);
      const Place<R> pz = place(2, z);
      for (Index k = 0; k < 2 * radius(1); ++k) {
        const Index y = either_end(k, radius(1), n.y);
        put(lane, shell.field.at(i - row * nx, y, z), px, place(1, y), pz);
      }
    } else {
      i -= static_cast<I>(lanes_of(1));
      const auto ends = static_cast<I>(2 * radius(0));
      const auto ny = static_cast<I>(n.y - 2 * radius(1));
      const I row = i / ends;
      const Index x = either_end(i - row * ends, radius(0), n.x);
      const Index y = radius(1) + row % ny;
      const Index z = radius(2) + row / ny;
      put(lane, shell.field.at(x, y, z), place(0, x), place(1, y), place(2, z));
    }
  }

  /// The i-th of the first and last `radius` of n.
  RIDGE_FN static Index either_end(Index i, Index radius, Index n) {
    return i < radius ? i : n - 2 * radius + i;
  }

  [[nodiscard]] RIDGE_DEVICE Place<R> place(int axis, Index given) const {
    const ShellAxis<R>& a = axis_of(shell, axis);
    Place<R> found{given - a.lead};
    if (found.at < 0) {
      found.image = &a.beyond[0][-found.at - 1];
    } else if (found.at >= a.points) {
      found.image = &a.beyond[1][found.at - a.points];
    }
    if (found.image != nullptr) found.at = found.image->at;
    if (a.fixed[0] && found.at == 0) found.fixed = 0;
    if (a.fixed[1] && found.at == a.points - 1) found.fixed = 1;
    return found;
  }

  template <class Lane>
  RIDGE_DEVICE void put(Lane& lane, Index to, const Place<R>& x, const Place<R>& y,
                        const Place<R>& z) const {
    const bool fixed = x.fixed >= 0 || y.fixed >= 0 || z.fixed >= 0;
    if (!fixed && x.image == nullptr && y.image == nullptr && z.image == nullptr) return;
    R found;
    if (z.fixed >= 0) {
      found = face(lane, 2, z.fixed, x.at, y.at);
    } else if (y.fixed >= 0) {
      found = face(lane, 1, y.fixed, x.at, z.at);
    } else if (x.fixed >= 0) {
      found = face(lane, 0, x.fixed, y.at, z.at);
    } else {
      const Index from =
          shell.field.at(x.at + axis_of(shell, 0).lead, y.at + axis_of(shell, 1).lead,
                         z.at + axis_of(shell, 2).lead);
      found = number(lane.load_written(shell.field.elements(), from));
    }
    found = seen_in(lane, 0, x.image, y.at, z.at, found);
    found = seen_in(lane, 1, y.image, x.at, z.at, found);
    found = seen_in(lane, 2, z.image, x.at, y.at, found);
    if constexpr (is_stored<T>) {
      lane.store(shell.field.elements(), to, element_of<T>(found));
    } else {
      lane.store(shell.field.elements(), to, found);
    }
  }

  [[nodiscard]] RIDGE_DEVICE static R number(T value) {
    if constexpr (is_stored<T>) {
      return number_of(value);
    } else {
      return value;
    }
  }

  /// The value of a point of a face, whose other axes' places are `fast` and `slow`.
  template <class Lane>
  [[nodiscard]] RIDGE_DEVICE R face(Lane& lane, int axis, int side, Index fast, Index slow) const {
    const ShellAxis<R>& a = axis_of(shell, axis);
    if (a.values[side].size == 0) return a.value[side];
    const Index along = axis_of(shell, axis == 0 ? 1 : 0).points;
    return lane.load_written(a.values[side], fast + slow * along);
  }

  template <class Lane>
  [[nodiscard]] RIDGE_DEVICE R seen_in(Lane& lane, int axis, const Image<R>* image, Index fast,
                                       Index slow, R found) const {
    if (image == nullptr) return found;
    R add = image->add;
    for (int s = 0; s < 2; ++s) {
      // Twice a value is exact, so that it does not matter how this is compiled.
      if (image->of_face[s] != 0) add += image->of_face[s] * face(lane, axis, s, fast, slow);
    }
    return add + image->sign * found;
  }
};

template <class T>
void fill(Queue& queue, const Shell<T>& shell) {
  const FillBody<T> body{shell};
  const auto blocks = static_cast<int>(ceil_div(body.lanes(), block));
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
