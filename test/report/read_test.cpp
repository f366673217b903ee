#include <ridge/core/error.hpp>
#include <ridge/report/read.hpp>

#include "samples.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace ridge::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Read, TakesWhatARecordSays) {
  const Saved file = saved("a.json", {""});
  ASSERT_EQ(file.records.size(), 1U);
  const SavedRecord& r = file.records.front();
  EXPECT_EQ(r.pattern, "stencil");
  EXPECT_EQ(r.kernel, "laplacian");
  EXPECT_EQ(r.device, "cuda:0");
  EXPECT_EQ(r.size, (std::vector<Index>{64, 32, 16}));
  EXPECT_EQ(size_text(r), "64x32x16");
  EXPECT_EQ(schedule_text(r), "default: tile=4 store=plain");
  EXPECT_EQ(r.seconds, 2e-3);
  EXPECT_EQ(r.seconds_max, 2.2e-3);
  EXPECT_EQ(r.bytes_read, 1e6);
  EXPECT_EQ(r.fraction, 0.75);
  EXPECT_TRUE(r.check && r.check->ok);
  EXPECT_FALSE(r.fraction_low || r.host_seconds);
  EXPECT_EQ(r.ranks, 1);
  EXPECT_FALSE(r.in_cache);
  EXPECT_FALSE(file.roof);
}

TEST(Read, TakesWhatOnlyNewerRecordsSay) {
  const Saved file = saved("a.json", {R"(,"fraction_low":0.7,"fraction_high":0.8,
    "host_seconds":4e-7,"compiled":"on demand","ranks":4,"in_cache":true,"version":1,
    "counters":{"dram_read":1.5e6,"source":"modelled"},"registers":64,"extra":{"a":1},
    "diagnoses":[{"cause":"cache-overflow","evidence":1.31,"threshold":"1.1",
                  "predicted_gain":0.25,"proved_gain":null,"fix":"tile=8"}])"});
  const SavedRecord& r = file.records.front();
  EXPECT_EQ(r.fraction_low, 0.7);
  EXPECT_EQ(r.fraction_high, 0.8);
  EXPECT_EQ(r.host_seconds, 4e-7);
  EXPECT_EQ(r.compiled, "on demand");
  EXPECT_EQ(r.ranks, 4);
  EXPECT_TRUE(r.in_cache);
  ASSERT_EQ(r.counters.size(), 2U);
  EXPECT_EQ(r.counters[1].text, "modelled");
  ASSERT_EQ(r.diagnoses.size(), 1U);
  EXPECT_EQ(r.diagnoses[0].cause, "cache-overflow");
  EXPECT_EQ(r.diagnoses[0].evidence, "1.31");
  EXPECT_EQ(r.diagnoses[0].threshold, "1.1");
  EXPECT_EQ(r.diagnoses[0].proved_gain, "");
  ASSERT_EQ(r.remarks.size(), 1U); // a nested field is none
  EXPECT_EQ(r.remarks[0].name, "registers");
}

TEST(Read, NeedsOnlyWhatIdentifiesALaunch) {
  const Saved file = parse_saved(
      R"([{"kernel":"k","device":"cpu","precision":"fp32","size":[7],"seconds":null}])", "a.json");
  EXPECT_FALSE(file.records.front().seconds);
  EXPECT_EQ(schedule_text(file.records.front()), "");
}

TEST(Read, TakesCeilings) {
  const Saved file = parse_saved(R"({"device":"cpu","device_name":"a CPU","ceilings":[
    {"name":"copy","value":1e11,"unit":"B/s","how":"so"},
    {"name":"lost","value":null,"unit":"B/s","how":"so"}]})",
                                 "roof.json");
  ASSERT_TRUE(file.roof);
  ASSERT_EQ(file.roof->ceilings.size(), 1U);
  EXPECT_EQ(file.roof->ceilings[0].value, 1e11);
  EXPECT_TRUE(file.records.empty());
}

TEST(Read, NamesWhatALaunchIs) {
  const Saved file =
      saved("a", {R"(,"site":"propagator")", R"(,"operations":10)", R"(,"schedule_name":"")"});
  EXPECT_EQ(kernel_text(file.records[0]), "laplacian propagator");
  EXPECT_EQ(kernel_text(file.records[1]), "laplacian of 10");
  EXPECT_EQ(schedule_text(file.records[2]), "tile=4 store=plain");
  EXPECT_EQ(points_of(file.records[0]), 64 * 32 * 16);
  EXPECT_EQ(device_kind("cuda:3"), "cuda");
  EXPECT_EQ(device_kind("cpu"), "cpu");
  EXPECT_EQ(device_kind("simt:64"), "simt:64");
}

struct Bad {
  std::string text, says;
};

class ReadBad : public testing::TestWithParam<Bad> {};

TEST_P(ReadBad, SaysWhatIsWrongOnOneLine) {
  try {
    (void)parse_saved(GetParam().text, "a.json");
    FAIL() << "was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("a.json"), HasSubstr(GetParam().says)));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ReadBad,
    testing::Values(
        Bad{"", "is empty; it must be an array of records"}, Bad{" \n\t", "is empty"},
        Bad{"[", "no JSON at its end"}, Bad{"[\n  {,", "no JSON at line 2, column 4"},
        Bad{"kernel laplacian", "no JSON at line 1, column 1"},
        Bad{"[NaN]", "no JSON at line 1, column 2"}, Bad{"\xff\xfe", "no JSON"},
        Bad{"[] []", "no JSON at line 1, column 4"}, Bad{"[]", "holds no records"},
        Bad{"[1e999]", "too large"}, Bad{"3", "is no array"}, Bad{"\"x\"", "is no array"},
        Bad{"{}", "is an object; it must be an array"}, Bad{"[3]", "record 1 is no record"},
        Bad{"[{}]", "record 1 has no 'kernel'"},
        Bad{"{\"version\":2,\"records\":[]}", "version 2; this ridge reads version 1"},
        Bad{"[" + record_json() + "," + record_json(",\"version\":2") + "]",
            "record 2 is of version 2; this ridge reads version 1"},
        Bad{"[" + record_json(",\"version\":\"x\"") + "]", "version \"x\""},
        Bad{"[" + record_json(",\"seconds\":\"fast\"") + "]", "'seconds' must be a number"},
        Bad{"[" + record_json(",\"seconds\":-1") + "]", "'seconds' must be a number not below 0"},
        Bad{"[" + record_json(",\"kernel\":7") + "]", "'kernel' must be a text"},
        Bad{"[" + record_json(",\"kernel\":null") + "]", "no 'kernel'"},
        Bad{"[" + record_json(",\"size\":[]") + "]", "'size' must be an array"},
        Bad{"[" + record_json(",\"size\":[8,0]") + "]", "'size' must be of integers above 0"},
        Bad{"[" + record_json(",\"size\":[1.5]") + "]", "'size' must be of integers above 0"},
        Bad{"[" + record_json(",\"size\":\"8x8\"") + "]", "'size' must be an array"},
        Bad{"[" + record_json(",\"ranks\":0") + "]", "'ranks' must be an integer above 0"},
        Bad{"[" + record_json(",\"in_cache\":1") + "]", "'in_cache' must be true or false"},
        Bad{"[" + record_json(",\"check\":true") + "]", "'check' must be an object"},
        Bad{"[" + record_json(",\"check\":{}") + "]", "check has no 'ok'"},
        Bad{"[" + record_json(",\"counters\":[]") + "]", "'counters' must be an object"},
        Bad{"[" + record_json(",\"diagnoses\":{}") + "]", "'diagnoses' must be an array"},
        Bad{"[" + record_json(",\"diagnoses\":[3]") + "]", "'cause'"},
        Bad{"[" + record_json(",\"diagnoses\":[{}]") + "]", "diagnosis has no 'cause'"},
        Bad{"{\"ceilings\":[]}", "has no 'device'"},
        Bad{"{\"device\":\"cpu\",\"ceilings\":{}}", "'ceilings' must be an array"},
        Bad{"{\"device\":\"cpu\",\"ceilings\":[{\"value\":1}]}", "has no 'name'"}));

TEST(ReadFile, SaysWhichFileCannotBeRead) {
  try {
    (void)read_saved("no/such.json");
    FAIL() << "was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such.json cannot be read: No such file"));
  }
  EXPECT_THROW((void)read_saved(std::filesystem::temp_directory_path()), UsageError);
}

} // namespace
} // namespace ridge::report
