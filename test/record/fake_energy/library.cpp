// Stands in for NVML and for AMD SMI: two cards, of which one has no counter.
#include <cstdint>
#include <cstring>

namespace {
unsigned long long millijoules = 5000;
std::uint64_t counts = 1000000;
int card;
} // namespace

extern "C" {
int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** found) {
  *found = &card;
  return std::strcmp(address, "0000:C1:00.0") == 0 ? 0 : 6; // not found
}
int nvmlDeviceGetTotalEnergyConsumption(void* of, unsigned long long* energy) {
  if (of != &card) return 2;
  *energy = millijoules += 250;
  return 0;
}
int amdsmi_init(std::uint64_t flags) {
  return flags == 2 ? 0 : 1;
}
int amdsmi_shut_down() {
  return 0;
}
int amdsmi_get_processor_handle_from_bdf(std::uint64_t address, void** found) {
  *found = &card;
  return address == 0x1c10a ? 0 : 31; // 0001:c1:01.2
}
int amdsmi_get_energy_count(void* of, std::uint64_t* energy, float* resolution,
                            std::uint64_t* when) {
  if (of != &card) return 1;
  *energy = counts += 2000;
  *resolution = 15.3F;
  *when = 0;
  return 0;
}
}
