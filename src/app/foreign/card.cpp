#include "card.hpp"

#include "../../record/energy_library.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace ridge::app {

namespace cards {

/// NVML's functions, by their prototypes.
struct Nvml {
  EnergyLibrary library;
  int (*count)(unsigned*);
  int (*handle)(unsigned, void**);
  int (*power)(void*, unsigned*);
  int (*limit)(void*, unsigned*);
  int (*clock)(void*, int, unsigned*);
  int (*best_clock)(void*, int, unsigned*);
  int (*celsius)(void*, int, unsigned*);
  int (*reasons)(void*, unsigned long long*);

  explicit Nvml(const std::string& file)
      : library(file, "it comes with NVIDIA's driver"),
        count(library.get<int(unsigned*)>("nvmlDeviceGetCount_v2")),
        handle(library.get<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")),
        power(library.get<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage")),
        limit(library.get<int(void*, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit")),
        clock(library.get<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo")),
        best_clock(library.get<int(void*, int, unsigned*)>("nvmlDeviceGetMaxClockInfo")),
        celsius(library.get<int(void*, int, unsigned*)>("nvmlDeviceGetTemperature")),
        reasons(library.get<int(void*, unsigned long long*)>(
            "nvmlDeviceGetCurrentClocksThrottleReasons")) {
    library.require(library.get<int()>("nvmlInit_v2")(), "nvmlInit_v2");
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() { (void)library.get<int()>("nvmlShutdown")(); }
};

constexpr int of_units = 1; // NVML_CLOCK_SM
/// Bits of nvmlDeviceGetCurrentClocksThrottleReasons.
constexpr unsigned long long idle = 1, set_clocks = 2, power_cap = 4, hardware_slow = 8,
                             heat = 0x20, hardware_heat = 0x40, power_brake = 0x80;

struct Card {
  void* handle = nullptr;
  doctor::CardState sums;

  void take(const Nvml& nvml) {
    unsigned long long why = idle;
    unsigned milliwatts = 0, megahertz = 0, degrees = 0;
    if (nvml.reasons(handle, &why) != 0 || (why & idle) != 0) return;
    if (nvml.power(handle, &milliwatts) != 0 || nvml.clock(handle, of_units, &megahertz) != 0)
      return;
    (void)nvml.celsius(handle, 0, &degrees);
    sums.samples += 1;
    sums.watts += 1e-3 * milliwatts;
    sums.most_watts = std::max(sums.most_watts, 1e-3 * milliwatts);
    sums.clock_hz += 1e6 * megahertz;
    sums.celsius = std::max(sums.celsius, static_cast<double>(degrees));
    sums.by_power += (why & (power_cap | power_brake)) != 0;
    sums.by_heat += (why & (heat | hardware_heat | hardware_slow)) != 0 && (why & power_brake) == 0;
    sums.by_setting += (why & set_clocks) != 0;
  }
  [[nodiscard]] doctor::CardState state(const Nvml& nvml) const {
    doctor::CardState s = sums;
    for (double doctor::CardState::* sum :
         {&doctor::CardState::watts, &doctor::CardState::clock_hz, &doctor::CardState::by_power,
          &doctor::CardState::by_heat, &doctor::CardState::by_setting})
      s.*sum /= std::max(1.0, s.samples);
    unsigned milliwatts = 0, megahertz = 0;
    if (nvml.limit(handle, &milliwatts) == 0) s.limit_watts = 1e-3 * milliwatts;
    if (nvml.best_clock(handle, of_units, &megahertz) == 0) s.best_clock_hz = 1e6 * megahertz;
    return s;
  }
};

} // namespace cards

struct CardWatch::Cards {
  cards::Nvml nvml;
  std::vector<cards::Card> all;
  std::atomic<bool> ended{false};
  std::thread asking;

  explicit Cards(const std::string& file) : nvml(file) {
    unsigned count = 0;
    (void)nvml.count(&count);
    for (unsigned i = 0; i < count; ++i) {
      cards::Card card;
      if (nvml.handle(i, &card.handle) == 0) all.push_back(card);
    }
    asking = std::thread([this] {
      while (!ended) {
        for (cards::Card& card : all)
          card.take(nvml);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  Cards(const Cards&) = delete;
  Cards& operator=(const Cards&) = delete;
  ~Cards() { stop(); }
  void stop() {
    ended = true;
    if (asking.joinable()) asking.join();
  }
};

CardWatch::CardWatch() {
  const char* const given = std::getenv("RIDGE_NVML");
  try {
    cards_ = std::make_unique<Cards>(given != nullptr ? given : "libnvidia-ml.so.1");
  } catch (const Error&) { // no driver: there is no card to ask
  }
}
CardWatch::~CardWatch() = default;

doctor::CardState CardWatch::end() {
  doctor::CardState most;
  if (!cards_) return most;
  cards_->stop();
  for (const cards::Card& card : cards_->all) {
    const doctor::CardState state = card.state(cards_->nvml);
    if (state.samples > 0 && state.watts > most.watts) most = state;
  }
  return most;
}

} // namespace ridge::app
