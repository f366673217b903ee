#include <ridge/core/stored.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/stencil/check.hpp>

#include <algorithm>
#include <mutex>

namespace ridge::stencil {

std::vector<Slab> slabs_of(Index3 n, int element_bytes, Index bytes) {
  const Index row_bytes = n.x * element_bytes;
  const Index rows = std::clamp<Index>(bytes / row_bytes, 1, n.y);
  const Index planes = rows < n.y ? 1 : std::clamp<Index>(bytes / (row_bytes * n.y), 1, n.z);
  std::vector<Slab> slabs;
  for (Index z = 0; z < n.z; z += planes) {
    for (Index y = 0; y < n.y; y += rows) {
      slabs.push_back({y, std::min(n.y, y + rows), z, std::min(n.z, z + planes)});
    }
  }
  return slabs;
}

HostBox::HostBox(Queue& queue, Bytes most) {
  if (!queue.device().host_accessible()) {
    memory_ = Memory(queue.device(), most, "the check", Memory::Place::staging);
  }
}

void HostBox::copy(Queue& queue, const void* from, Bytes plane, Bytes pitch, Index planes) {
  queue.device().backend().copy_rows(
      queue.native(), memory_.data(), static_cast<std::size_t>(plane.value), from,
      static_cast<std::size_t>(pitch.value), static_cast<std::size_t>(plane.value),
      static_cast<std::size_t>(planes), CopyDirection::to_host);
}

namespace {

/// Compares a row of the output, whose points near the edge hold `poison` still, with the
/// reference.
template <class T>
void compare_row(const CheckedKernel<T>& kernel, Inputs<T> in, Index in_y, Index in_z, const T* out,
                 Index3 extents, Index y, Index z, T poison, std::vector<double>& expected,
                 Deviation& found) {
  const Offset r = kernel.traits().radius;
  const bool edge_row = y < r.y || y >= extents.y - r.y || z < r.z || z >= extents.z - r.z;
  const Index first = edge_row ? extents.x : std::min<Index>(r.x, extents.x);
  const Index last = std::max(first, extents.x - r.x); // points between are the kernel's
  const auto expect_untouched = [&](Index x) {
    found.expect_untouched(number_of(out[x]), number_of(poison), {x, y, z});
  };
  for (Index x = 0; x < first; ++x)
    expect_untouched(x);
  if (edge_row) return;
  expected.resize(static_cast<std::size_t>(last - first));
  kernel.reference_row(in, in_y, in_z, first, last, expected.data());
  for (Index x = first; x < last; ++x) {
    found.compare(number_of(out[x]), expected[static_cast<std::size_t>(x - first)],
                  number_of(poison), {x, y, z}, [&] { return kernel.bound_at(in, x, in_y, in_z); });
  }
  for (Index x = last; x < extents.x; ++x)
    expect_untouched(x);
}

} // namespace

template <class T>
Check check_points(Queue& queue, const CheckedKernel<T>& kernel, Inputs<T> in,
                   const View<T>& written, double tolerance) {
  const Offset r = kernel.traits().radius;
  const Index3 n = written.extents;
  const auto slabs = slabs_of(n, static_cast<int>(sizeof(T)), Index{6} << 20);
  queue.wait();

  const auto bytes = [&](Index rows, Index planes) {
    return Bytes{rows * planes * written.row * static_cast<Index>(sizeof(T))};
  };
  Index rows = 0;
  Index planes = 0;
  for (const Slab& s : slabs) {
    rows = std::max(rows, s.y_end - s.y_begin);
    planes = std::max(planes, s.z_end - s.z_begin);
  }
  HostBox out_box(queue, bytes(rows, planes));
  std::vector<HostBox> in_boxes;
  for (std::size_t i = 0; i < in.size(); ++i)
    in_boxes.emplace_back(queue, bytes(rows + 2 * r.y, planes + 2 * r.z));

  Deviation total;
  std::mutex guard;
  for (const Slab& s : slabs) {
    const Index y0 = std::max<Index>(0, s.y_begin - r.y);
    const Index y1 = std::min(n.y, s.y_end + r.y);
    const Index z0 = std::max<Index>(0, s.z_begin - r.z);
    const Index z1 = std::min(n.z, s.z_end + r.z);
    std::vector<View<const T>> here;
    for (std::size_t i = 0; i < in.size(); ++i)
      here.push_back(in_boxes[i].template fetch<T>(queue, in[i], y0, y1 - y0, z0, z1 - z0));
    const View<const T> out =
        out_box.template fetch<T>(queue, View<const T>(written), s.y_begin, s.y_end - s.y_begin,
                                  s.z_begin, s.z_end - s.z_begin);
    queue.wait();
    const Index slab_rows = s.y_end - s.y_begin;
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(slab_rows * (s.z_end - s.z_begin), thread, threads);
      Deviation found;
      std::vector<double> expected;
      for (Index row = mine.begin; row < mine.end && cpu::goes_on(); ++row) {
        const Index y = s.y_begin + row % slab_rows;
        const Index z = s.z_begin + row / slab_rows;
        compare_row<T>(kernel, here, y - y0, z - z0,
                       out.data + out.at(0, y - s.y_begin, z - s.z_begin), n, y, z,
                       poisoned<T>(poison_of_outputs), expected, found);
      }
      const std::lock_guard lock(guard);
      total.add(found);
    });
  }
  return judge(total, tolerance);
}

#define RIDGE_CHECK_OF(T)                                                                          \
  template Check check_points<T>(Queue&, const CheckedKernel<T>&, Inputs<T>, const View<T>&,       \
                                 double);
RIDGE_CHECK_OF(float)
RIDGE_CHECK_OF(double)
RIDGE_CHECK_OF(Fp16)
RIDGE_CHECK_OF(Bf16)
#undef RIDGE_CHECK_OF

} // namespace ridge::stencil
