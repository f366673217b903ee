#include "launch/gpu/fake_gpu.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/gpu/backend.hpp>
#include <ridge/device/host_backend.hpp>
#include <ridge/device/offer.hpp>

#include <elf.h>

#include <cstring>
#include <memory>
#include <string_view>

namespace ridge::test {

std::vector<FakeLaunch>& fake_launches() {
  static std::vector<FakeLaunch> launches;
  return launches;
}

int& fake_questions() {
  static int asked = 0;
  return asked;
}

int& fake_recording() {
  static int number = 0;
  return number;
}
std::vector<std::string>& fake_recorded() {
  static std::vector<std::string> all;
  return all;
}

std::string& fake_amd_architecture() {
  static std::string name = "gfx90a";
  return name;
}

namespace {

template <class T>
T at(const char* image, std::uint64_t offset) {
  T value;
  std::memcpy(&value, image + offset, sizeof value);
  return value;
}

/// A symbol of an ELF file in memory, and where its bytes are; throws where it has none.
struct Symbol {
  Elf64_Sym symbol;
  std::uint64_t offset;
};
Symbol find_symbol(const char* image, std::string_view name) {
  const auto header = at<Elf64_Ehdr>(image, 0);
  const auto section = [&](std::size_t i) {
    return at<Elf64_Shdr>(image, header.e_shoff + i * header.e_shentsize);
  };
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    const char* const names = image + section(table.sh_link).sh_offset;
    for (std::uint64_t s = 0; s < table.sh_size; s += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(image, table.sh_offset + s);
      if (name != names + symbol.st_name || symbol.st_shndx == SHN_UNDEF) continue;
      const Elf64_Shdr home = section(symbol.st_shndx);
      return {symbol, home.sh_offset + symbol.st_value - home.sh_addr};
    }
  }
  throw Failure("the image has no " + std::string(name));
}

class FakeImage : public KernelImage {
public:
  explicit FakeImage(const void* image) : image_(static_cast<const char*>(image)) {
    (void)find_symbol(image_, "ridge_entry");
    const Symbol facts = find_symbol(image_, "ridge_facts");
    facts_.assign(image_ + facts.offset, image_ + facts.offset + facts.symbol.st_size);
  }
  [[nodiscard]] bool prepare(const LaunchShape& /*shape*/) override { return true; }
  [[nodiscard]] int resident_blocks(const LaunchShape& /*shape*/) override { return 4; }
  void launch(void* /*stream*/, const LaunchShape& shape, void* /*body*/,
              bool prepared_early) override {
    fake_launches().push_back({shape, prepared_early});
  }

protected:
  std::vector<unsigned char> load_facts() override {
    ++fake_questions();
    return facts_;
  }
  KernelResources load_resources() override {
    ++fake_questions();
    return {32, 0};
  }

private:
  const char* image_; ///< as long as it is constructed
  std::vector<unsigned char> facts_;
};

DeviceFacts facts_of(DeviceKind kind) {
  DeviceFacts facts;
  facts.name = "a GPU that is not there";
  facts.architecture = kind == DeviceKind::cuda ? "sm_90" : fake_amd_architecture();
  facts.units = 4;
  facts.warp_width = kind == DeviceKind::cuda ? 32 : 64;
  facts.max_block_threads = 1024;
  facts.shared_per_block = {64 << 10};
  facts.l1 = {128 << 10};
  facts.l2 = facts.last_level_cache = {1 << 20};
  facts.memory = {Index{1} << 30};
  return facts;
}

class FakeGpu : public HostBackend {
public:
  explicit FakeGpu(DeviceKind kind) : HostBackend({kind, 0}, facts_of(kind)) {}
  [[nodiscard]] std::shared_ptr<KernelImage> load_image(const void* image) override {
    return std::make_shared<FakeImage>(image);
  }
  [[nodiscard]] void* create_stream() override { return this; } // not the default one
  [[nodiscard]] std::uint64_t recording(void* /*stream*/) override {
    return static_cast<std::uint64_t>(fake_recording());
  }
  void wait(void* stream) override {
    if (fake_recording() != 0) throw Failure("waiting for a queue that records");
    HostBackend::wait(stream);
  }
  void copy(void* stream, void* to, const void* from, std::size_t bytes,
            CopyDirection direction) override {
    if (is_recorded("copy")) return;
    HostBackend::copy(stream, to, from, bytes, direction);
  }
  void fill(void* stream, void* memory, unsigned char byte, std::size_t bytes) override {
    if (is_recorded("fill")) return;
    HostBackend::fill(stream, memory, byte, bytes);
  }
  void begin_capture(void* stream) override {
    if (fake_recording() != 0) throw Failure("beginning to record what is recorded");
    HostBackend::begin_capture(stream);
  }

private:
  static bool is_recorded(const char* what) {
    if (fake_recording() == 0) return false;
    fake_recorded().emplace_back(what);
    return true;
  }
};

template <DeviceKind Kind>
std::shared_ptr<Backend> open_fake(int /*number*/) {
  return std::make_shared<FakeGpu>(Kind);
}
int one() {
  return 1;
}

// Offers of the program itself come before those of modules.
const Offer offers[]{
    {DeviceKind::cuda, typeid(CountGpus*), &one},
    {DeviceKind::cuda, typeid(OpenGpu*), &open_fake<DeviceKind::cuda>},
    {DeviceKind::hip, typeid(CountGpus*), &one},
    {DeviceKind::hip, typeid(OpenGpu*), &open_fake<DeviceKind::hip>},
};

} // namespace
} // namespace ridge::test
