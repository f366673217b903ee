// Saving and loading fields, and files that are not what they should be.
#include <ridge/core/error.hpp>
#include <ridge/io/lattice_file.hpp>
#include <ridge/lattice/random.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace ridge::io {
namespace {

using lattice::ColourMatrix;
using lattice::ColourVector;
using lattice::Field;
using lattice::Lattice;
using ::testing::HasSubstr;
using Site = ColourMatrix<double>;

class LatticeFile : public ::testing::Test {
protected:
  LatticeFile() { std::filesystem::create_directories(folder); }
  ~LatticeFile() override { std::filesystem::remove_all(folder); }

  Field<Site> random_field(std::uint64_t seed, const Lattice& of) {
    Field<Site> field(queue.device(), of, "u");
    fill_random(queue, field, seed);
    return field;
  }
  static std::string message(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }

  Queue queue{Device("cpu")};
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ridge-io-" + std::to_string(::getpid()));
  std::filesystem::path file = folder / "field.h5";
  Lattice lattice{{4, 6, 8}};
};

TEST_F(LatticeFile, ComesBackOnAnotherDeviceAndInAnotherLayout) {
  const auto u = random_field(1, lattice);
  save(file, "/gauge/u", queue, u);
  Queue other(Device("simt:32"));
  Field<Site> v(other.device(), Lattice({4, 6, 8}, 128), "v");
  load(file, "/gauge/u", other, v);
  EXPECT_EQ(v.get(other), u.get(queue));
}

TEST_F(LatticeFile, LeavesOnlyTheFileBehind) {
  save(file, "/u", queue, random_field(1, lattice));
  save(file, "/u", queue, random_field(2, lattice));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(entry.path(), file);
    ++files;
  }
  EXPECT_EQ(files, 1);
  EXPECT_THAT(
      message([&] { save(folder / "none" / "u.h5", "/u", queue, random_field(1, lattice)); }),
      HasSubstr("writing"));
}

TEST_F(LatticeFile, RefusesOtherLatticesTypesAndNames) {
  save(file, "/u", queue, random_field(1, lattice));
  auto other = random_field(2, Lattice({4, 8, 6}));
  const auto before = other.get(queue);
  EXPECT_THAT(message([&] { load(file, "/u", queue, other); }), HasSubstr("4x8x6"));
  EXPECT_EQ(other.get(queue), before);
  Field<ColourVector<double>> vector(queue.device(), lattice, "x");
  EXPECT_THAT(message([&] { load(file, "/u", queue, vector); }), HasSubstr("8x6x4x9x2"));
  Field<ColourMatrix<float>> floats(queue.device(), lattice, "f");
  EXPECT_THAT(message([&] { load(file, "/u", queue, floats); }), HasSubstr("4-byte"));
  auto u = random_field(3, lattice);
  EXPECT_THAT(message([&] { load(file, "/w", queue, u); }), HasSubstr("no dataset /w"));
  EXPECT_THAT(message([&] { load(folder / "no.h5", "/u", queue, u); }), HasSubstr("no file"));
}

TEST_F(LatticeFile, RefusesDamagedFiles) {
  const auto u = random_field(1, lattice);
  save(file, "/u", queue, u);
  // One bit of one number.
  const Site first = u.get(queue)[0];
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(bytes)), {});
  const auto at = all.find(std::string(reinterpret_cast<const char*>(&first), 16));
  ASSERT_NE(at, std::string::npos);
  bytes.clear();
  bytes.seekp(static_cast<std::streamoff>(at));
  bytes.put(static_cast<char>(all[at] ^ 1));
  bytes.close();
  auto v = random_field(2, lattice);
  const auto before = v.get(queue);
  EXPECT_THAT(message([&] { load(file, "/u", queue, v); }), HasSubstr("checksum"));
  EXPECT_EQ(v.get(queue), before);
}

} // namespace
} // namespace ridge::io
