// Several sweeps in one pass over memory on the cpu: blocks of whole rows that march through the
// planes with all sweeps at once.
//
// Sweep l computes a plane when sweep l - 1 has computed those a radius beyond it. Planes of the
// sweeps in between lie in rings; of the first sweep's inputs and the last one's results only the
// fields hold any. A block computes what its later sweeps need beyond its own rows and planes
// itself, so blocks do not wait for each other. Every point is computed by the same expression as
// in a single sweep, so its bits are the same. Rings of fields in 16 bits hold 16 bits, too.
#pragma once

#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/stencil/cpu/pass_row.hpp>
#include <ridge/stencil/cpu_pass_schedule.hpp>
#include <ridge/stencil/pass.hpp>
#include <ridge/stencil/stored_shell.hpp>

#include <algorithm>
#include <vector>

namespace ridge::stencil::cpu {

/// An axis of the field with its shell, as blocks see it: those that march, and those across.
struct PassAxis {
  Index size = 1; ///< points, those of the shell included
  int radius = 0;
  bool periodic = false;

  [[nodiscard]] Index begin() const { return radius; } ///< of what is computed
  [[nodiscard]] Index end() const { return size - radius; }
  /// Where a place beyond a periodic face is in the field.
  [[nodiscard]] Index wrapped(Index at) const {
    if (!periodic || (at >= begin() && at < end())) return at;
    const Index n = end() - begin();
    return begin() + ((at - begin()) % n + n) % n;
  }
  /// The range that sweep `left` before the last computes of a block, without the shell.
  [[nodiscard]] Range computed(const Range& block, int left) const {
    const Index halo = Index{left} * radius;
    if (periodic) return {block.begin - halo, block.end + halo};
    return {std::max(block.begin - halo, begin()), std::min(block.end + halo, end())};
  }
  /// That range with the shell where it is needed.
  [[nodiscard]] Range held(const Range& block, int left) const {
    const Index halo = Index{left} * radius;
    if (periodic) return {block.begin - halo, block.end + halo};
    return {std::max<Index>(block.begin - halo, 0), std::min(block.end + halo, size)};
  }
};

/// One thread's march through one block.
template <class K, class T>
class PassBlock {
public:
  PassBlock(const Pass<K, T>& pass, bool along_y, Store store)
      : pass_(pass), along_y_(along_y), store_(store), shell_(axis_of(pass.shell, 0)) {
    const Index3 n = pass.shell.field.extents;
    constexpr Offset r = radius_of<K>();
    const PassAxis y{n.y, r.y, pass.periodic[1]};
    const PassAxis z{n.z, r.z, pass.periodic[2]};
    march_ = along_y ? y : z;
    across_ = along_y ? z : y;
    march_shell_ = along_y ? 1 : 2;
    across_shell_ = along_y ? 2 : 1;
    width_ = ceil_div(n.x, line) * line + line; // no power of two apart
    planes_ = ring_planes(along_y);
  }

  /// Elements of ring that a block of so many rows needs.
  [[nodiscard]] Index elements(Index rows) const {
    Index all = 0;
    for (int level = 1; level < pass_.sweeps; ++level)
      all += planes_ * (rows + 2 * Index{pass_.sweeps - level} * across_.radius) * width_;
    return all;
  }

  void run(const Range& rows, const Range& planes, T* ring) {
    rows_ = rows;
    planes_range_ = planes;
    lay_out(ring);
    const int last = pass_.sweeps;
    const Range first = march_.computed(planes, last - 1);
    const Index end = planes.end + Index{last - 1} * march_.radius;
    for (Index step = first.begin; step < end; ++step) {
      look_ahead(step + 1);
      for (int level = 1; level <= last; ++level)
        produce(level, step - Index{level - 1} * march_.radius);
    }
  }

private:
  static constexpr Index line = line_bytes / static_cast<Index>(sizeof(T));
  using Rows = PassRows<K, T>;
  using Number = NumberOf<T>; ///< that faces compute with

  /// The ring of one sweep's planes.
  struct Level {
    T* data = nullptr;
    Range rows;
  };

  /// Planes that must be held of each sweep: as long as a later one reads them.
  static Index ring_planes(bool along_y) {
    constexpr Offset all = radius_of<K>();
    const int radius = along_y ? all.y : all.z;
    Index most = 1;
    for (int i = 0; i < levels_of<K>(); ++i)
      most = std::max<Index>(most, Index{i + 1} * radius + Rows::radius(i, along_y) + 1);
    return most;
  }

  void lay_out(T* ring) {
    levels_.resize(static_cast<std::size_t>(pass_.sweeps));
    for (int level = 1; level < pass_.sweeps; ++level) {
      Level& made = levels_[static_cast<std::size_t>(level)];
      made.data = ring;
      made.rows = across_.held(rows_, pass_.sweeps - level);
      ring += planes_ * (made.rows.end - made.rows.begin) * width_;
    }
  }

  [[nodiscard]] Index in_field(const View<const T>& field, Index across, Index march) const {
    const Index a = across_.wrapped(across);
    const Index m = march_.wrapped(march);
    return along_y_ ? field.at(0, m, a) : field.at(0, a, m);
  }
  [[nodiscard]] const Level& held(int level) const {
    return levels_[static_cast<std::size_t>(level)];
  }
  /// A row of what sweep `level` makes; of level 0 and less those of the inputs.
  [[nodiscard]] T* ring_row(int level, Index across, Index march) const {
    const Level& ring = held(level);
    const Index slot = (march % planes_ + planes_) % planes_;
    return ring.data +
           (slot * (ring.rows.end - ring.rows.begin) + across - ring.rows.begin) * width_;
  }
  [[nodiscard]] const T* row(int level, Index across, Index march) const {
    if (level > 0) return ring_row(level, across, march);
    const View<const T>& field = pass_.in[static_cast<std::size_t>(-level)];
    return field.data + in_field(field, across, march);
  }
  /// The row of the newest input: what holds at all times is there.
  [[nodiscard]] const T* start(Index across, Index march) const { return row(0, across, march); }

  void produce(int level, Index plane) {
    const int left = pass_.sweeps - level;
    const Range needed = left == 0 ? planes_range_ : march_.held(planes_range_, left);
    if (plane < needed.begin || plane >= needed.end) return;
    if (march_.periodic || (plane >= march_.begin() && plane < march_.end())) {
      compute_plane(level, plane);
      // The shell before the first plane is read after all that it is made of is there.
      if (!march_.periodic && plane == 2 * Index{march_.radius}) {
        for (Index p = needed.begin; p < march_.begin(); ++p)
          shell_plane(level, p);
      }
    } else if (plane >= march_.end()) {
      shell_plane(level, plane);
    }
  }

  /// A plane that rows are read from: where row `first` begins, and how far apart they are.
  struct Source {
    const T* data = nullptr;
    Index first = 0, stride = 0;
    bool wraps = false;
  };
  using Sources = std::array<std::array<Source, Rows::most_planes>, inputs_of<K>>;

  [[nodiscard]] Source source(int level, int input, Index march) const {
    const int from = input < levels_of<K>() ? level - 1 - input : 0;
    if (from > 0)
      return {ring_row(from, held(from).rows.begin, march), held(from).rows.begin, width_, false};
    const View<const T>& field =
        pass_.in[static_cast<std::size_t>(input < levels_of<K>() ? -from : input)];
    return {field.data + in_field(field, across_.begin(), march), across_.begin(),
            along_y_ ? field.plane : field.row, across_.periodic};
  }

  /// Rows of inputs that the first sweep reads in the next step and in none before. They are asked
  /// for while other sweeps compute, which need nothing of memory.
  void look_ahead(Index step) {
    asked_.clear();
    next_asked_ = 0;
    const int left = pass_.sweeps - 1;
    const Range needed = march_.computed(planes_range_, left);
    if (step < needed.begin || step >= needed.end) return;
    const Range rows = across_.held(rows_, pass_.sweeps);
    for (int input = 0; input < inputs_of<K>; ++input) {
      const View<const T>& field = pass_.in[static_cast<std::size_t>(input)];
      const Index plane = step + Rows::radius(input, along_y_);
      for (Index a = rows.begin; a < rows.end; ++a)
        asked_.push_back(field.data + in_field(field, a, plane));
    }
    const Index all = static_cast<Index>(asked_.size()) * row_lines();
    const Index computed = Index{pass_.sweeps} * (rows_.end - rows_.begin);
    lines_a_row_ = ceil_div(all, std::max<Index>(computed, 1));
  }
  [[nodiscard]] Index row_lines() const { return ceil_div(pass_.shell.field.extents.x, line); }
  void ask() {
    const Index lines = row_lines();
    const Index end =
        std::min(next_asked_ + lines_a_row_, static_cast<Index>(asked_.size()) * lines);
    for (; next_asked_ < end; ++next_asked_) {
      ridge::cpu::PrefetchIntoL2{}(asked_[static_cast<std::size_t>(next_asked_ / lines)] +
                                   next_asked_ % lines * line);
    }
  }

  void compute_plane(int level, Index plane) {
    const int left = pass_.sweeps - level;
    const Range rows = across_.computed(rows_, left);
    constexpr Offset r = radius_of<K>();
    const Index end = pass_.shell.field.extents.x - r.x;
    // Divisions are done once a plane.
    Sources sources;
    for (int input = 0; input < inputs_of<K>; ++input) {
      const int reach = Rows::radius(input, along_y_);
      for (int d = -reach; d <= reach; ++d) {
        sources[static_cast<std::size_t>(input)][static_cast<std::size_t>(d + march_.radius)] =
            source(level, input, plane + d);
      }
    }
    const auto source_of = [&](int input, int dy, int dz) -> const Source& {
      return sources[static_cast<std::size_t>(input)]
                    [static_cast<std::size_t>((along_y_ ? dy : dz) + march_.radius)];
    };
    const auto row_at = [&](Index across) {
      return Rows([&](int input, int dy, int dz) {
        const Source& from = source_of(input, dy, dz);
        const Index at = across + (along_y_ ? dz : dy);
        return from.data + ((from.wraps ? across_.wrapped(at) : at) - from.first) * from.stride;
      });
    };
    Rows neighbours = row_at(rows.begin);
    for (Index across = rows.begin; across < rows.end; ++across) {
      if (across > rows.begin) {
        // Within the field a row follows the one before in all planes.
        if (across_.periodic && (across - across_.radius <= across_.begin() ||
                                 across + across_.radius >= across_.end())) {
          neighbours = row_at(across);
        } else {
          neighbours.advance(
              [&](int input, int dy, int dz) { return source_of(input, dy, dz).stride; });
        }
      }
      ask();
      if (left == 0) {
        T* const to = out_row(0, across, plane);
        if (store_ == Store::nontemporal) {
          compute_row<true>(pass_.kernel, neighbours, to, Index{r.x}, end);
        } else {
          compute_row<false>(pass_.kernel, neighbours, to, Index{r.x}, end);
        }
        continue;
      }
      T* const to = ring_row(level, across, plane);
      compute_row<false>(pass_.kernel, neighbours, to, Index{r.x}, end);
      fill_ends(to, start(across, plane));
      if (left < levels_of<K>() && inside(rows_, across) && inside(planes_range_, plane))
        copy_out(to, out_row(left, across, plane), Index{r.x}, end);
    }
    if (left > 0) shell_rows(level, plane);
  }

  static bool inside(const Range& range, Index at) { return at >= range.begin && at < range.end; }
  [[nodiscard]] T* out_row(int output, Index across, Index march) const {
    const View<T>& field = pass_.out[static_cast<std::size_t>(output)];
    return field.data + in_field(field, across, march);
  }

  /// Results [begin, end) of a row that memory gets beside the last sweep's.
  void copy_out(const T* from, T* to, Index begin, Index end) const {
    using Vector = Pack<T, simd_bytes / static_cast<int>(sizeof(T)), abi::Native>;
    constexpr Index width = lanes_of<Vector>;
    Index x = begin;
    if (store_ == Store::nontemporal) {
      const Index misfit = misfit_of(to + begin);
      const Index head = std::min(end, begin + (misfit == 0 ? 0 : line - misfit));
      for (; x < head; ++x)
        to[x] = from[x];
      for (; x + width <= end; x += width)
        Vector::load(from + x).stream(to + x);
    }
    std::copy(from + x, from + end, to + x);
  }

  /// The shell's points at both ends of a row. `constant` has the row's fixed points.
  void fill_ends(T* row, const T* constant) const {
    const Index n = pass_.shell.field.extents.x;
    for (Index k = 0; k < shell_.radius; ++k) {
      for (const Index x : {k, n - 1 - k}) {
        const Image<Number>* const image = image_of(0, x);
        row[x] = image == nullptr ? constant[x]
                                  : reflected(*image, row[image->at + shell_.lead],
                                              [&](int side) { return constant[face(0, side)]; });
      }
    }
  }

  /// The source of a point in the shell along an axis; null for one that is fixed.
  [[nodiscard]] const Image<Number>* image_of(int axis, Index at) const {
    const ShellAxis<Number>& a = axis_of(pass_.shell, axis);
    const Index inner = at - a.lead;
    if (inner >= 0 && inner < a.points) return nullptr;
    return inner < 0 ? &a.beyond[0][-inner - 1] : &a.beyond[1][inner - a.points];
  }
  [[nodiscard]] Index face(int axis, int side) const {
    const ShellAxis<Number>& a = axis_of(pass_.shell, axis);
    return a.lead + (side == 0 ? 0 : a.points - 1);
  }
  /// As Shell::value computes it.
  template <class FaceValue>
  static T reflected(const Image<Number>& image, T value, const FaceValue& face_value) {
    Number add = image.add;
    for (int side = 0; side < 2; ++side) {
      if (image.of_face[side] != 0) add += image.of_face[side] * number_of(face_value(side));
    }
    return element_of<T>(add + image.sign * number_of(value));
  }

  /// A whole row that is the image of another; `faces` are the rows on the axis' two faces.
  void reflect_row(T* to, const T* from, const Image<Number>& image,
                   const std::array<const T*, 2>& faces) const {
    const Index n = pass_.shell.field.extents.x;
    for (Index x = 0; x < n; ++x) {
      Index at = x; // where the face's own value is
      if (const Image<Number>* const end = image_of(0, x); end != nullptr)
        at = end->at + shell_.lead;
      to[x] = reflected(image, from[x],
                        [&](int side) { return faces[static_cast<std::size_t>(side)][at]; });
    }
  }

  /// The rows of the shell beside the computed ones.
  void shell_rows(int level, Index plane) {
    if (across_.periodic) return;
    const Range rows = held(level).rows;
    for (Index a = rows.begin; a < rows.end; ++a) {
      if (a >= across_.begin() && a < across_.end()) continue;
      T* const to = ring_row(level, a, plane);
      const Image<Number>* const image = image_of(across_shell_, a);
      if (image == nullptr) {
        copy_row(to, start(a, plane));
      } else {
        const Index from = image->at + axis_of(pass_.shell, across_shell_).lead;
        reflect_row(to, ring_row(level, from, plane), *image,
                    {start(face(across_shell_, 0), plane), start(face(across_shell_, 1), plane)});
      }
    }
  }

  void shell_plane(int level, Index plane) {
    const Range held = levels_[static_cast<std::size_t>(level)].rows;
    const Image<Number>* const image = image_of(march_shell_, plane);
    for (Index a = held.begin; a < held.end; ++a) {
      T* const to = ring_row(level, a, plane);
      if (image == nullptr) {
        copy_row(to, start(a, plane));
        continue;
      }
      // A row beyond a face across has the face's values of where it is reflected to.
      Index own = a;
      if (const Image<Number>* const beside =
              across_.periodic ? nullptr : image_of(across_shell_, a);
          beside != nullptr)
        own = beside->at + axis_of(pass_.shell, across_shell_).lead;
      const Index from = image->at + axis_of(pass_.shell, march_shell_).lead;
      reflect_row(to, ring_row(level, a, from), *image,
                  {start(own, face(march_shell_, 0)), start(own, face(march_shell_, 1))});
    }
  }

  void copy_row(T* to, const T* from) const {
    std::copy(from, from + pass_.shell.field.extents.x, to);
  }

  const Pass<K, T>& pass_;
  bool along_y_;
  Store store_;
  const ShellAxis<Number>& shell_;
  PassAxis march_, across_;
  int march_shell_ = 2, across_shell_ = 1;
  Index width_ = 0, planes_ = 1;
  Range rows_, planes_range_;
  std::vector<Level> levels_;
  std::vector<const T*> asked_; ///< rows
  Index next_asked_ = 0;        ///< line of them
  Index lines_a_row_ = 0;
};

} // namespace ridge::stencil::cpu
