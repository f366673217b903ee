#include <ridge/device/host_backend.hpp>
#include <ridge/device/simt/backend.hpp>

#include "scheduler.hpp"
#include "tiles.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

namespace ridge {

namespace {

/// What Hopper offers: the most of the GPUs that kernels are written for.
constexpr Bytes shared_per_block{227 * 1024};
constexpr std::size_t most_poisoned = std::size_t{256} << 20;

DeviceFacts simt_facts(int warp_width) {
  DeviceFacts facts;
  facts.name = fmt::format("emulated GPU, warp width {}", warp_width);
  facts.architecture = "emulated";
  facts.units = simt::host_threads();
  facts.warp_width = warp_width;
  facts.max_block_threads = simt::max_block_threads;
  facts.shared_per_block = shared_per_block;
  facts.memory = host_memory();
  return facts;
}

class SimtBackend : public HostBackend {
public:
  explicit SimtBackend(int warp_width)
      : HostBackend({DeviceKind::simt, warp_width}, simt_facts(warp_width)) {}

  void* allocate(std::size_t bytes) override {
    void* memory = HostBackend::allocate(bytes);
    if (memory != nullptr && bytes <= most_poisoned) fill(nullptr, memory, 0xFF, bytes);
    return memory;
  }
  /// For ranks that are threads of this process.
  [[nodiscard]] std::optional<ExportedMemory> export_memory(const void* data) override {
    const Place place{getpid(), data};
    ExportedMemory memory;
    std::memcpy(memory.handle.data(), &place, sizeof place);
    return memory;
  }
  [[nodiscard]] void* import_memory(const ExportedMemory& memory) override {
    Place place{};
    std::memcpy(&place, memory.handle.data(), sizeof place);
    if (place.process != getpid()) return Backend::import_memory(memory);
    return const_cast<void*>(place.data);
  }
  TileMap tile_map(const TiledField& field) override { return simt::host_tiles(field); }

private:
  struct Place {
    pid_t process;
    const void* data;
  };
};

} // namespace

std::shared_ptr<Backend> open_simt(int warp_width) {
  if (warp_width != 32 && warp_width != 64) return nullptr;
  return std::make_shared<SimtBackend>(warp_width);
}

} // namespace ridge
