// Comparing a stencil's output with the reference, in slabs, so that a check needs little memory.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lab/deviation.hpp>
#include <ridge/record/record.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/reference.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace ridge::lab {

/// Boxes of whole rows into which a field is cut for checking.
struct Slab {
  Index y_begin, y_end, z_begin, z_end;
};
/// Slabs of at most about `bytes` of output each.
[[nodiscard]] std::vector<Slab> slabs_of(Index3 extents, int element_bytes, Index bytes);

/// A box of rows [y, y + rows) x planes [z, z + planes) of a device field, copied to the host.
class HostBox {
public:
  HostBox(Queue& queue, Bytes most);
  /// Copies the box; on devices whose memory the host can read, only remembers where it is.
  template <class T>
  View<const T> fetch(Queue& queue, const View<const T>& field, Index y, Index rows, Index z,
                      Index planes) {
    const T* const first = field.data + field.at(0, y, z);
    if (queue.device().host_accessible()) {
      return {first, {field.extents.x, rows, planes}, field.row, field.plane};
    }
    copy(queue, first, Bytes{field.row * static_cast<Index>(sizeof(T)) * rows},
         Bytes{field.plane * static_cast<Index>(sizeof(T))}, planes);
    return {static_cast<const T*>(memory_.data()),
            {field.extents.x, rows, planes},
            field.row,
            field.row * rows};
  }

private:
  void copy(Queue& queue, const void* from, Bytes plane, Bytes pitch, Index planes);
  Memory memory_;
};

/// Compares a row of the output, whose points near the edge hold `poison` still, with the
/// reference.
template <class K, class T>
void compare_row(const K& kernel, const std::array<View<const T>, stencil::inputs_of<K>>& in,
                 Index in_y, Index in_z, const T* out, Index3 extents, Index y, Index z, T poison,
                 Deviation& found) {
  constexpr stencil::Offset r = stencil::radius_of<K>();
  const bool edge_row = y < r.y || y >= extents.y - r.y || z < r.z || z >= extents.z - r.z;
  for (Index x = 0; x < extents.x; ++x) {
    if (edge_row || x < r.x || x >= extents.x - r.x) {
      found.expect_untouched(out[x], poison, {x, y, z});
      continue;
    }
    found.compare(out[x], stencil::reference_at(kernel, in, x, in_y, in_z), poison, {x, y, z},
                  [&] { return stencil::bound_at(kernel, in, x, in_y, in_z); });
  }
}

/// Compares the output of a call, whose memory held bytes `poison` before, with the reference.
/// `tolerance` is relative to the terms of each point.
template <class K, class T>
Check check_stencil(Queue& queue, const stencil::Call<K, T>& call, unsigned char poison,
                    double tolerance) {
  constexpr stencil::Offset r = stencil::radius_of<K>();
  constexpr int inputs = stencil::inputs_of<K>;
  const Index3 n = call.out.extents;
  const auto slabs = slabs_of(n, static_cast<int>(sizeof(T)), Index{6} << 20);
  queue.wait();

  const auto bytes = [&](Index rows, Index planes) {
    return Bytes{rows * planes * call.out.row * static_cast<Index>(sizeof(T))};
  };
  Index rows = 0;
  Index planes = 0;
  for (const Slab& s : slabs) {
    rows = std::max(rows, s.y_end - s.y_begin);
    planes = std::max(planes, s.z_end - s.z_begin);
  }
  HostBox out_box(queue, bytes(rows, planes));
  std::vector<HostBox> in_boxes;
  for (int i = 0; i < inputs; ++i) {
    in_boxes.emplace_back(queue, bytes(rows + 2 * r.y, planes + 2 * r.z));
  }

  Deviation total;
  std::mutex guard;
  for (const Slab& s : slabs) {
    const Index y0 = std::max<Index>(0, s.y_begin - r.y);
    const Index y1 = std::min(n.y, s.y_end + r.y);
    const Index z0 = std::max<Index>(0, s.z_begin - r.z);
    const Index z1 = std::min(n.z, s.z_end + r.z);
    std::array<View<const T>, inputs> in;
    for (int i = 0; i < inputs; ++i) {
      in[i] = in_boxes[i].template fetch<T>(queue, call.in[i], y0, y1 - y0, z0, z1 - z0);
    }
    const View<const T> out =
        out_box.template fetch<T>(queue, View<const T>(call.out), s.y_begin, s.y_end - s.y_begin,
                                  s.z_begin, s.z_end - s.z_begin);
    queue.wait();
    const Index slab_rows = s.y_end - s.y_begin;
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(slab_rows * (s.z_end - s.z_begin), thread, threads);
      Deviation found;
      for (Index row = mine.begin; row < mine.end; ++row) {
        const Index y = s.y_begin + row % slab_rows;
        const Index z = s.z_begin + row / slab_rows;
        compare_row(call.kernel, in, y - y0, z - z0,
                    out.data + out.at(0, y - s.y_begin, z - s.z_begin), n, y, z,
                    poisoned<T>(poison), found);
      }
      const std::lock_guard lock(guard);
      total.add(found);
    });
  }
  return judge(total, tolerance);
}

} // namespace ridge::lab
