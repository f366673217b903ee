// Outputs that are planned and claimed: names, inputs, what exists, other runs.
#include <ridge/core/error.hpp>

#include "../../src/io/file_names.hpp"
#include "../../src/io/output_file.hpp"
#include "../../src/io/output_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>

namespace ridge::io {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Outputs : public ::testing::Test {
protected:
  Outputs() { fs::create_directories(folder); }
  ~Outputs() override { fs::remove_all(folder); }

  [[nodiscard]] fs::path made(const char* name) const {
    std::ofstream(folder / name) << name;
    return folder / name;
  }
  [[nodiscard]] static std::string refused(const std::function<void()>& call) {
    try {
      call();
    } catch (const UsageError& e) {
      return e.what();
    }
    return "nothing was refused";
  }
  /// What a plan of one output says.
  [[nodiscard]] static std::string claimed(const fs::path& output, bool overwrite = false) {
    return refused([&] {
      OutputPlan plan(overwrite);
      plan.writes(output, "the output");
      plan.claim();
    });
  }
  [[nodiscard]] std::vector<fs::path> hidden() const {
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with(".")) all.push_back(entry.path());
    }
    return all;
  }

  const fs::path folder = fs::temp_directory_path() / ("ridge-outputs-" + std::to_string(getpid()));
  static constexpr const char* fine = "nothing was refused";
};

TEST(FileNames, KeepAllOfTheStem) {
  EXPECT_EQ(beside("a/run.h5", ".png"), "a/run.png");
  EXPECT_EQ(beside("run.HDF5", ".xdmf"), "run.xdmf");
  EXPECT_EQ(beside("heat_dt0.1", ".xdmf"), "heat_dt0.1.xdmf");
  EXPECT_EQ(snapshot_beside("heat_dt0.1", 100), "heat_dt0.1.0000000100.h5");
  EXPECT_EQ(snapshot_beside("x.y.h5", 0), "x.y.0000000000.h5");
  EXPECT_THROW((void)xdmf_beside("run.xdmf"), UsageError);
  EXPECT_EQ(stem_of_snapshot("x.y.0000000100.h5"), "x.y");
  for (const char* const other : {"x.000000100.h5", "x.00000001000.h5", "x0000000100.h5",
                                  ".0000000100.h5", "x.000000010a.h5", "x.0000000100.hdf", ""})
    EXPECT_EQ(stem_of_snapshot(other), std::nullopt) << other;
}

TEST_F(Outputs, AreClaimedUntilThePlanEnds) {
  fs::create_directory_symlink(folder, folder / "here");
  {
    OutputPlan plan(false);
    plan.writes(folder / "out.h5", "the output");
    plan.writes_snapshots(folder / "out.h5", [](const fs::path&) { return false; });
    plan.claim();
    for (const char* const name :
         {"out.h5", "here/out.h5", "out.0000000003.h5", "here/out.0000000007.h5"}) {
      EXPECT_THAT(
          claimed(folder / name, true),
          HasSubstr("is being written by another run (process " + std::to_string(getpid())));
    }
    EXPECT_EQ(claimed(folder / "out2.h5"), fine);
    EXPECT_EQ(claimed(folder / "out2.0000000003.h5"), fine);
  }
  EXPECT_THAT(hidden(), IsEmpty());
  EXPECT_EQ(claimed(folder / "out.h5"), fine);
}

TEST_F(Outputs, AreGivenBackFromTheLastToTheFirst) {
  const auto claim = [&](OutputPlan& plan) {
    for (const char* const name : {"a.h5", "b.h5", "c.h5"})
      plan.continues(folder / name, "the output");
    plan.claim();
  };
  std::atomic<bool> over = false;
  std::set<std::string> said;
  std::thread other([&] {
    while (!over) {
      try {
        OutputPlan plan(false);
        claim(plan);
      } catch (const UsageError& e) {
        said.insert(std::string(e.what()).substr(0, (folder / "a.h5").string().size()));
      }
    }
  });
  for (int i = 0; i < 2000; ++i) {
    try {
      OutputPlan plan(false);
      claim(plan);
    } catch (const UsageError&) { // the other has them
    }
  }
  over = true;
  other.join();
  said.insert((folder / "a.h5").string());
  EXPECT_THAT(said, ::testing::ElementsAre((folder / "a.h5").string()));
}

TEST_F(Outputs, TwoFilesNamedLikeSnapshotsMayBeWrittenAtOnce) {
  OutputPlan plan(false);
  plan.writes(folder / "out.0000000003.h5", "the output");
  plan.claim();
  EXPECT_EQ(claimed(folder / "out.0000000004.h5"), fine);
  EXPECT_THAT(claimed(folder / "out.0000000003.h5"), HasSubstr("another run"));
  OutputPlan series(true);
  series.writes_snapshots(folder / "out.h5", [](const fs::path&) { return false; });
  EXPECT_THROW(series.claim(), UsageError);
}

TEST_F(Outputs, NeverReplaceAnInput) {
  const fs::path input = made("in.h5");
  fs::create_hard_link(input, folder / "hard.h5");
  fs::create_symlink("in.h5", folder / "link.h5");
  for (const char* const name : {"in.h5", "hard.h5", "link.h5"}) {
    const auto plan_it = [&] {
      OutputPlan plan(true);
      plan.reads(input, "the input");
      plan.writes(folder / name, "the output");
      plan.claim();
    };
    EXPECT_THAT(refused(plan_it), HasSubstr("is the input")) << name;
  }
  EXPECT_THAT(hidden(), IsEmpty());
}

TEST_F(Outputs, ReplaceWhatExistsOnlyWhereAllowed) {
  const fs::path there = made("out.h5");
  fs::create_symlink("new.h5", folder / "dangling.h5");
  EXPECT_THAT(claimed(there), HasSubstr("out.h5 exists"));
  EXPECT_EQ(claimed(there, true), fine);
  EXPECT_EQ(claimed(folder / "dangling.h5"), fine);
  const fs::path snapshot = made("run.0000000004.h5");
  const auto series = [&](bool overwrite, bool own) {
    return refused([&] {
      OutputPlan plan(overwrite);
      plan.writes_snapshots(folder / "run.h5", [&](const fs::path& file) {
        EXPECT_EQ(file.filename(), snapshot.filename());
        return own;
      });
      plan.claim();
    });
  };
  EXPECT_THAT(series(false, false), HasSubstr("run.0000000004.h5 exists"));
  EXPECT_EQ(series(false, true), fine);
  EXPECT_EQ(series(true, false), fine);
}

TEST_F(Outputs, AreWrittenOnlyAsPlanned) {
  OutputPlan plan(false);
  plan.writes_at_once(folder / "a.txt", "the text");
  plan.writes_at_once("/dev/null", "nothing");
  plan.claim();
  write_text_file(plan, folder / "a.txt", "text");
  write_text_file(plan, "/dev/null", "text");
  EXPECT_EQ(fs::file_size(folder / "a.txt"), 4U);
  EXPECT_THROW(write_text_file(plan, folder / "b.txt", "text"), Failure);
  EXPECT_FALSE(fs::exists(folder / "b.txt"));
}

} // namespace
} // namespace ridge::io
