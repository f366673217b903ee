// Descriptions of devices: those that ship, and files that are wrong.
#include <ridge/core/error.hpp>
#include <ridge/model/description.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace ridge::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The shipped file of a device as JSON, to be broken.
json valid() {
  const Description d = shipped_description("mi250x-gcd");
  json file{{"name", d.name}, {"kind", "hip"}, {"architecture", d.architecture}};
  for (const Constant& c : constants())
    file["constants"][std::string(c.name)] = d.*c.member;
  return file;
}

std::string message_for(const std::string& text) {
  try {
    (void)parse_description(text, "it");
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(Description, ShippedOnesAreComplete) {
  const std::vector<std::string> keys{"rx6900xt",   "rx7900xtx", "mi50",   "mi100",  "mi210",
                                      "mi250x-gcd", "mi250-gcd", "mi300a", "mi300x", "v100",
                                      "a100",       "h100",      "h200"};
  EXPECT_EQ(shipped_descriptions(), keys);
  for (const std::string& key : keys) {
    const Description d = shipped_description(key);
    EXPECT_EQ(d.key, key);
    EXPECT_TRUE(d.is_gpu());
    EXPECT_FALSE(d.name.empty());
    for (const Constant& c : constants()) {
      EXPECT_FALSE(d.sources.at(std::string(c.name)).empty()) << key << " " << c.name;
    }
  }
}

TEST(Description, KnowsCardsByTheirDriversNames) {
  const auto key_of = [](const char* name) {
    DeviceFacts facts;
    facts.name = name;
    facts.units = 1;
    return description_of(facts, DeviceKind::hip).key;
  };
  EXPECT_EQ(key_of("AMD Radeon RX 6900 XT"), "rx6900xt");
  EXPECT_EQ(key_of("AMD Radeon RX 7900 XTX"), "rx7900xtx");
  EXPECT_EQ(key_of("AMD Instinct MI50/MI60"), "mi50");
  EXPECT_EQ(key_of("AMD Instinct MI250X/MI250"), "mi250x-gcd");
  EXPECT_EQ(key_of("AMD Instinct MI250"), "mi250-gcd");
  EXPECT_EQ(key_of("AMD Instinct MI300A"), "mi300a");
  EXPECT_EQ(key_of("Tesla V100-SXM2-32GB"), "v100");
}

TEST(Description, TakesACacheBeforeMemory) {
  nlohmann::json file = valid();
  EXPECT_EQ(parse_description(file.dump(), "it").memory_cache_bytes, 0);
  EXPECT_EQ(to_json(parse_description(file.dump(), "it")).find("memory_cache"), std::string::npos);
  file["constants"]["memory_cache_bytes"] = 1 << 27;
  const Description d = parse_description(file.dump(), "it");
  EXPECT_EQ(d.memory_cache_bytes, 1 << 27);
  EXPECT_EQ(parse_description(to_json(d), "again").memory_cache_bytes, 1 << 27);
  EXPECT_GT(shipped_description("rx6900xt").memory_cache_bytes,
            shipped_description("rx6900xt").cache_bytes);
}

TEST(Description, ReadsWhatItWrites) {
  const Description d = parse_description(valid().dump(), "it");
  EXPECT_EQ(d.kind, DeviceKind::hip);
  EXPECT_EQ(d.units, 110);
  EXPECT_EQ(d.cache_bytes, 8 << 20);
  EXPECT_EQ(d.sector_bytes, 64);
}

TEST(Description, NamesTheConstantThatIsMissing) {
  for (const Constant& c : constants()) {
    json file = valid();
    file["constants"].erase(std::string(c.name));
    EXPECT_THAT(message_for(file.dump()),
                HasSubstr("the constant '" + std::string(c.name) + "' is missing"));
  }
}

TEST(Description, NamesTheConstantThatIsAbsurdAndItsRange) {
  for (const Constant& c : constants()) {
    for (const json& value :
         {json(c.lowest / 2 - 1), json(c.highest * 2), json("many"), json(nullptr), json(true)}) {
      json file = valid();
      file["constants"][std::string(c.name)] = value;
      const std::string message = message_for(file.dump());
      EXPECT_THAT(message, HasSubstr("the constant '" + std::string(c.name) + "' is"));
      EXPECT_THAT(message, HasSubstr("it must be"));
      EXPECT_THAT(message, HasSubstr(std::string(c.unit)));
    }
  }
}

TEST(Description, NamesConstantsThatContradictEachOther) {
  json file = valid();
  file["constants"]["copy_bytes_per_second"] = 2e12;
  EXPECT_THAT(message_for(file.dump()), HasSubstr("at most 'memory_bytes_per_second'"));
  file = valid();
  file["constants"]["cache_latency_cycles"] = 800;
  EXPECT_THAT(message_for(file.dump()), HasSubstr("at most 'memory_latency_cycles'"));
}

TEST(Description, NamesWhatElseIsWrong) {
  json file = valid();
  file["constants"]["l2_byts"] = 1;
  EXPECT_THAT(message_for(file.dump()), HasSubstr("unknown constant 'l2_byts'; the constants are"));
  file = valid();
  file["kind"] = "rocm";
  EXPECT_THAT(message_for(file.dump()), HasSubstr("'kind' is cuda, hip or cpu, not 'rocm'"));
  file.erase("kind");
  EXPECT_THAT(message_for(file.dump()), HasSubstr("'kind' is missing"));
  file = valid();
  file["constants"] = 3;
  EXPECT_THAT(message_for(file.dump()), HasSubstr("'constants' is an object"));
  for (const char* text : {"", "{", "[]", "3", "{\"name\": \"x\""})
    EXPECT_THAT(message_for(text), HasSubstr("not a JSON object")) << text;
}

TEST(Description, OfACpuHasConstantsOfItsOwn) {
  json file{{"name", "mine"}, {"kind", "cpu"}, {"architecture", "avx2"}};
  for (const Constant& c : cpu_constants())
    file["constants"][std::string(c.name)] = c.highest / 2;
  file["constants"]["cache_latency_cycles"] = 50;
  const Description d = parse_description(file.dump(), "it");
  EXPECT_FALSE(d.is_gpu());
  EXPECT_EQ(d.plain_store_room, 1);
  file["constants"]["plain_store_room"] = 0.5;
  EXPECT_EQ(parse_description(file.dump(), "it").plain_store_room, 0.5);
  file["constants"]["plain_store_room"] = 9;
  EXPECT_THAT(message_for(file.dump()), HasSubstr("the constant 'plain_store_room' is 9"));
  file["constants"].erase("plain_store_room");
  file["constants"]["warp_width"] = 32;
  EXPECT_THAT(message_for(file.dump()), HasSubstr("unknown constant 'warp_width'"));
  file["constants"].erase("warp_width");
  file["constants"].erase("unit_cache_bytes");
  EXPECT_THAT(message_for(file.dump()), HasSubstr("the constant 'unit_cache_bytes' is missing"));
}

TEST(FindDescription, ListsWhatThereIs) {
  try {
    (void)find_description("mi999");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mi250x-gcd"));
    EXPECT_THAT(error.what(), HasSubstr("cpu"));
  }
  EXPECT_THROW((void)find_description("/nonexistent/file.json"), UsageError);
  EXPECT_THROW((void)find_description("simt:32"), UsageError);
  EXPECT_THROW((void)shipped_description("MI100"), UsageError);
}

TEST(FindDescription, TakesFilesAndTheCpuHere) {
  const std::string path = testing::TempDir() + "device.json";
  std::ofstream(path) << valid();
  EXPECT_EQ(find_description(path).units, 110);
  const Description cpu = find_description("cpu");
  EXPECT_EQ(cpu.kind, DeviceKind::cpu);
  EXPECT_GT(cpu.cache_bytes, 0);
}

TEST(DescriptionOf, FindsTheConstantsOfADeviceByItsName) {
  DeviceFacts facts;
  facts.name = "NVIDIA H100 80GB HBM3";
  facts.units = 114;
  facts.last_level_cache = {50 << 20};
  const Description d = description_of(facts, DeviceKind::cuda);
  EXPECT_EQ(d.key, "h100");
  EXPECT_EQ(d.units, 114);
  facts.name = "NVIDIA T4";
  EXPECT_THROW((void)description_of(facts, DeviceKind::cuda), UsageError);
}

} // namespace
} // namespace ridge::model
