// The roof: looking up ceilings, choosing what to measure, and a small measurement.
#include <ridge/core/error.hpp>
#include <ridge/record/roof.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ridge {
namespace {

std::vector<std::string> names_of(const Roof& roof) {
  std::vector<std::string> names;
  for (const Ceiling& ceiling : roof.ceilings)
    names.push_back(ceiling.name);
  return names;
}

const Roof some_roof{
    {DeviceKind::cpu, 0}, "a cpu", {{"copy", 2e10, "B/s", "so"}, {"launch", 1e-6, "s", "thus"}}};

TEST(Roof, FindsWhatWasMeasured) {
  ASSERT_NE(some_roof.find("launch"), nullptr);
  EXPECT_EQ(some_roof.find("launch")->value, 1e-6);
  EXPECT_EQ(some_roof.at("copy").value, 2e10);
  EXPECT_EQ(some_roof.find("read"), nullptr);
  EXPECT_EQ(some_roof.find("copy_plain"), nullptr);
}

TEST(Roof, SaysWhatWasMeasuredWhenAskedForSomethingElse) {
  try {
    (void)some_roof.at("read");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(),
                 "the ceiling 'read' of cpu was not measured; measured are copy, launch");
  }
}

TEST(MeasureRoof, RefusesNamesThatDoNotExist) {
  for (const char* device : {"cpu", "simt:32"}) {
    try {
      (void)measure_roof(Device(device), {.only = {"copy", "copie"}});
      FAIL() << device;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("'copie'"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("cache_copy"), std::string::npos);
    }
  }
}

TEST(MeasureRoof, FindsNoCeilingsOfAnEmulatedGpu) {
  const Roof roof = measure_roof(Device("simt:64"));
  EXPECT_EQ(roof.device, (DeviceId{DeviceKind::simt, 64}));
  EXPECT_TRUE(roof.ceilings.empty());
  EXPECT_THROW((void)roof.at("copy"), Failure);
}

TEST(MeasureRoof, MeasuresOnlyWhatIsAskedFor) {
  std::vector<std::string> started;
  RoofOptions options;
  options.quick = true;
  options.only = {"launch", "rsqrt_fp32", "cache_copy", "fma_fp64", "fma_fp32"};
  options.on_start = [&](std::string_view name) { started.emplace_back(name); };
  const Roof roof = measure_roof(Device("cpu"), options);

  const std::vector<std::string> names = {"cache_copy", "fma_fp32", "fma_fp64", "rsqrt_fp32",
                                          "launch"};
  EXPECT_EQ(names_of(roof), names);
  EXPECT_EQ(started, names);
  EXPECT_EQ(roof.device, (DeviceId{DeviceKind::cpu, 0}));
  for (const Ceiling& ceiling : roof.ceilings) {
    EXPECT_GT(ceiling.value, 0) << ceiling.name;
    EXPECT_FALSE(ceiling.how.empty()) << ceiling.name;
  }
  EXPECT_EQ(roof.at("cache_copy").unit, "B/s");
  EXPECT_EQ(roof.at("fma_fp32").unit, "flop/s");
  EXPECT_EQ(roof.at("fma_fp64").unit, "flop/s");
  EXPECT_EQ(roof.at("rsqrt_fp32").unit, "op/s");
  EXPECT_EQ(roof.at("launch").unit, "s");
  // Far from any machine on either side: wrong units or work that was optimised away.
  EXPECT_GT(roof.at("fma_fp32").value, 1e8);
  EXPECT_LT(roof.at("fma_fp32").value, 1e15);
  EXPECT_LT(roof.at("launch").value, 1);
}

TEST(MeasureRoof, GivesTheBestOfBothKindsOfStore) {
  RoofOptions options;
  options.quick = true;
  options.only = {"write_nontemporal", "write", "write_plain"};
  const Roof roof = measure_roof(Device("cpu"), options);
  EXPECT_EQ(names_of(roof),
            (std::vector<std::string>{"write_plain", "write_nontemporal", "write"}));
  const double plain = roof.at("write_plain").value;
  const double nontemporal = roof.at("write_nontemporal").value;
  EXPECT_EQ(roof.at("write").value, std::max(plain, nontemporal));
  EXPECT_NE(roof.at("write_plain").how.find("plain stores"), std::string::npos);
  EXPECT_NE(roof.at("write_nontemporal").how.find("non-temporal stores"), std::string::npos);
}

} // namespace
} // namespace ridge
