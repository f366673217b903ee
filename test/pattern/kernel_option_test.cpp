// Options that patterns announce: a made-up one, and those there are.
#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/pattern/kernel_option.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ridge {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void check_ropes(const OptionValues& given) {
  if (given.get("slack", 0.0) < 0) throw UsageError("--slack is not negative");
}
/// All that new options take.
const KernelOptionsOf
    ropes("ropes",
          {{"--strands,--plies", std::optional<int>(), "strands of a rope",
            KernelOption::bench | KernelOption::tune, "--strands is for ropes; {} is none", 2, 9},
           {"--slack", std::optional<double>(), "of a rope", KernelOption::bench}},
          check_ropes);
const KernelOptionsOf
    nets("nets", {{"--strands", std::optional<int>(), "strands of a net", KernelOption::bench}});

OptionValues taken(const OptionValues& given, const char* pattern,
                   KernelOption::Command command = KernelOption::bench) {
  return options_of_kernel(given, command, pattern, "some");
}

TEST(KernelOptions, AMadeUpOneIsTakenByItsPattern) {
  OptionValues given;
  given.set("strands", 3);
  given.set("slack", 0.5);
  EXPECT_EQ(taken(given, "ropes").get("strands", 2), 3);
  EXPECT_EQ(taken(given, "ropes").find<double>("slack"), 0.5);
  EXPECT_EQ(taken(given, "nets").all.size(), 1U) << "a name of two patterns";
  EXPECT_EQ(taken({}, "ropes").get("strands", 2), 2);
  EXPECT_FALSE(taken(given, "ropes", KernelOption::tune).has("slack"));
  EXPECT_TRUE(taken(given, "ropes", KernelOption::model).all.empty());
}

TEST(KernelOptions, OnesNotGivenAreNotTaken) {
  OptionValues given;
  for (const KernelOption& row : kernel_options(KernelOption::bench))
    given.all[row.name()] = row.value;
  for (const char* const pattern : {"ropes", "pairs", "tree", "lattice", "stencil"})
    EXPECT_TRUE(taken(given, pattern).all.empty()) << pattern;
}

TEST(KernelOptions, OnesOfOtherPatternsAreRefusedOrIgnored) {
  OptionValues given;
  given.set("slack", 0.5);
  EXPECT_TRUE(taken(given, "stencil").all.empty());
  given.set("strands", 3);
  EXPECT_THAT([&] { (void)taken(given, "stencil"); },
              ThrowsMessage<UsageError>(HasSubstr("--strands is for ropes; some is none")));
}

TEST(KernelOptions, ValuesAreCheckedTogether) {
  OptionValues given;
  given.set("slack", -1.0);
  EXPECT_THAT([&] { (void)taken(given, "ropes"); },
              ThrowsMessage<UsageError>(HasSubstr("--slack is not negative")));
}

TEST(KernelOptions, RowsOfAPatternHaveDifferentNamesAndSayOfWhatTheyAre) {
  std::set<std::string> seen;
  for (const KernelOption& row : kernel_options(KernelOption::all)) {
    EXPECT_TRUE(seen.insert(std::string(row.pattern) + " " + row.name()).second) << row.name();
    EXPECT_EQ(std::string(row.names).rfind("--" + row.name(), 0), 0U);
    EXPECT_NE(std::string(row.meaning), "");
    if (const std::string refusal = row.refusal; !refusal.empty()) {
      EXPECT_THAT(refusal, HasSubstr("--" + row.name()));
    }
  }
}

/// A value that a kernel can have, and one that it cannot.
struct Read {
  const char *kernel, *option;
  Extents size;
  int right, wrong;
};

TEST(KernelOptions, KernelsReadTheirs) {
  for (const Read& r : {Read{"chain", "operations", {1000}, 32, 33},
                        Read{"lattice-norm2", "width", {8, 8, 8, 8}, 128, 100}}) {
    const lab::BenchKernel& kernel = lab::find_bench_kernel(r.kernel);
    lab::BenchRequest request{Device("cpu"), r.size, kernel.default_precision, "auto", {}};
    request.options.set(r.option, r.right);
    EXPECT_NE(kernel.make_menu(request, Place{request.device}), nullptr);
    request.options.set(r.option, r.wrong);
    EXPECT_THROW((void)kernel.make_menu(request, Place{request.device}), UsageError) << r.kernel;
  }
}

} // namespace
} // namespace ridge
