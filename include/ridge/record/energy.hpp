// Joules that a device has used, as its own counters say.
#pragma once

#include <ridge/device/device.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace ridge {

/// A counter of energy that only grows.
class EnergyCounter {
public:
  EnergyCounter() = default;
  EnergyCounter(const EnergyCounter&) = delete;
  EnergyCounter& operator=(const EnergyCounter&) = delete;
  virtual ~EnergyCounter() = default;
  /// Joules since some moment in the past. Throws Failure where it can be read no more.
  [[nodiscard]] virtual double joules() = 0;
  /// "RAPL", "NVML" or "AMD SMI".
  [[nodiscard]] virtual std::string source() const = 0;
};

/// The counter of a device: of a cpu all packages and their memory, by RAPL through Linux's
/// powercap; of a GPU the whole card, by NVML or AMD SMI, which are opened now. Throws Failure that
/// says what is missing and how one gets it, UsageError for an emulated GPU.
[[nodiscard]] std::unique_ptr<EnergyCounter> energy_counter(const Device& device);

/// A counter from a folder such as /sys/class/powercap.
[[nodiscard]] std::unique_ptr<EnergyCounter> rapl_counter(const std::filesystem::path& folder);
/// A counter from a library and the card at a PCI address such as "0000:c1:00.0".
[[nodiscard]] std::unique_ptr<EnergyCounter> nvml_counter(const std::string& library,
                                                          const std::string& address);
[[nodiscard]] std::unique_ptr<EnergyCounter> amd_smi_counter(const std::string& library,
                                                             const std::string& address);

/// Joules of one launch: launches follow each other for at least `seconds`, since counters are
/// renewed ten to a thousand times a second. `launch` gives one launch to a queue, `wait` waits for
/// all of them; `once` is about the time of one.
[[nodiscard]] double joules_of_launch(EnergyCounter& counter, const std::function<void()>& launch,
                                      const std::function<void()>& wait, Seconds once,
                                      Seconds seconds = {1});

} // namespace ridge
