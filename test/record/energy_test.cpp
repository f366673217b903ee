#include <ridge/core/error.hpp>
#include <ridge/record/energy.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace ridge {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder like /sys/class/powercap.
class Powercap : public testing::Test {
protected:
  Powercap()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Powercap() override { fs::remove_all(folder_); }

  void domain(const std::string& name, const std::string& kind, const std::string& energy) const {
    fs::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "name") << kind << "\n";
    std::ofstream(folder_ / name / "max_energy_range_uj") << "10000000\n";
    std::ofstream(folder_ / name / "energy_uj") << energy << "\n";
  }

  fs::path folder_;
};

TEST_F(Powercap, AddsUpPackagesAndTheirMemory) {
  domain("intel-rapl:0", "package-0", "1000000");
  domain("intel-rapl:0:0", "core", "1");
  domain("intel-rapl:0:1", "dram", "2000000");
  domain("intel-rapl:1", "package-1", "9000000");
  domain("intel-rapl:2", "psys", "5");
  const auto counter = rapl_counter(folder_);
  EXPECT_EQ(counter->source(), "RAPL");
  const double before = counter->joules();
  domain("intel-rapl:0", "package-0", "1500000");
  domain("intel-rapl:0:0", "core", "900000"); // is in the package
  domain("intel-rapl:0:1", "dram", "2250000");
  domain("intel-rapl:1", "package-1", "500000"); // began again behind 10 J
  domain("intel-rapl:2", "psys", "800000");      // is all of it
  EXPECT_NEAR(counter->joules() - before, 0.5 + 0.25 + 1.5, 1e-9);
  fs::remove(folder_ / "intel-rapl:0" / "energy_uj");
  EXPECT_THROW((void)counter->joules(), Failure);
}

void fails(const std::function<void()>& what, const std::string& says) {
  try {
    what();
    FAIL() << "did not";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr(says));
  }
}

TEST_F(Powercap, SaysHowOneGetsACounter) {
  fails([&] { (void)rapl_counter(folder_); }, "intel_rapl_msr");
  fails([&] { (void)rapl_counter(folder_ / "none"); }, "a virtual machine has none");
  domain("intel-rapl:0", "package-0", "no number");
  fails([&] { (void)rapl_counter(folder_); }, "sudo chmod a+r");
}

TEST(Nvml, CountsACard) {
  const auto counter = nvml_counter(RIDGE_FAKE_ENERGY, "0000:C1:00.0");
  EXPECT_EQ(counter->source(), "NVML");
  const double before = counter->joules();
  EXPECT_NEAR(counter->joules() - before, 0.25, 1e-9);
  fails([] { (void)nvml_counter(RIDGE_FAKE_ENERGY, "0000:C2:00.0"); }, "error 6");
  fails([] { (void)nvml_counter("libno-such.so.1", "0000:C1:00.0"); }, "NVIDIA's driver");
  fails([] { (void)nvml_counter("libm.so.6", "0000:C1:00.0"); }, "has no nvml");
}

TEST(AmdSmi, CountsACard) {
  const auto counter = amd_smi_counter(RIDGE_FAKE_ENERGY, "0001:c1:01.2");
  EXPECT_EQ(counter->source(), "AMD SMI");
  const double before = counter->joules();
  EXPECT_NEAR(counter->joules() - before, 2000 * 15.3e-6, 1e-6);
  fails([] { (void)amd_smi_counter(RIDGE_FAKE_ENERGY, "0000:c1:01.2"); }, "error 31");
  fails([] { (void)amd_smi_counter(RIDGE_FAKE_ENERGY, "card 0"); }, "no PCI address");
  fails([] { (void)amd_smi_counter("libno-such.so", "0001:c1:01.2"); }, "install AMD SMI");
}

TEST(Energy, OfAnEmulatedGpuIsNone) {
  EXPECT_THROW((void)energy_counter(Device("simt:32")), UsageError);
}

/// Each launch uses so much; a second passes in a hundredth of one.
class Meter final : public EnergyCounter {
public:
  double joules() override { return 7 + used; }
  [[nodiscard]] std::string source() const override { return "test"; }
  double used = 0;
};

TEST(Energy, OfALaunchIsThatOfManyOverTheirNumber) {
  Meter meter;
  int waits = 0;
  const double joules = joules_of_launch(
      meter, [&] { meter.used += 0.125; },
      [&] {
        ++waits;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      {1e-4}, {0.01});
  EXPECT_DOUBLE_EQ(joules, 0.125);
  EXPECT_GE(meter.used, 10 * 0.125); // a tenth of the time between two waits
  EXPECT_GE(waits, 2);
}

} // namespace
} // namespace ridge
