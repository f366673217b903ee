// Prints, a line each, the schedules Ridge chooses or names on AMD GPUs, as "name, operator,
// schedule, waits" with a tab between: "default" for several GPUs, operators, precisions and
// extents, and "kernel1" to "kernel7" of the Laplacian; how often the model takes a thread to wait
// for a plane before it asks for the next. With the argument `pairs`, the defaults of the pairs
// pattern as "lanes a warp, interaction and precision, schedule". The tests of this room read the
// machine code of these, so they follow when a default changes.
//
// No AMD GPU is needed: this program brings HIP devices of its own that have facts and nothing
// else, in place of those in the library.
#include <ridge/device/gpu/backend.hpp>
#include <ridge/device/host_backend.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/kernels/stencil/diffusion.hpp>
#include <ridge/lab/kernels/stencil/wave.hpp>
#include <ridge/pairs/interactions/biot_savart.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>
#include <ridge/pairs/interactions/gaussian.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/interactions/lennard_jones.hpp>
#include <ridge/pairs/schedule.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/stencil/schedule.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <type_traits>

namespace {

/// The last-level caches of MI200, RX 7900 and MI300, and their warps.
constexpr std::array<std::int64_t, 3> caches = {8 << 20, 96 << 20, 256 << 20};
constexpr std::array<int, 3> warp_widths = {64, 32, 64};

} // namespace

namespace {

int count() {
  return static_cast<int>(caches.size());
}

std::shared_ptr<ridge::Backend> open(int number) {
  ridge::DeviceFacts facts;
  facts.units = 100;
  facts.warp_width = warp_widths.at(static_cast<std::size_t>(number));
  facts.max_block_threads = 1024;
  facts.shared_per_block = ridge::Bytes{64 << 10};
  facts.last_level_cache = ridge::Bytes{caches.at(static_cast<std::size_t>(number))};
  return std::make_shared<ridge::HostBackend>(ridge::DeviceId{ridge::DeviceKind::hip, number},
                                              facts);
}

const ridge::Offer counts(ridge::DeviceKind::hip, typeid(ridge::CountGpus*), &count);
const ridge::Offer opens(ridge::DeviceKind::hip, typeid(ridge::OpenGpu*), &open);

} // namespace

namespace {

using namespace ridge;
using namespace ridge::stencil;

std::string line(const std::string& name, const std::string& operator_,
                 const std::string& schedule) {
  return name + "\t" + operator_ + "\t" + schedule;
}

/// How often a thread waits between planes, by the model.
std::string waits_of(const Traits& traits, const Schedule& schedule) {
  const model::StencilAccess access =
      model_access(traits, std::get<GpuSchedule>(schedule), {512, 512, 512}, DeviceKind::hip);
  std::set<Index> planes;
  for (const Index3& point : access.footprints.front())
    planes.insert(point.z);
  return std::to_string(access.waits_between_planes ? planes.size() - 1 : 0);
}

template <class K>
void add_defaults(const Device& device, const std::string& kernel, std::set<std::string>& lines) {
  for (const Index3 n : {Index3{1000000, 1, 1}, Index3{4096, 4096, 1}, Index3{33, 40, 50},
                         Index3{100, 100, 100}, Index3{512, 512, 512}, Index3{1024, 1024, 1024},
                         Index3{2048, 2048, 256}, Index3{4096, 4096, 64}}) {
    const auto add = [&](const char* precision, const Traits& traits) {
      const Schedule schedule = default_schedule(device, traits, n);
      lines.insert(line("default", kernel + " " + precision,
                        to_text(schedule) + "\t" + waits_of(traits, schedule)));
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

template <class I>
void add_pairs(const Device& device, const std::string& interaction, std::set<std::string>& lines) {
  const auto add = [&](const std::string& precision, const pairs::Traits& traits) {
    for (const Index targets : {1, 100, 2000, 4096, 16384, 65536, 262144, 4194304}) {
      for (const Index sources : {Index{1}, Index{3000}, targets, Index{4194304}}) {
        for (const bool same : {false, true}) {
          if (same && sources != targets) continue;
          const auto s = pairs::default_schedule(device, traits, {targets, sources, same});
          lines.insert(line(std::to_string(device.facts().warp_width),
                            interaction + " " + precision, pairs::to_text(s)));
        }
      }
    }
  };
  add("Fp32", pairs::traits_of<I, pairs::Fp32>());
  add("Fp64", pairs::traits_of<I, pairs::Fp64>());
  if constexpr (std::is_same_v<I, pairs::Gravity<>>)
    add("Mixed", pairs::traits_of<I, pairs::Mixed>());
}

void add_all_pairs(const Device& device, std::set<std::string>& lines) {
  add_pairs<pairs::Gravity<>>(device, "Gravity", lines);
  add_pairs<pairs::Coulomb>(device, "Coulomb", lines);
  add_pairs<pairs::Gaussian>(device, "Gaussian", lines);
  add_pairs<pairs::LennardJones>(device, "LennardJones", lines);
  add_pairs<pairs::BiotSavart>(device, "BiotSavart", lines);
}

void add_all_stencils(const Device& device, std::set<std::string>& lines) {
  add_orders<1>(device, lines);
  add_orders<2>(device, lines);
  add_orders<3>(device, lines);
  add_defaults<Box27>(device, "Box27", lines);
  add_defaults<lab::Diffusion>(device, "Diffusion", lines);
  add_defaults<lab::DiffusionStep<3>>(device, "DiffusionStep<3>", lines);
  add_defaults<lab::Wave<2, 3>>(device, "Wave<2, 3>", lines);
  for (const auto& [name, schedule] : named_schedules(device)) {
    for (const char* const precision : {"float", "double"})
      lines.insert(line(name, std::string("Laplacian<2, 3> ") + precision,
                        to_text(schedule) + "\t" +
                            waits_of(traits_of<Laplacian<2, 3>, double>(), schedule)));
  }
}

} // namespace

int main(int argc, char** argv) {
  const bool of_pairs = argc > 1 && std::string(argv[1]) == "pairs";
  std::set<std::string> lines;
  for (int number = 0; number < count(); ++number) {
    const Device device(DeviceId{DeviceKind::hip, number});
    if (of_pairs) {
      add_all_pairs(device, lines);
    } else {
      add_all_stencils(device, lines);
    }
  }
  for (const std::string& text : lines)
    std::puts(text.c_str());
}
