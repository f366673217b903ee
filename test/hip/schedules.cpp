// Prints, a line each, the schedules Ridge chooses or names on AMD GPUs: "default ..." for several
// GPUs, kernels and extents, and "kernel1 ..." to "kernel7 ...". The tests of this room read the
// machine code of these, so they follow when a default changes.
//
// No AMD GPU is needed: this program brings HIP devices of its own that have facts and nothing
// else, in place of those in the library.
#include <ridge/device/gpu/backend.hpp>
#include <ridge/device/host_backend.hpp>
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/stencil/schedule.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>

namespace {

/// The last-level caches of MI200, RX 7900 and MI300.
constexpr std::array<std::int64_t, 3> caches = {8 << 20, 96 << 20, 256 << 20};

} // namespace

namespace ridge {

int count_hip() {
  return static_cast<int>(caches.size());
}

std::shared_ptr<Backend> open_hip(int number) {
  DeviceFacts facts;
  facts.units = 100;
  facts.warp_width = 64;
  facts.max_block_threads = 1024;
  facts.shared_per_block = Bytes{64 << 10};
  facts.last_level_cache = Bytes{caches.at(static_cast<std::size_t>(number))};
  return std::make_shared<HostBackend>(DeviceId{DeviceKind::hip, number}, facts);
}

} // namespace ridge

namespace {

using namespace ridge;
using namespace ridge::stencil;

template <class K>
void add_defaults(const Device& device, std::set<std::string>& lines) {
  for (const Index3 n : {Index3{1000000, 1, 1}, Index3{4096, 4096, 1}, Index3{33, 40, 50},
                         Index3{100, 100, 100}, Index3{512, 512, 512}, Index3{1024, 1024, 1024},
                         Index3{2048, 2048, 256}, Index3{4096, 4096, 64}}) {
    for (const Traits& traits : {traits_of<K, float>(), traits_of<K, double>()})
      lines.insert("default " + to_text(default_schedule(device, traits, n)));
  }
}

} // namespace

int main() {
  std::set<std::string> lines;
  for (int number = 0; number < count_hip(); ++number) {
    const Device device(DeviceId{DeviceKind::hip, number});
    add_defaults<Laplacian<2, 1>>(device, lines);
    add_defaults<Laplacian<2, 3>>(device, lines);
    add_defaults<Laplacian<8, 3>>(device, lines);
    add_defaults<Box27>(device, lines);
    add_defaults<lab::Diffusion>(device, lines);
    for (const auto& [name, schedule] : named_schedules(device))
      lines.insert(name + " " + to_text(schedule));
  }
  for (const std::string& line : lines)
    std::puts(line.c_str());
}
