// Wisdom: what is kept, found again, merged, and left out, and that a look-up is quick.
#include <ridge/core/error.hpp>
#include <ridge/core/file.hpp>
#include <ridge/tune/wisdom.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ridge::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Finding finding(Index n = 64, const std::string& schedule = "tile=4 store=plain") {
  return {{"laplacian", "fp64", {n, 32, 16}, "", "A GPU, 132 units", "550.54", "nvcc-1", "abc"},
          schedule,
          1.5e-3,
          1.25};
}

class WisdomFile : public ::testing::Test {
protected:
  WisdomFile() {
    std::string name = (std::filesystem::temp_directory_path() / "wisdom-XXXXXX").string();
    folder = mkdtemp(name.data());
    file = folder + "/deep/wisdom";
  }
  ~WisdomFile() override {
    unsetenv("RIDGE_TUNE");
    std::filesystem::remove_all(folder);
  }
  void write(const std::string& text) {
    std::filesystem::create_directories(folder + "/deep");
    std::ofstream(file) << text;
  }
  [[nodiscard]] std::string text() const { return read_file(file).value_or(""); }

  std::string folder, file;
};

TEST_F(WisdomFile, KeepsAFindingForOtherProcesses) {
  Wisdom(file).keep(finding());
  const Wisdom again(file);
  EXPECT_THAT(again.problems(), IsEmpty());
  const auto found = again.find(id_of(finding().key));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, "tile=4 store=plain");
  EXPECT_DOUBLE_EQ(found->seconds, 1.5e-3);
  EXPECT_DOUBLE_EQ(found->standard_gain, 1.25);
  EXPECT_EQ(found->key.size, (Extents{64, 32, 16}));
  EXPECT_FALSE(again.find(id_of(finding(65).key)));
}

TEST_F(WisdomFile, ReplacesWhatItHadForTheSame) {
  Wisdom wisdom(file);
  wisdom.keep(finding());
  wisdom.keep(finding(64, "tile=8"));
  EXPECT_EQ(Wisdom(file).find(id_of(finding().key))->schedule, "tile=8");
  const std::string all = text();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2);
}

TEST_F(WisdomFile, MergesWithWhatOthersKeptMeanwhile) {
  Wisdom one(file), other(file);
  one.keep(finding(64));
  other.keep(finding(128));
  EXPECT_TRUE(other.find(id_of(finding(64).key)));
  const Wisdom both(file);
  EXPECT_TRUE(both.find(id_of(finding(64).key)));
  EXPECT_TRUE(both.find(id_of(finding(128).key)));
}

TEST_F(WisdomFile, LosesNothingOfProcessesThatWriteAtOnce) {
  constexpr int processes = 4, each = 8;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      Wisdom wisdom(file);
      for (int i = 0; i < each; ++i)
        wisdom.keep(finding(100 + p * each + i));
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Wisdom all(file);
  for (int i = 0; i < processes * each; ++i)
    EXPECT_TRUE(all.find(id_of(finding(100 + i).key))) << i;
}

TEST_F(WisdomFile, LeavesCorruptLinesOutAndSaysWhich) {
  Wisdom(file).keep(finding());
  std::string good = text();
  const std::string line = good.substr(good.find('\n') + 1);
  write(good + "kernel=x\tprecision\n" + line.substr(0, line.size() / 2) + "\n\n" +
        std::string("\0\x7f\xff", 3) + "\n");
  const Wisdom wisdom(file);
  EXPECT_THAT(wisdom.problems(),
              ElementsAre(HasSubstr("line 3"), HasSubstr("line 4"), HasSubstr("line 6")));
  EXPECT_TRUE(wisdom.find(id_of(finding().key)));
}

TEST_F(WisdomFile, RefusesNumbersThatAreNone) {
  Wisdom(file).keep(finding());
  std::string good = text();
  for (const char* const wrong : {"seconds=-1", "seconds=nan", "seconds=", "seconds=1e-3x"}) {
    std::string bad = good;
    bad.replace(bad.find("seconds=0.0015"), 14, wrong);
    write(bad);
    EXPECT_THAT(Wisdom(file).problems(), ElementsAre(HasSubstr("no positive number"))) << wrong;
  }
}

TEST_F(WisdomFile, NeitherReadsNorOverwritesAnotherSchema) {
  for (const char* const other : {"ridge wisdom 2\n", "#!/bin/sh\nrm -r x\n", "\n"}) {
    write(other);
    Wisdom wisdom(file);
    EXPECT_THAT(wisdom.problems(), ElementsAre(HasSubstr("ridge wisdom 1")));
    EXPECT_THROW(wisdom.keep(finding()), Failure);
    EXPECT_EQ(text(), other);
  }
}

TEST_F(WisdomFile, TakesAnEmptyFileAsOne) {
  write("");
  Wisdom wisdom(file);
  EXPECT_THAT(wisdom.problems(), IsEmpty());
  wisdom.keep(finding());
  EXPECT_TRUE(Wisdom(file).find(id_of(finding().key)));
}

TEST_F(WisdomFile, SaysWhyItCannotBeWritten) {
  std::ofstream(folder + "/deep") << "a file where a folder should be";
  try {
    Wisdom(file).keep(finding());
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr(file));
    EXPECT_THAT(failure.what(), HasSubstr("RIDGE_WISDOM"));
  }
  EXPECT_THROW(Wisdom("").keep(finding()), Failure);
  std::filesystem::create_directories(folder + "/folder");
  Wisdom of_folder(folder + "/folder");
  EXPECT_THAT(of_folder.problems(), ElementsAre(HasSubstr("cannot be read")));
}

TEST_F(WisdomFile, IsNotWrittenWhereTuningIsOff) {
  setenv("RIDGE_TUNE", "off", 1);
  Wisdom(file).keep(finding());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(folder + "/deep"));
}

TEST_F(WisdomFile, KeepsNamesWithTabsAndLineEndsOnOneLine) {
  Finding odd = finding();
  odd.key.kernel = "a\tb\nc";
  Wisdom(file).keep(odd);
  const Wisdom again(file);
  EXPECT_THAT(again.problems(), IsEmpty());
  EXPECT_TRUE(again.find(id_of(odd.key)));
}

TEST_F(WisdomFile, SaysWhichPartDiffers) {
  Wisdom wisdom(file);
  wisdom.keep(finding());
  const auto differing = [&](std::string Key::*part) {
    Key key = finding().key;
    key.*part = "other";
    EXPECT_FALSE(wisdom.find(id_of(key)));
    EXPECT_THAT(wisdom.near(key), IsEmpty());
    return wisdom.mismatch(key);
  };
  EXPECT_THAT(differing(&Key::driver), HasSubstr("the driver was 550.54 and is other"));
  EXPECT_THAT(differing(&Key::compiler), HasSubstr("the compiler was nvcc-1 and is other"));
  EXPECT_THAT(differing(&Key::device), HasSubstr("the device was A GPU, 132 units"));
  EXPECT_THAT(differing(&Key::hash), HasSubstr("the kernel"));
  EXPECT_THAT(differing(&Key::driver), testing::Not(HasSubstr("compiler")));
  EXPECT_EQ(differing(&Key::precision), "") << "nothing was found in that precision";
  Key renamed = finding().key;
  renamed.kernel = renamed.hash = "other";
  EXPECT_EQ(wisdom.mismatch(renamed), "") << "nothing is known of a kernel of that name";
  EXPECT_EQ(wisdom.mismatch(finding(65).key), "") << "only the size differs";
  Key cpu = finding().key;
  cpu.device = "A processor";
  cpu.driver = no_driver;
  EXPECT_EQ(wisdom.mismatch(cpu), "") << "what was found on a GPU is as good as before";
}

TEST_F(WisdomFile, FindsTheNearestSizesFirst) {
  Wisdom wisdom(file);
  for (const Index n : {16, 1000, 90, 60})
    wisdom.keep(finding(n, "n=" + std::to_string(n)));
  std::vector<std::string> order;
  for (const auto& found : wisdom.near(finding(64).key))
    order.push_back(found->schedule);
  EXPECT_THAT(order, ElementsAre("n=60", "n=90", "n=16", "n=1000"));
  Key flat = finding().key;
  flat.size = {64, 32};
  EXPECT_THAT(wisdom.near(flat), IsEmpty()) << "other dimensions";
}

TEST_F(WisdomFile, IsLookedUpInLessThanAMicrosecond) {
  Wisdom wisdom(file);
  for (Index n = 100; n < 140; ++n)
    wisdom.keep(finding(n));
  const std::string id = id_of(finding(120).key);
  using Clock = std::chrono::steady_clock;
  double least = 1;
  for (int batch = 0; batch < 20; ++batch) { // the machine may be busy
    constexpr int lookups = 1000;
    const auto begin = Clock::now();
    int found = 0;
    for (int i = 0; i < lookups; ++i)
      found += wisdom.find(id) != nullptr ? 1 : 0;
    ASSERT_EQ(found, lookups);
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count() / lookups);
  }
#if !defined(RIDGE_SANITIZED)
  EXPECT_LT(least, 1e-6);
#endif
}

} // namespace
} // namespace ridge::tune
