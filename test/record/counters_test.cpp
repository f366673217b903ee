// Counters: ncu's report read, the processor's own where it has them.
#include <ridge/core/error.hpp>
#include <ridge/record/cpu_counters.hpp>
#include <ridge/record/ncu_report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace ridge {
namespace {

using testing::HasSubstr;

std::string why(std::string_view report) {
  try {
    (void)parse_ncu_report(report);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "no failure";
}

const std::string header =
    R"("ID","Process ID","Kernel Name","Grid Size","dram__bytes_read.sum","dram__bytes_write.sum",)"
    R"("lts__t_sectors.sum","lts__t_sectors_lookup_hit.sum")"
    "\n"
    R"("","","","","byte","byte","sector","sector")"
    "\n";

TEST(NcuReport, SumsAllLaunchesOfARun) {
  const Counters c = parse_ncu_report(
      "==PROF== Connected to process 7\n" + header +
      R"("0","7","void entry<a, b>","2, 512, 512","1,073,741,824","1000","400","300")"
      "\n"
      R"("1","7","void entry<a, b>","2, 512, 512","1e+09","500","100","50")"
      "\n==PROF== Disconnected\n");
  EXPECT_EQ(c.source, "ncu");
  EXPECT_DOUBLE_EQ(c.bytes_read, 2073741824.0);
  EXPECT_DOUBLE_EQ(c.bytes_written.value(), 1500);
  EXPECT_DOUBLE_EQ(c.hit_rate.value(), 0.7);
}

TEST(NcuReport, DoesWithoutHits) {
  const Counters c = parse_ncu_report(
      "\"ID\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\"\n\"0\",\"5\",\"6\"");
  EXPECT_DOUBLE_EQ(c.bytes_read, 5);
  EXPECT_FALSE(c.hit_rate.has_value());
}

TEST(NcuReport, SaysWhyThereIsNone) {
  EXPECT_THAT(why("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"),
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(why("==ERROR== The application returned an error code (2).\nmore"),
              testing::EndsWith("ncu counted no launch: ==ERROR== The application returned an "
                                "error code (2)."));
  EXPECT_THAT(why(""), HasSubstr("counted no launch"));
  EXPECT_THAT(why(header), HasSubstr("counted no launch"));
  EXPECT_THAT(why("\"ID\",\"other\"\n\"0\",\"1\"\n"), HasSubstr("counted no launch"));
}

TEST(NcuReport, NamesItsMetricsForNcu) {
  EXPECT_THAT(ncu_metrics(), HasSubstr("dram__bytes_read.sum,dram__bytes_write.sum"));
}

TEST(CpuCounters, CountMostOfWhatIsReadOrSayWhyTheyCannot) {
  std::vector<double> data(std::size_t{1} << 25, 1.0); // 256 MB, beyond most caches
  double sum = 0;
  try {
    const Counters c = count_on_cpu([&] { sum = std::accumulate(data.begin(), data.end(), 0.0); });
    EXPECT_EQ(c.source, "perf");
    EXPECT_GT(c.bytes_read, 0);
    EXPECT_LT(c.bytes_read, 4.0 * 8 * static_cast<double>(data.size()));
    EXPECT_EQ(sum, static_cast<double>(data.size()));
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(),
                testing::AnyOf(HasSubstr("kernel.perf_event_paranoid"), HasSubstr("no counter")));
  }
}

} // namespace
} // namespace ridge
