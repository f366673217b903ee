// Energy counters: RAPL through powercap, and libraries that are opened when they are asked for.
#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/record/energy.hpp>

#include "energy_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <vector>

namespace ridge {

namespace {

namespace fs = std::filesystem;

std::optional<double> energy_number(const fs::path& file) {
  std::ifstream stream(file);
  double value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

/// A package or its memory. Its counter begins again at 0 behind `range` microjoules.
struct RaplDomain {
  fs::path file;
  double range = 0, last = 0, sum = 0;
};

class Rapl final : public EnergyCounter {
public:
  explicit Rapl(const fs::path& folder) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      add(entry.path());
    if (!domains_.empty()) return;
    if (!unreadable_.empty()) {
      throw Failure(fmt::format("{} is for root alone; run as root, or allow it: sudo chmod a+r {}",
                                unreadable_, (folder / "intel-rapl*/energy_uj").string()));
    }
    throw Failure(fmt::format("this system shows no energy counter of its processor ({} has none); "
                              "load the module intel_rapl_msr; a virtual machine has none",
                              folder.string()));
  }

  double joules() override {
    double all = 0;
    for (RaplDomain& d : domains_) {
      const auto now = energy_number(d.file);
      if (!now) throw Failure(fmt::format("{} can be read no more", d.file.string()));
      d.sum += *now >= d.last ? *now - d.last : *now + d.range - d.last;
      d.last = *now;
      all += d.sum;
    }
    return all * 1e-6;
  }

  [[nodiscard]] std::string source() const override { return "RAPL"; }

private:
  /// Packages ("intel-rapl:0") and, of their parts ("intel-rapl:0:0"), the memory: the others are
  /// in the package.
  void add(const fs::path& folder) {
    const std::string name = folder.filename().string();
    if (!name.starts_with("intel-rapl:")) return;
    std::string kind;
    std::ifstream(folder / "name") >> kind;
    const bool part = std::count(name.begin(), name.end(), ':') > 1;
    if (part ? kind != "dram" : !kind.starts_with("package")) return;
    const fs::path file = folder / "energy_uj";
    const auto now = energy_number(file);
    if (!now) {
      unreadable_ = file.string();
      return;
    }
    domains_.push_back({file, energy_number(folder / "max_energy_range_uj").value_or(0), *now, 0});
  }

  std::vector<RaplDomain> domains_;
  std::string unreadable_;
};

class Nvml final : public EnergyCounter {
public:
  Nvml(const std::string& library, const std::string& address)
      : library_(library, "it comes with NVIDIA's driver"),
        read_(library_.get<Read>("nvmlDeviceGetTotalEnergyConsumption")) {
    library_.require(library_.get<int()>("nvmlInit_v2")(), "nvmlInit_v2");
    constexpr const char* find = "nvmlDeviceGetHandleByPciBusId_v2";
    library_.require(library_.get<int(const char*, void**)>(find)(address.c_str(), &card_), find);
    (void)joules();
  }
  ~Nvml() override { (void)library_.get<int()>("nvmlShutdown")(); }

  double joules() override {
    unsigned long long millijoules = 0;
    library_.require(read_(card_, &millijoules), "nvmlDeviceGetTotalEnergyConsumption");
    return static_cast<double>(millijoules) * 1e-3;
  }
  [[nodiscard]] std::string source() const override { return "NVML"; }

private:
  using Read = int(void*, unsigned long long*);
  EnergyLibrary library_;
  Read* read_;
  void* card_ = nullptr;
};

/// amdsmi_bdf_t of an address: function, device, bus and domain in 3, 5, 8 and 48 bits.
std::uint64_t packed_address(const std::string& address) {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (std::sscanf(address.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
    throw Failure(fmt::format("'{}' is no PCI address", address));
  return function | (std::uint64_t{device} << 3) | (std::uint64_t{bus} << 8) |
         (std::uint64_t{domain} << 16);
}

class AmdSmi final : public EnergyCounter {
public:
  AmdSmi(const std::string& library, const std::string& address)
      : library_(library, "install AMD SMI (amd-smi-lib of ROCm)"),
        read_(library_.get<Read>("amdsmi_get_energy_count")) {
    constexpr std::uint64_t gpus = 2;
    library_.require(library_.get<int(std::uint64_t)>("amdsmi_init")(gpus), "amdsmi_init");
    constexpr const char* find = "amdsmi_get_processor_handle_from_bdf";
    library_.require(
        library_.get<int(std::uint64_t, void**)>(find)(packed_address(address), &card_), find);
    (void)joules();
  }
  ~AmdSmi() override { (void)library_.get<int()>("amdsmi_shut_down")(); }

  double joules() override {
    std::uint64_t count = 0, moment = 0;
    float microjoules = 0; // of one count
    library_.require(read_(card_, &count, &microjoules, &moment), "amdsmi_get_energy_count");
    return static_cast<double>(count) * static_cast<double>(microjoules) * 1e-6;
  }
  [[nodiscard]] std::string source() const override { return "AMD SMI"; }

private:
  using Read = int(void*, std::uint64_t*, float*, std::uint64_t*);
  EnergyLibrary library_;
  Read* read_;
  void* card_ = nullptr;
};

/// Where a GPU is plugged in, as the driver's library says it that the device is open with.
std::string address_from(const std::vector<const char*>& drivers, const char* function,
                         int number) {
  for (const char* const driver : drivers) {
    void* const open = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    if (open == nullptr) continue;
    using Tell = int(char*, int, int);
    auto* const tell = reinterpret_cast<Tell*>(dlsym(open, function));
    char address[64] = {};
    if (tell != nullptr && tell(address, sizeof(address), number) == 0) return address;
  }
  throw Failure(fmt::format("the driver does not say where GPU {} is plugged in", number));
}

} // namespace

std::unique_ptr<EnergyCounter> rapl_counter(const std::filesystem::path& folder) {
  return std::make_unique<Rapl>(folder);
}
std::unique_ptr<EnergyCounter> nvml_counter(const std::string& library,
                                            const std::string& address) {
  return std::make_unique<Nvml>(library, address);
}
std::unique_ptr<EnergyCounter> amd_smi_counter(const std::string& library,
                                               const std::string& address) {
  return std::make_unique<AmdSmi>(library, address);
}

std::unique_ptr<EnergyCounter> energy_counter(const Device& device) {
  const KindFacts& kind = facts_of(device);
  if (kind.is_emulated) throw UsageError("an emulated GPU uses no energy of its own");
  if (!kind.is_gpu()) return rapl_counter("/sys/class/powercap");
  const int number = device.id().number;
  if (device.facts().architecture.starts_with("gfx")) {
    return amd_smi_counter("libamd_smi.so", address_from({"libamdhip64.so", "libamdhip64.so.7",
                                                          "libamdhip64.so.6", "libamdhip64.so.5"},
                                                         "hipDeviceGetPCIBusId", number));
  }
  return nvml_counter("libnvidia-ml.so.1",
                      address_from({"libcuda.so.1"}, "cuDeviceGetPCIBusId", number));
}

double joules_of_launch(EnergyCounter& counter, const std::function<void()>& launch,
                        const std::function<void()>& wait, Seconds once, Seconds seconds) {
  using Clock = std::chrono::steady_clock;
  // Of a tenth of a second, so that the wait between them does not count.
  const double each = std::clamp(once.value, 1e-7, 1e3);
  const int batch = std::max(1, static_cast<int>(std::ceil(seconds.value / 10 / each)));
  wait();
  double launches = 0;
  const double before = counter.joules();
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds.value) {
    for (int i = 0; i < batch; ++i)
      launch();
    wait();
    launches += batch;
  }
  return (counter.joules() - before) / std::max(1.0, launches);
}

} // namespace ridge
