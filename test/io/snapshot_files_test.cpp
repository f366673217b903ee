// The files of a run with snapshots: in which order they reach the disk, and whose they are.
#include <ridge/core/error.hpp>

#include "../../src/io/file_names.hpp"
#include "../../src/io/snapshot_files.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <optional>

namespace ridge::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> events; ///< what the disk is told, while `noted` holds
bool noted = false;

std::string name_of(int file) {
  std::array<char, 4096> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  if (readlink(link.c_str(), name.data(), name.size() - 1) < 0) return "?";
  return fs::is_directory(name.data()) ? "folder" : fs::path(name.data()).filename().string();
}

class Snapshots : public ::testing::Test {
protected:
  Snapshots() { fs::create_directories(folder); }
  ~Snapshots() override { fs::remove_all(folder); }

  /// Writes snapshots of a new run.
  void write(const std::string& run, const std::vector<Index>& steps, bool overwrite = false) {
    OutputPlan plan(overwrite);
    SnapshotFiles files(plan, file);
    plan.claim();
    for (const Index step : steps)
      files.add(parts(run, step));
  }
  [[nodiscard]] static SnapshotFiles::Parts parts(const std::string& run, Index step) {
    return {run, step, 0, [](const Writing&) {}, [](const Writing&) {}, [] { return "<Xdmf/>"; }};
  }
  /// What a run that goes on from steps 0 and 1 says.
  [[nodiscard]] std::string gone_on(const std::string& run) const {
    try {
      OutputPlan plan(false);
      const SnapshotFiles files(plan, file, run, {{0, name(0)}, {1, name(1)}});
      plan.claim();
    } catch (const UsageError& e) {
      return e.what();
    }
    return "nothing was refused";
  }
  [[nodiscard]] fs::path name(Index step) const { return snapshot_beside(file, step).filename(); }

  const fs::path folder =
      fs::temp_directory_path() / ("ridge-snapshots-" + std::to_string(getpid()));
  const fs::path file = folder / "run.h5";
};

TEST_F(Snapshots, AreOnTheDiskBeforeAnythingLeadsToThem) {
  OutputPlan plan(false);
  SnapshotFiles files(plan, file);
  plan.claim();
  noted = true;
  files.add(parts("a", 7));
  noted = false;
  EXPECT_THAT(std::exchange(events, {}),
              ElementsAre("sync .run.0000000007.h5.partial", "name run.0000000007.h5",
                          "sync folder", "sync .run.h5.partial", "name run.h5", "sync folder",
                          "sync .run.xdmf.partial", "name run.xdmf", "sync folder"));
}

TEST_F(Snapshots, AreARunsOwnByContentNotByName) {
  write("a", {0, 1, 2});
  EXPECT_EQ(gone_on("a"), "nothing was refused"); // killed before run.h5 led to step 2
  EXPECT_THAT(gone_on("b"), HasSubstr("run.0000000002.h5 exists, a snapshot of an earlier run"));
  // Later than all that the run has: no reason to replace it.
  fs::rename(folder / name(2), folder / name(9));
  EXPECT_EQ(gone_on("a"), "nothing was refused");
  EXPECT_THAT(gone_on("b"), HasSubstr("run.0000000009.h5 exists"));
  std::ofstream(folder / name(9)) << "precious";
  EXPECT_THAT(gone_on("a"), HasSubstr("run.0000000009.h5 exists"));
}

TEST_F(Snapshots, OfAFileThatIsNoRunsStay) {
  write("a", {0, 5});
  fs::remove(file); // no "ridge ..." leads to them
  write("b", {0}, true);
  EXPECT_TRUE(fs::exists(folder / name(5)));
}

} // namespace
} // namespace ridge::io

// In place of the system's, which they call.
extern "C" int fsync(int file) {
  if (ridge::io::noted) ridge::io::events.push_back("sync " + ridge::io::name_of(file));
  return static_cast<int>(syscall(SYS_fsync, file));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (ridge::io::noted) {
    ridge::io::events.push_back("name " + std::filesystem::path(to).filename().string());
  }
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0U));
}
