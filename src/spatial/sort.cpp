// The parallel mode of GCC's library uses what C++17 deprecates, and clang says so where it is
// used.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <ridge/device/field.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/spatial/sort.hpp>

#include <parallel/algorithm>

#include <algorithm>
#include <utility>
#include <vector>

namespace ridge::spatial {

namespace {

/// Pairs are compared with the places they came from, so that equal keys keep their order and the
/// result does not depend on the number of threads.
void sort_on_host(SortBuffers& b, int begin, int end) {
  struct Entry {
    std::uint64_t key;
    std::uint32_t value, from;
  };
  const auto count = static_cast<std::size_t>(b.count);
  const auto now = static_cast<std::size_t>(b.current);
  const std::uint64_t kept =
      end - begin >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - begin)) - 1;
  std::vector<Entry> entries(count);
  for (std::size_t i = 0; i < count; ++i)
    entries[i] = {b.keys[now][i], b.values[now][i], static_cast<std::uint32_t>(i)};
  const auto before = [=](const Entry& x, const Entry& y) {
    const std::uint64_t a = x.key >> begin & kept;
    const std::uint64_t c = y.key >> begin & kept;
    return a != c ? a < c : x.from < y.from;
  };
  constexpr std::size_t few = 16384; // for which waking threads takes longer
  if (count < few) {
    std::sort(entries.begin(), entries.end(), before);
  } else {
    __gnu_parallel::sort(entries.begin(), entries.end(), before);
  }
  for (std::size_t i = 0; i < count; ++i) {
    b.keys[1 - now][i] = entries[i].key;
    b.values[1 - now][i] = entries[i].value;
  }
  b.current = 1 - b.current;
}

void scan_on_host(std::uint32_t* counts, Index count) {
  std::uint32_t sum = 0;
  for (Index i = 0; i < count; ++i)
    sum += std::exchange(counts[i], sum);
  counts[count] = sum;
}

/// Runs `work` on copies of device memory.
template <class T, class Work>
void on_copy(Queue& queue, T* data, Index read, Index written, const Work& work) {
  std::vector<T> host(static_cast<std::size_t>(std::max(read, written)));
  copy_to_host(queue, host.data(), data, read);
  queue.wait();
  work(host.data());
  copy_to_device(queue, data, host.data(), written);
  queue.wait();
}

} // namespace

void* Sorter::scratch(std::size_t bytes) {
  const Bytes need{static_cast<Index>(std::max<std::size_t>(bytes, 1))};
  if (scratch_.size().value < need.value) {
    queue_.wait(); // for what still works in the memory before
    scratch_ = {};
    scratch_ = Memory(queue_.device(), need, "scratch memory of sorting");
  }
  return scratch_.data();
}

void Sorter::sort(SortBuffers& buffers, int begin, int end) {
  const Device& device = queue_.device();
  if (device.host_accessible()) {
    sort_on_host(buffers, begin, end);
    return;
  }
  if (find_offer(device.kind(), typeid(SortBuffers*)) != nullptr) {
    auto* const sort_pairs = offered<SortPairs>(device.kind(), typeid(SortBuffers*));
    std::size_t bytes = 0;
    sort_pairs(queue_, buffers, begin, end, nullptr, bytes);
    sort_pairs(queue_, buffers, begin, end, scratch(bytes), bytes);
    return;
  }
  const auto now = static_cast<std::size_t>(buffers.current);
  on_copy(queue_, buffers.keys[now], buffers.count, buffers.count, [&](std::uint64_t* keys) {
    on_copy(queue_, buffers.values[now], buffers.count, buffers.count, [&](std::uint32_t* values) {
      std::vector<std::uint64_t> spare_keys(static_cast<std::size_t>(buffers.count));
      std::vector<std::uint32_t> spare_values(spare_keys.size());
      SortBuffers here{{keys, spare_keys.data()}, {values, spare_values.data()}, 0, buffers.count};
      sort_on_host(here, begin, end);
      std::copy(spare_keys.begin(), spare_keys.end(), keys);
      std::copy(spare_values.begin(), spare_values.end(), values);
    });
  });
}

void Sorter::scan(std::uint32_t* counts, Index count) {
  const Device& device = queue_.device();
  if (device.host_accessible()) {
    scan_on_host(counts, count);
    return;
  }
  if (find_offer(device.kind(), typeid(CountsToScan)) != nullptr) {
    auto* const scan_counts = offered<ScanCounts>(device.kind(), typeid(CountsToScan));
    std::size_t bytes = 0;
    scan_counts(queue_, counts, count, nullptr, bytes);
    scan_counts(queue_, counts, count, scratch(bytes), bytes);
    return;
  }
  on_copy(queue_, counts, count, count + 1,
          [&](std::uint32_t* here) { scan_on_host(here, count); });
}

} // namespace ridge::spatial
