// Compiled once per kind of GPU that has a library for it.
#include <ridge/device/gpu/native.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/spatial/sort.hpp>

#if defined(RIDGE_TARGET_CUDA)
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#define RIDGE_HAS_SORT
#elif __has_include(<rocprim/rocprim.hpp>)
#include <rocprim/rocprim.hpp>
#define RIDGE_HAS_SORT
#endif

#if defined(RIDGE_HAS_SORT)

namespace ridge::spatial {

namespace {

auto stream_of(Queue& queue) {
  return static_cast<gpu::Stream>(queue.native());
}

void sort_pairs(Queue& queue, SortBuffers& b, int begin, int end, void* scratch,
                std::size_t& bytes) {
  const auto now = static_cast<std::size_t>(b.current);
#if defined(RIDGE_TARGET_CUDA)
  cub::DoubleBuffer<std::uint64_t> keys(b.keys[now], b.keys[1 - now]);
  cub::DoubleBuffer<std::uint32_t> values(b.values[now], b.values[1 - now]);
  gpu::check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, b.count, begin, end,
                                             stream_of(queue)),
             "sorting by keys");
  const bool swapped = keys.Current() != b.keys[now];
#else
  rocprim::double_buffer<std::uint64_t> keys(b.keys[now], b.keys[1 - now]);
  rocprim::double_buffer<std::uint32_t> values(b.values[now], b.values[1 - now]);
  gpu::check(rocprim::radix_sort_pairs(
                 scratch, bytes, keys, values, static_cast<std::size_t>(b.count),
                 static_cast<unsigned>(begin), static_cast<unsigned>(end), stream_of(queue)),
             "sorting by keys");
  const bool swapped = keys.current() != b.keys[now];
#endif
  if (scratch != nullptr && swapped) b.current = 1 - b.current;
}

void scan_counts(Queue& queue, std::uint32_t* counts, Index count, void* scratch,
                 std::size_t& bytes) {
  // One more than there are: what is behind them is not read into any sum but its own.
#if defined(RIDGE_TARGET_CUDA)
  gpu::check(
      cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, counts, count + 1, stream_of(queue)),
      "adding up counts");
#else
  gpu::check(rocprim::exclusive_scan(scratch, bytes, counts, counts, std::uint32_t{0},
                                     static_cast<std::size_t>(count + 1),
                                     rocprim::plus<std::uint32_t>(), stream_of(queue)),
             "adding up counts");
#endif
}

const Offer sorting(kind_of<Here>, typeid(SortBuffers*), &sort_pairs);
const Offer scanning(kind_of<Here>, typeid(CountsToScan), &scan_counts);

} // namespace

} // namespace ridge::spatial

#endif
