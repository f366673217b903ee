// Prints, a line each, the schedules Ridge chooses or names on AMD GPUs, as "name, operator,
// schedule" with a tab between: "default" for several GPUs, operators, precisions and extents, and
// "kernel1" to "kernel7" of the Laplacian. The tests of this room read the machine code of these,
// so they follow when a default changes.
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

std::string line(const std::string& name, const std::string& operator_, const Schedule& schedule) {
  return name + "\t" + operator_ + "\t" + to_text(schedule);
}

template <class K>
void add_defaults(const Device& device, const std::string& kernel, std::set<std::string>& lines) {
  for (const Index3 n : {Index3{1000000, 1, 1}, Index3{4096, 4096, 1}, Index3{33, 40, 50},
                         Index3{100, 100, 100}, Index3{512, 512, 512}, Index3{1024, 1024, 1024},
                         Index3{2048, 2048, 256}, Index3{4096, 4096, 64}}) {
    const auto add = [&](const char* precision, const Traits& traits) {
      lines.insert(line("default", kernel + " " + precision, default_schedule(device, traits, n)));
    };
    add("float", traits_of<K, float>());
    add("double", traits_of<K, double>());
  }
}

template <int Rank>
void add_orders(const Device& device, std::set<std::string>& lines) {
  const auto name = [](int order) {
    return "Laplacian<" + std::to_string(order) + ", " + std::to_string(Rank) + ">";
  };
  add_defaults<Laplacian<2, Rank>>(device, name(2), lines);
  add_defaults<Laplacian<4, Rank>>(device, name(4), lines);
  add_defaults<Laplacian<6, Rank>>(device, name(6), lines);
  add_defaults<Laplacian<8, Rank>>(device, name(8), lines);
}

} // namespace

int main() {
  std::set<std::string> lines;
  for (int number = 0; number < count_hip(); ++number) {
    const Device device(DeviceId{DeviceKind::hip, number});
    add_orders<1>(device, lines);
    add_orders<2>(device, lines);
    add_orders<3>(device, lines);
    add_defaults<Box27>(device, "Box27", lines);
    add_defaults<lab::Diffusion>(device, "Diffusion", lines);
    for (const auto& [name, schedule] : named_schedules(device)) {
      for (const char* const precision : {"float", "double"})
        lines.insert(line(name, std::string("Laplacian<2, 3> ") + precision, schedule));
    }
  }
  for (const std::string& text : lines)
    std::puts(text.c_str());
}
