#include <ridge/core/error.hpp>
#include <ridge/report/page.hpp>

#include "samples.hpp"

#include <gmock/gmock.h>

namespace ridge::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What the page shows, and where, is tested with the command, by a parser of HTML.

TEST(Page, HasASectionForEverythingThatRecordsHave) {
  const Saved file = saved(
      "a.json", {"", R"(,"schedule_name":"slow","seconds":4e-3)", R"(,"size":[8],"roof":null)",
                 R"(,"diagnoses":[{"cause":"c"}],"in_cache":true,"fraction":3)",
                 R"(,"achieved_unit":"interactions/s","kernel":"k","check":{"ok":false})"});
  const Saved roof = parse_saved(R"({"device":"cuda:0","device_name":"a GPU","ceilings":[
    {"name":"fma_fp64","value":4e10,"unit":"flop/s","how":""},
    {"name":"read","value":1.5e9,"unit":"B/s","how":""}]})",
                                 "roof.json");
  const std::string html = page({file, roof});
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
  for (const char* const id : {"roofline", "fractions", "sizes", "schedules", "named", "diagnoses",
                               "conventions", "devices", "records"})
    EXPECT_THAT(html, HasSubstr("<section id=\"" + std::string(id) + "\""));
}

TEST(Page, LeavesOutWhatTheyHaveNot) {
  const std::string html =
      page({parse_saved(R"([{"kernel":"k","device":"cpu","precision":"fp32","size":[7]}])", "a")});
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"records\""), Not(HasSubstr("id=\"roofline\"")),
                          Not(HasSubstr("id=\"sizes\"")), Not(HasSubstr("id=\"diagnoses\""))));
}

TEST(Page, NeedsRecords) {
  EXPECT_THROW((void)page({}), UsageError);
  EXPECT_THROW((void)page({parse_saved(R"({"device":"cpu","ceilings":[]})", "roof.json")}),
               UsageError);
}

} // namespace
} // namespace ridge::report
