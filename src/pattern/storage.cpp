#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/pattern/storage.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ridge {

bool is_storage(std::string_view precision) {
  return precision == "fp16" || precision == "bf16";
}
void check_storage(std::string_view name) {
  if (is_storage(name)) return;
  throw UsageError(fmt::format(
      "--store-as {}: fp16 or bf16 is right{}", name,
      name.find('=') == std::string_view::npos ? "" : "; a list of fields is for stencils"));
}

void split_numbers(Queue& queue, const View<const float>& numbers, void* high, void* low) {
  const Index3 n = numbers.extents;
  const bool packed = numbers.row == n.x && numbers.plane == n.x * n.y;
  const Index run = packed ? n.x * n.y * n.z : n.x;
  constexpr Index piece = Index{1} << 22;
  std::vector<float> both(static_cast<std::size_t>(std::min(piece, run)));
  std::vector<Fp16> upper(both.size());
  std::vector<Fp16> lower(both.size());
  Index done = 0;
  const auto split = [&](const float* from) {
    for (Index begin = 0; begin < run; begin += piece) {
      const Index count = std::min(piece, run - begin);
      copy_to_host(queue, both.data(), from + begin, count);
      queue.wait();
      for (Index i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(both[static_cast<std::size_t>(i)]);
        upper[static_cast<std::size_t>(i)] = static_cast<Fp16>(bits >> 16U);
        lower[static_cast<std::size_t>(i)] = static_cast<Fp16>(bits & 0xffffU);
      }
      copy_to_device(queue, static_cast<Fp16*>(high) + done, upper.data(), count);
      copy_to_device(queue, static_cast<Fp16*>(low) + done, lower.data(), count);
      queue.wait();
      done += count;
    }
  };
  if (packed) return split(numbers.data);
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y)
      split(numbers.data + numbers.at(0, y, z));
  }
}

} // namespace ridge
