// The JSON of records and roofs: the names, order and nulls of the command-line contract.
#include <ridge/record/record.hpp>
#include <ridge/record/roof.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace ridge {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items())
    names.push_back(name);
  return names;
}

const std::vector<std::string> contract = {
    "pattern",       "kernel",    "device",      "device_name", "precision", "size",
    "schedule",      "seconds",   "seconds_min", "seconds_max", "repeats",   "bytes_read",
    "bytes_written", "flops",     "items",       "convention",  "achieved",  "achieved_unit",
    "roof",          "roof_name", "fraction",    "ranks",       "check"};

Record bare_record() {
  Record record;
  record.pattern = "stencil";
  record.kernel = "laplacian";
  record.device = {DeviceKind::cuda, 0};
  record.device_name = "a GPU";
  record.precision = "fp64";
  record.size = {512, 256, 128};
  record.schedule = "block=64x4x1";
  record.work = {{1000}, {500}, 7e12, 42, "8 B a point"};
  return record;
}

Record full_record() {
  Record record = bare_record();
  record.timing = Timing{{5.5e-4}, {5e-4}, {6e-4}, 15};
  record.achieved = Achievement{3e12, "B/s", 4e12, "copy"};
  record.check = Check{true, 1.5e-15, "reference", ""};
  return record;
}

TEST(RecordJson, HasTheFieldsOfTheContractInTheirOrder) {
  const Json json = Json::parse(to_json(full_record()));
  EXPECT_EQ(names_of(json), contract);
  EXPECT_EQ(names_of(json["check"]), (std::vector<std::string>{"ok", "max_error", "against"}));
}

TEST(RecordJson, HasTheValuesOfTheRecord) {
  const Json json = Json::parse(to_json(full_record()));
  EXPECT_EQ(json["pattern"], "stencil");
  EXPECT_EQ(json["kernel"], "laplacian");
  EXPECT_EQ(json["device"], "cuda:0");
  EXPECT_EQ(json["device_name"], "a GPU");
  EXPECT_EQ(json["precision"], "fp64");
  EXPECT_EQ(json["size"], Json::array({512, 256, 128}));
  EXPECT_EQ(json["schedule"], "block=64x4x1");
  EXPECT_EQ(json["seconds"], 5.5e-4);
  EXPECT_EQ(json["seconds_min"], 5e-4);
  EXPECT_EQ(json["seconds_max"], 6e-4);
  EXPECT_EQ(json["repeats"], 15);
  EXPECT_EQ(json["bytes_read"], 1000);
  EXPECT_EQ(json["bytes_written"], 500);
  EXPECT_EQ(json["flops"], 7e12);
  EXPECT_EQ(json["items"], 42);
  EXPECT_EQ(json["convention"], "8 B a point");
  EXPECT_EQ(json["achieved"], 3e12);
  EXPECT_EQ(json["achieved_unit"], "B/s");
  EXPECT_EQ(json["roof"], 4e12);
  EXPECT_EQ(json["roof_name"], "copy");
  EXPECT_EQ(json["fraction"], 0.75);
  EXPECT_EQ(json["check"]["ok"], true);
  EXPECT_EQ(json["check"]["max_error"], 1.5e-15);
  EXPECT_EQ(json["check"]["against"], "reference");
}

TEST(RecordJson, SaysNullForWhatWasNotMeasured) {
  const Json json = Json::parse(to_json(bare_record()));
  EXPECT_EQ(names_of(json), contract);
  for (const char* name : {"seconds", "seconds_min", "seconds_max", "repeats", "achieved",
                           "achieved_unit", "roof", "roof_name", "fraction", "check"}) {
    EXPECT_TRUE(json[name].is_null()) << name;
  }
}

TEST(RecordJson, HasNoFractionWithoutARoof) {
  Record record = full_record();
  record.achieved->roof = 0;
  const Json json = Json::parse(to_json(record));
  EXPECT_EQ(json["achieved"], 3e12);
  EXPECT_EQ(json["achieved_unit"], "B/s");
  EXPECT_TRUE(json["roof"].is_null());
  EXPECT_TRUE(json["roof_name"].is_null());
  EXPECT_TRUE(json["fraction"].is_null());
}

TEST(RecordJson, AddsWhatIsOnlyThereSometimes) {
  Record record = full_record();
  record.schedule_name = "kernel3";
  record.in_cache = true;
  record.compiled = "ahead";
  record.host = Seconds{4e-7};
  record.achieved->fraction_low = 0.7;
  record.achieved->fraction_high = 0.8;
  record.check->ok = false;
  record.check->message = "point (1, 2, 3)";
  const Json json = Json::parse(to_json(record));
  std::vector<std::string> names = contract;
  names.insert(names.begin() + 7, "schedule_name");
  names.insert(names.end() - 2, "in_cache");
  names.insert(names.end() - 2, {"host_seconds", "compiled"});
  names.insert(std::find(names.begin(), names.end(), "fraction") + 1,
               {"fraction_low", "fraction_high"});
  EXPECT_EQ(names_of(json), names);
  EXPECT_EQ(json["in_cache"], true);
  EXPECT_EQ(json["check"]["message"], "point (1, 2, 3)");
}

TEST(RecordJson, HasEachFieldByItsNameWhereItIsSet) {
  Record record = full_record();
  record.site = "spinor";
  record.schedule_name = "kernel3";
  record.in_cache = true;
  record.host = Seconds{4e-7};
  record.compiled = "now";
  record.counters = Counters{"perf", 1e6, {}, 0.5};
  record.details = {{"registers", 64, ""}, {"partition", 0, "2x2"}};
  const Json json = Json::parse(to_json(record));
  int fields = 0;
  const auto look = [&](const auto& field) {
    const std::string name = field.name;
    if (name == "timing" || name == "work" || name == "details") return; // are several
    EXPECT_TRUE(json.contains(name)) << name;
    ++fields;
  };
  Record::fields().visit(look);
  EXPECT_GT(fields, 10);
  EXPECT_EQ(json["site"], "spinor");
  EXPECT_EQ(json["host_seconds"], 4e-7);
  EXPECT_EQ(json["counters"]["hit_rate"], 0.5);
  EXPECT_EQ(json["registers"], 64);
  EXPECT_EQ(json["partition"], "2x2");
}

TEST(RecordJson, SaysNullForNumbersThatJsonDoesNotHave) {
  Record record = full_record();
  record.work.flops = std::numeric_limits<double>::infinity();
  record.check->max_error = std::numeric_limits<double>::quiet_NaN();
  record.timing->most = {std::numeric_limits<double>::infinity()};
  const Json json = Json::parse(to_json(record));
  EXPECT_TRUE(json["flops"].is_null());
  EXPECT_TRUE(json["check"]["max_error"].is_null());
  EXPECT_TRUE(json["seconds_max"].is_null());
}

TEST(RecordJson, KeepsCountsBeyondWhatADoubleHolds) {
  Record record = bare_record();
  record.work.items = (Index{1} << 60) + 1;
  EXPECT_EQ(Json::parse(to_json(record))["items"].get<Index>(), (Index{1} << 60) + 1);
}

TEST(RecordJson, EscapesAndSurvivesBytesThatAreNoText) {
  Record record = bare_record();
  record.device_name = "a \"GPU\"\n";
  record.schedule = "\xff";
  const Json json = Json::parse(to_json(record));
  EXPECT_EQ(json["device_name"], "a \"GPU\"\n");
}

TEST(RecordJson, IsOneLineOrIndentedAsAsked) {
  EXPECT_EQ(to_json(bare_record()).find('\n'), std::string::npos);
  EXPECT_NE(to_json(bare_record(), 2).find("\n  \"kernel\""), std::string::npos);
}

TEST(RecordJson, ListsRecordsInAnArray) {
  EXPECT_EQ(to_json(std::vector<Record>{}), "[]");
  Record other = full_record();
  other.kernel = "other";
  const Json json = Json::parse(to_json(std::vector{bare_record(), other}));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["kernel"], "laplacian");
  EXPECT_EQ(json[1]["kernel"], "other");
}

TEST(RoofJson, HasDeviceAndCeilings) {
  const Roof roof{{DeviceKind::hip, 1}, "another GPU", {{"copy", 2e12, "B/s", "16 B an element"}}};
  const Json json = Json::parse(to_json(roof));
  EXPECT_EQ(names_of(json), (std::vector<std::string>{"device", "device_name", "ceilings"}));
  EXPECT_EQ(json["device"], "hip:1");
  ASSERT_EQ(json["ceilings"].size(), 1U);
  const Json& ceiling = json["ceilings"][0];
  EXPECT_EQ(names_of(ceiling), (std::vector<std::string>{"name", "value", "unit", "how"}));
  EXPECT_EQ(ceiling["name"], "copy");
  EXPECT_EQ(ceiling["value"], 2e12);
  EXPECT_EQ(ceiling["unit"], "B/s");
}

} // namespace
} // namespace ridge
