// Profilers' files that are cut off, damaged or large: an error that says so, or words without
// numbers that are none.
#include <ridge/core/error.hpp>
#include <ridge/doctor/foreign/kept.hpp>
#include <ridge/doctor/foreign/perf.hpp>
#include <ridge/doctor/foreign/say.hpp>
#include <ridge/doctor/foreign/timeline.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace ridge::doctor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr, ::testing::Not;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// All that the doctor says of a file, read in each way.
std::string said_of(const std::string& text) {
  const std::array readers{+[](const std::string& t) { return read_timeline(t); },
                           +[](const std::string& t) {
                             Foreign all;
                             (void)read_perf(t, all);
                             take_run(all, t);
                             return all;
                           },
                           +[](const std::string& t) {
                             try {
                               return read_foreign(t);
                             } catch (const UsageError& error) {
                               EXPECT_NE(std::string(error.what()), "");
                               return Foreign();
                             }
                           }};
  std::string said;
  for (const auto& reader : readers) {
    const Foreign all = reader(text);
    said += foreign_text(all, {}) + foreign_json(all, {});
  }
  return said;
}

class Damage {
public:
  std::string to(std::string text) {
    const int times = 1 + below(4);
    for (int i = 0; i < times && !text.empty(); ++i) {
      const auto at = static_cast<std::size_t>(below(text.size()));
      const auto count = std::min(text.size() - at, static_cast<std::size_t>(1 + below(40)));
      switch (below(6)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, count);
        break;
      case 2:
        text.insert(at, text, static_cast<std::size_t>(below(text.size())), count);
        break;
      case 3:
        text[at] = static_cast<char>(below(256));
        break;
      case 4:
        text.insert(at, words_[static_cast<std::size_t>(below(words_.size()))]);
        break;
      default:
        text[at] = static_cast<char>('0' + below(10));
        break;
      }
    }
    return text;
  }

private:
  template <class Count>
  int below(Count count) {
    return static_cast<int>(random_() % static_cast<std::size_t>(count));
  }
  std::mt19937 random_{20261130};
  std::vector<std::string> words_{"nan",       "-inf",
                                  "1e308",     "-1",
                                  "\"",        ",",
                                  "\"\"",      "\n",
                                  "\t",        "0",
                                  "1.000.000", "99999999999999999999",
                                  "K\t",       "\"\",\"\",\"\"\n",
                                  "%"};
};

TEST(BrokenReports, EndNeitherInACrashNorInNumbersThatAreNone) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(RIDGE_TEST_REPORTS)) {
    if (!entry.is_regular_file() || entry.file_size() > 30'000) continue;
    files.push_back(content(entry.path()));
  }
  ASSERT_GT(files.size(), 50U);
  std::sort(files.begin(), files.end());
  files.emplace_back(
      "    75.00%  a.out  a.out  [.] flux(double*)\n1000.0,msec,task-clock,1,100.00,,\n"
      "2000000000,,cycles,1,100.00,,\n");
  Damage damage;
  const char* const more = std::getenv("RIDGE_TEST_DAMAGES"); // by hand
  const int damages = more != nullptr ? std::atoi(more) : 600;
  for (int i = 0; i < damages; ++i) {
    const std::string text = damage.to(files[static_cast<std::size_t>(i) % files.size()]);
    const std::string said = said_of(text);
    for (const char* const none : {" nan ", " nan,", " inf ", " inf,", "-nan"}) {
      if (text.find(none) != text.npos) continue; // of a name
      ASSERT_THAT(said, Not(HasSubstr(none))) << text.substr(0, 2000);
    }
  }
}

constexpr const char* header = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n";

/// The words of the error.
std::string refused(const std::string& text) {
  try {
    (void)read_foreign(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "read";
}

TEST(BrokenReports, SayWhatIsWrongWithThem) {
  EXPECT_THAT(refused(fmt::format("{}\"0\",\"f\",\"86,52\"\n", header)), HasSubstr("LC_ALL=C"));
  EXPECT_THAT(refused(fmt::format("{}\"0\",\"f\",\"1.073.741.824\"\n", header)),
              HasSubstr("LC_ALL=C"));
  EXPECT_THAT(refused("\"ID\";\"Kernel Name\"\n\"0\";\"f\"\n"), HasSubstr("semicolons"));
  EXPECT_THAT(refused(std::string("\xFF\xFE\"\0I\0D\0", 8)), HasSubstr("UTF-8"));
  EXPECT_THAT(refused(fmt::format("{}\"0\",\"f\",\"n/a\"\n", header)), HasSubstr("neither times"));
  EXPECT_EQ(refused(fmt::format("\xEF\xBB\xBF{}\"\",\"\",\"nsecond\"\n\"0\",\"f\",\"1,024.5\"\n",
                                header)),
            "read");
}

TEST(BrokenReports, WithManyKernelsAreReadInOneGo) {
  std::string text = header;
  constexpr int count = 100'000; // once each was compared with all before it: a minute
  for (int i = 0; i < count; ++i)
    text += fmt::format("\"{}\",\"f{}\",\"{}\"\n", i, i / 2, i + 1);
  const Foreign all = read_foreign(text);
  ASSERT_EQ(all.kernels.size(), count / 2U);
  EXPECT_EQ(all.kernels.front().name, fmt::format("f{}", count / 2 - 1));
  EXPECT_EQ(all.kernels.front().launches, 2);
}

TEST(BrokenReports, NameKernelsAsTheyAreNamed) {
  EXPECT_EQ(readable_name("f"), "f"); // not float
  EXPECT_EQ(readable_name("_Z1fi"), "f(int)");
  EXPECT_EQ(short_name(""), "(without a name)");
  EXPECT_EQ(short_name("a\tb\x1b[2J"), "a b [2J");
  EXPECT_EQ(short_name(fmt::format("{:x<56}\u2207yyyy", "")), fmt::format("{:x<56}...", ""));
}

TEST(BrokenReports, NameKernelsOfKokkosByTheirFunctors) {
  const std::string of_lambda =
      "_ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryINS0_14ParallelReduceINS0_"
      "22CombinedFunctorReducerIZ4mainEUliiRdE_NS0_15FunctorAnalysisINS0_"
      "23FunctorPatternInterface6REDUCEENS_13MDRangePolicyIJNS_4RankILj2ELNS_7IterateE0ELSB_"
      "0EEEEEENS_3MaxIdNS_9HostSpaceEEEdE7ReducerEvEESD_NS_4CudaEEEEEvT_";
  EXPECT_EQ(short_name(readable_name(of_lambda)),
            "Kokkos ParallelReduce of main::{lambda(int, int, double&)#1}");
  EXPECT_EQ(short_name("void Kokkos::Impl::hip_parallel_launch_constant_memory<Kokkos::Impl::"
                       "ParallelFor<Flux<double, 2>, Kokkos::RangePolicy<Kokkos::HIP> > >()"),
            "Kokkos ParallelFor of Flux<double, 2>");
  EXPECT_EQ(short_name("Kokkos::Impl::cuda_parallel_launch<Kokkos::Impl::ParallelFor<"),
            "Kokkos ParallelFor of ");
}

TEST(BrokenReports, NameRegionsOfOpenMPByTheirFunctions) {
  Foreign all;
  ASSERT_TRUE(read_perf("75.00%  a.out  a.out  [.] main._omp_fn.0\n"
                        "25.00%  a.out  a.out  [.] sum(double*) [clone ._omp_fn.12]\n",
                        all));
  EXPECT_EQ(all.kernels[0].name, "main, OpenMP region 0");
  EXPECT_EQ(all.kernels[1].name, "sum(double*), OpenMP region 12");
}

} // namespace
} // namespace ridge::doctor
