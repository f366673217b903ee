// How long faces of a field of N^3 take to pack and to unpack, beside a device's own copy of as many
// bytes; each of many faces in turn, so that none is in a cache.
//
//   g++ -std=c++20 -O2 -Iinclude bench/packing.cpp -Lbuild/lib -lridge -lfmt -o packing
//   LD_LIBRARY_PATH=build/lib ./packing cuda:0 512 && LD_LIBRARY_PATH=build/lib ./packing cuda:0 1024
//
// `sectors` is what a copy would take that moves each piece of 32 bytes that a face touches, whole.
// Predictions and results: docs/design/ranks.md.
#include <ridge/comm/copy_boxes.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/record/measure.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace ridge;

constexpr Index faces = 24;
constexpr Index sector = 32;

double microseconds(Queue& queue, const std::function<void()>& launch) {
  return measure(queue, launch).median.value * 1e6 / static_cast<double>(faces);
}

template <class T>
void show(const Device& device, Index n) {
  Queue queue(device);
  const Index per_line = 128 / static_cast<Index>(sizeof(T));
  const Index row = (n + 2 + per_line - 1) / per_line * per_line;
  Field<T> field(device, Extents{row, n, n});
  Field<T> buffers(device, Extents{n, n, faces});
  Field<T> others(device, Extents{n, n, faces});
  fill_random(queue, field.elements(), 1);
  const auto memory = comm::FieldMemory::of(field.view());
  const Index points = n * n;
  const Index bytes = points * static_cast<Index>(sizeof(T));
  for (int axis = 2; axis >= 0; --axis) {
    std::vector<Bound> pack;
    std::vector<Bound> unpack;
    for (Index k = 0; k < faces; ++k) {
      const Index at = k * (n / faces);
      comm::MemoryBox box{{0, 0, 0}, {n, n, n}};
      (axis == 0 ? box.begin.x : axis == 1 ? box.begin.y : box.begin.z) = at;
      (axis == 0 ? box.extents.x : axis == 1 ? box.extents.y : box.extents.z) = 1;
      T* const buffer = buffers.data() + k * points;
      pack.push_back(comm::bind_copies(queue, memory, {box}, buffer, false));
      unpack.push_back(comm::bind_copies(queue, memory, {box}, buffer, true));
    }
    const auto all = [](const std::vector<Bound>& launches) {
      return [&launches] {
        for (const Bound& launch : launches)
          launch.run();
      };
    };
    const auto copies = [&](Index each) {
      return microseconds(queue, [&, each] {
        for (Index k = 0; k < faces; ++k) {
          copy_bytes_on_device(queue, others.data() + k * points, buffers.data() + k * points,
                               Bytes{each});
        }
      });
    };
    const double copy = copies(bytes);
    const Index moved = axis == 0 ? points * (sector + static_cast<Index>(sizeof(T))) / 2 : bytes;
    // Longer than a buffer: a copy of twice as many takes twice as long, less its beginning.
    const double whole = copy + (copy - copies(bytes / 2)) * 2 *
                                    (static_cast<double>(moved) / static_cast<double>(bytes) - 1);
    const double packing = microseconds(queue, all(pack));
    const double unpacking = microseconds(queue, all(unpack));
    std::printf("%s %5lld^2 face of %c, %5.2f MB: pack %7.2f us (%.3f of the copy), unpack %7.2f us "
                "(%.3f), copy %7.2f us, sectors %7.2f us\n",
                sizeof(T) == 8 ? "fp64" : "fp32", static_cast<long long>(n), "xyz"[axis],
                static_cast<double>(bytes) * 1e-6, packing, copy / packing, unpacking,
                copy / unpacking, copy, whole);
  }
}

} // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu");
  const Index n = argc > 2 ? std::atoll(argv[2]) : 512;
  show<double>(device, n);
  show<float>(device, n);
  return 0;
} catch (const ridge::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
