// Files of configurations: what is written comes back bit by bit or is refused, and what was
// damaged is never taken for links.
#include <ridge/core/error.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/io/gauge_file.hpp>

#include "../io/hdf5/propagator_file.hpp"
#include "io/hdf5_handle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

namespace ridge::io {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class GaugeFiles : public ::testing::Test {
protected:
  GaugeFiles() { fs::create_directories(folder); }
  ~GaugeFiles() override { fs::remove_all(folder); }

  static GaugeConfiguration random_configuration(const Extents& extents) {
    GaugeConfiguration c{extents, {}, {}};
    for (Index i = 0; i < 4 * extents.count(); ++i)
      c.links.push_back(gauge::random_su3(7, i, 0.4));
    c.header = {{"ENSEMBLE_ID", "a = b\tc"}, {"EMPTY", ""}, {"\xe9t\xe9", "\xff"}};
    return c;
  }
  static std::vector<GaugeForm> forms() {
    std::vector<GaugeForm> all;
    for (const int bytes : {4, 8}) {
      for (const bool big : {false, true})
        for (const int rows : {2, 3})
          all.push_back({GaugeFormat::nersc, bytes, big, rows});
      all.push_back({GaugeFormat::ildg, bytes, true, 3});
      all.push_back({GaugeFormat::hdf5, bytes, true, 3});
    }
    return all;
  }
  static bool same_bits(const gauge::HostLinks& a, const gauge::HostLinks& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
  }
  static double largest_difference(const gauge::HostLinks& a, const gauge::HostLinks& b) {
    double largest = a.size() == b.size() ? 0 : infinity;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      for (int c = 0; c < 9; ++c) {
        const auto off = component(a[i], c) - component(b[i], c);
        largest = std::max({largest, std::abs(off.re), std::abs(off.im)});
      }
    }
    return largest;
  }
  static double& number(GaugeConfiguration& c, Index site, int mu, int component_of_link) {
    return component(c.links[static_cast<std::size_t>(4 * site + mu)], component_of_link).re;
  }
  static std::string said(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was refused";
  }
  /// What writing says; nothing may be left behind.
  [[nodiscard]] std::string refused(const GaugeConfiguration& c, const GaugeForm& form) const {
    const std::string text = said([&] { write_gauge_file(file, form, c); });
    EXPECT_TRUE(fs::is_empty(folder)) << text;
    return text;
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_bytes(const std::string& all) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << all;
  }
  [[nodiscard]] std::string checks() const {
    return said([&] { require_good(file, read_gauge_file(file)); });
  }

  const fs::path folder = fs::temp_directory_path() / ("ridge-gauge-" + std::to_string(getpid()));
  const fs::path file = folder / "lat";
};

TEST_F(GaugeFiles, GiveBackEveryBitThatTheyHold) {
  for (const Extents& extents : {Extents{2, 3, 1, 4}, Extents{1, 1, 1, 1}}) {
    for (const GaugeForm& form : forms()) {
      GaugeConfiguration c = random_configuration(extents);
      for (int k = 0; k < 9; ++k)
        component(c.links[1], k) = {k % 4 == 0 ? 1.0 : -0.0, -0.0};
      write_gauge_file(file, form, c);
      const GaugeFile read = read_gauge_file(file);
      EXPECT_EQ(checks(), "nothing was refused") << to_text(form);
      EXPECT_EQ(read.form, form);
      EXPECT_EQ(read.configuration.extents, extents);
      const auto& lines = read.configuration.header;
      for (const HeaderLine& line : c.header)
        EXPECT_EQ(std::count(lines.begin(), lines.end(), line), 1) << to_text(form) << line.key;
      for (std::size_t i = 0; i < c.links.size(); ++i) {
        for (int k = 0; k < 3 * form.rows; ++k) {
          for (const bool imaginary : {false, true}) {
            const auto part = [&](const auto& z) { return imaginary ? z.im : z.re; };
            const double given = part(component(c.links[i], k));
            const double right =
                form.real_bytes == 4 ? static_cast<double>(static_cast<float>(given)) : given;
            const double found = part(component(read.configuration.links[i], k));
            ASSERT_EQ(std::memcmp(&found, &right, sizeof right), 0) << to_text(form) << " " << i;
          }
        }
      }
      // Once more, what was read is what is read.
      write_gauge_file(file, form, read.configuration);
      EXPECT_TRUE(same_bits(read_gauge_file(file).configuration.links, read.configuration.links));
      fs::remove(file);
    }
  }
}

TEST_F(GaugeFiles, RefuseNumbersThatWouldNotComeBack) {
  for (const GaugeForm& form : forms()) {
    for (const double wrong : {nan, infinity, -infinity, 1e300}) {
      if (wrong == 1e300 && form.real_bytes == 8) continue;
      GaugeConfiguration c = random_configuration({2, 1, 1, 3});
      number(c, 5, 2, 3) = wrong;
      number(c, 5, 3, 3) = wrong;
      EXPECT_THAT(refused(c, form),
                  HasSubstr("lat: the link at site 5 along z is not finite in fp"))
          << to_text(form);
    }
  }
}

TEST_F(GaugeFiles, RefuseTwoRowsOfLinksThatHaveAThirdOfTheirOwn) {
  const GaugeForm two{GaugeFormat::nersc, 8, true, 2};
  GaugeConfiguration c = random_configuration({2, 1, 1, 3});
  for (const double factor : {-1.0, 2.0, 1.0001}) {
    GaugeConfiguration other = c;
    for (int k = 0; k < 9; ++k)
      component(other.links[9], k) = factor * component(c.links[9], k);
    EXPECT_THAT(refused(other, two), AllOf(HasSubstr("site 2 along y cannot be stored by two rows"),
                                           HasSubstr("three rows hold any link")));
    for (const GaugeForm& form : forms()) {
      if (form.rows == 2 || form.real_bytes == 4) continue;
      write_gauge_file(file, form, other);
      EXPECT_TRUE(same_bits(read_gauge_file(file).configuration.links, other.links));
      EXPECT_THAT(checks(), HasSubstr("distance from SU(3)"));
      fs::remove(file);
    }
  }
  // Rows that are not orthonormal come back where the third row is what readers make of them.
  GaugeFile read;
  write_gauge_file(file, two, c);
  read = read_gauge_file(file);
  auto& u = read.configuration.links[3];
  u(0, 0).re += 0.1;
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3;
    const int l = (j + 2) % 3;
    u(2, j) = conj(u(0, k) * u(1, l) - u(0, l) * u(1, k));
  }
  write_gauge_file(file, two, read.configuration);
  EXPECT_TRUE(same_bits(read_gauge_file(file).configuration.links, read.configuration.links));
}

TEST_F(GaugeFiles, RefuseLinesThatWouldNotComeBack) {
  const std::vector<std::pair<HeaderLine, const char*>> wrong{
      {{"A", "1\nB = 2"}, "'A' cannot be stored: it has a line break"},
      {{"A\nB", "1"}, "'A?B' cannot be stored: it has a line break"},
      {{"A", std::string("1\0002", 3)}, "zero byte"},
      {{"A", " 1"}, "blanks"},
      {{"A ", "1"}, "blanks"},
      {{"A", "1\r"}, "blanks"},
      {{"A=B", "1"}, "without ="},
      {{"", "1"}, "without ="},
      {{"EMPTY", "1"}, "twice"},
      {{"A", std::string(2 << 20, 'x')}, "cannot be stored: at most"}};
  for (const auto& [line, says] : wrong) {
    for (const GaugeForm& form : forms()) {
      GaugeConfiguration c = random_configuration({2, 1, 1, 1});
      c.header.push_back(line);
      EXPECT_THAT(refused(c, form), HasSubstr(says)) << to_text(form);
    }
  }
  for (const GaugeForm& form : forms()) { // just short enough, or refused
    GaugeConfiguration c = random_configuration({1, 1, 1, 1});
    for (const std::size_t length : {50000, 65000, 1000000, 1040000}) {
      c.header = {{"A", std::string(length, 'x')}};
      if (said([&] { write_gauge_file(file, form, c); }) != "nothing was refused") {
        EXPECT_FALSE(fs::exists(file));
        continue;
      }
      const auto lines = read_gauge_file(file).configuration.header;
      EXPECT_EQ(std::count(lines.begin(), lines.end(), c.header[0]), 1) << to_text(form) << length;
      fs::remove(file);
    }
  }
}

TEST_F(GaugeFiles, RefuseShapesThatWouldNotComeBack) {
  for (const GaugeForm& form : forms()) {
    GaugeConfiguration c = random_configuration({2, 1, 1, 1});
    c.links.pop_back();
    EXPECT_THAT(refused(c, form), HasSubstr("four links for each site of 2x1x1x1"));
    c.links.clear();
    c.extents = {1 << 21, 1, 1, 1};
    EXPECT_THAT(refused(c, form), HasSubstr("2097152 sites along x cannot be stored"));
    c.extents = {4, 4};
    EXPECT_THAT(refused(c, form), HasSubstr("four extents, not 2"));
  }
}

TEST_F(GaugeFiles, RepeatedKeysAreAskedAbout) {
  write_gauge_file(file, {}, random_configuration({2, 1, 1, 3}));
  const std::string good = bytes();
  for (const char* const key : {"PLAQUETTE", "ENSEMBLE_ID", "DIMENSION_1", "FLOATING_POINT"}) {
    const std::size_t at = good.find("END_HEADER");
    set_bytes(good.substr(0, at) + key + " = 7\n" + good.substr(at));
    EXPECT_THAT(checks(),
                AllOf(HasSubstr(std::string("its header's ") + key + " is given twice, as "),
                      HasSubstr("and 7; expected one line (the first counts)")));
    const auto lines = read_gauge_file(file).configuration.header;
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [&](const HeaderLine& line) { return line.key == key; }),
              1);
  }
}

/// A LIME record.
std::string record(const std::string& type, const std::string& data, unsigned char flags) {
  std::string all("\x45\x67\x89\xab\0\1", 6);
  all += static_cast<char>(flags);
  all += '\0';
  for (int i = 7; i >= 0; --i)
    all += static_cast<char>(data.size() >> 8 * i & 0xff);
  all += type + std::string(128 - type.size(), '\0') + data;
  return all + std::string((8 - data.size() % 8) % 8, '\0');
}

TEST_F(GaugeFiles, OnlyTheOneConfigurationOfAFileIsRead) {
  const GaugeForm ildg{GaugeFormat::ildg, 8, true, 3};
  write_gauge_file(file, ildg, random_configuration({2, 1, 1, 3}));
  const std::string one = bytes();
  set_bytes(one + one);
  EXPECT_THAT(checks(), AllOf(HasSubstr("it holds 2 configurations, ildg-binary-data at bytes "),
                              HasSubstr(": choose configuration 1 to 2")));
  // What else a file has, in messages of its own, may have a checksum, too.
  const std::string sums = "<suma>1</suma><sumb>2</sumb>";
  const std::string other =
      record("scidac-binary-data", "propagator", 0x80) + record("scidac-checksum", sums, 0x40);
  for (const std::string& both : {one + other, other + one}) {
    set_bytes(both);
    EXPECT_EQ(checks(), "nothing was refused");
    EXPECT_EQ(read_gauge_file(file).checks[0].what, "checksum");
  }
  // In the message of the links a second one is asked about.
  for (const char* const type : {"scidac-checksum", "ildg-format"}) {
    set_bytes(one + record(type, sums, 0));
    EXPECT_THAT(checks(), HasSubstr(std::string("it has two records ") + type));
  }
}

TEST_F(GaugeFiles, OneOfSeveralConfigurationsIsChosen) {
  const GaugeForm ildg{GaugeFormat::ildg, 8, true, 3};
  std::string both;
  std::vector<GaugeConfiguration> all;
  for (const Extents& extents : {Extents{2, 1, 1, 3}, Extents{1, 2, 2, 1}, Extents{2, 2, 1, 1}}) {
    all.push_back(random_configuration(extents));
    all.back().header = {{"NUMBER", std::to_string(all.size())}};
    if (all.size() == 3) all.back().header.clear();
    write_gauge_file(file, ildg, all.back());
    both += bytes();
  }
  set_bytes(both);
  for (int number = 1; number <= 3; ++number) {
    const GaugeFile read = read_gauge_file(file, number);
    const GaugeConfiguration& right = all[static_cast<std::size_t>(number - 1)];
    EXPECT_EQ(read.configuration.extents, right.extents) << number;
    EXPECT_EQ(read.configuration.header, right.header) << number;
    EXPECT_TRUE(same_bits(read.configuration.links, right.links)) << number;
    EXPECT_EQ(read.checks[0].what, "checksum");
    EXPECT_NO_THROW(require_good(file, read)) << number;
  }
  EXPECT_THROW((void)read_gauge_file(file, 4), UsageError);
  write_gauge_file(file, {}, all[0]); // NERSC
  EXPECT_EQ(read_gauge_file(file, 1).configuration.extents, all[0].extents);
  EXPECT_THROW((void)read_gauge_file(file, 2), UsageError);
}

/// Changes of a file's bytes, each another for another seed.
std::string damaged(std::string all, std::size_t from, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t at = from + below(all.size() - from);
  const std::size_t other = from + below(all.size() - from);
  const std::size_t size = 1 + below(std::min<std::size_t>(300, all.size() - std::max(at, other)));
  switch (random() % 6) {
  case 0:
    all.resize(at);
    break;
  case 1:
    all[at] = static_cast<char>(all[at] ^ (1 << below(8)));
    break;
  case 2:
    all[at] = static_cast<char>(random());
    break;
  case 3: // two pieces change places
    std::swap_ranges(all.begin() + static_cast<std::ptrdiff_t>(at),
                     all.begin() + static_cast<std::ptrdiff_t>(
                                       at + std::min(size, at > other ? at - other : other - at)),
                     all.begin() + static_cast<std::ptrdiff_t>(other));
    break;
  case 4:
    all.erase(at, size);
    break;
  default: // a piece twice
    all.insert(at, all.substr(other, size));
  }
  return all;
}

TEST_F(GaugeFiles, DamageIsSeenOrDoesNotMatter) {
  const GaugeConfiguration c = random_configuration({2, 1, 3, 2});
  std::mt19937_64 random(11);
  int seen = 0;
  for (const GaugeForm& form : forms()) {
    write_gauge_file(file, form, c);
    const gauge::HostLinks links = read_gauge_file(file).configuration.links;
    const std::string good = bytes();
    std::size_t from = 0;
    if (form.format == GaugeFormat::hdf5) { // of what is the library's the library is in charge
      const auto first = component(links[0], 0).re;
      const auto single = static_cast<float>(first);
      const std::string begin = form.real_bytes == 8
                                    ? std::string(reinterpret_cast<const char*>(&first), 8)
                                    : std::string(reinterpret_cast<const char*>(&single), 4);
      from = good.find(begin);
      ASSERT_NE(from, std::string::npos);
    }
    for (int i = 0; i < 60; ++i) {
      const std::string bad = damaged(good, from, random);
      if (bad == good) continue;
      set_bytes(bad);
      try {
        const GaugeFile read = read_gauge_file(file);
        require_good(file, read);
        EXPECT_EQ(read.configuration.extents, c.extents) << to_text(form) << " " << i;
        // The sum of a NERSC file does not see words that change places: only small ones may.
        EXPECT_TRUE(form.format == GaugeFormat::nersc
                        ? largest_difference(read.configuration.links, links) < 1e-4
                        : same_bits(read.configuration.links, links))
            << to_text(form) << " " << i;
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), HasSubstr("lat"));
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 400);
}

TEST_F(GaugeFiles, LinksOfOthersHaveNoChecksum) {
  const GaugeForm form{GaugeFormat::hdf5, 8, true, 3};
  const GaugeConfiguration c = random_configuration({2, 1, 1, 3});
  write_gauge_file(file, form, c);
  const auto change = [&](const std::function<void(hid_t)>& what) {
    const Handle open(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Handle dataset(H5Dopen2(open.id(), "/links", H5P_DEFAULT), H5Dclose);
    what(dataset.id());
  };
  change([](hid_t dataset) { H5Adelete(dataset, "ridge_checksum"); });
  EXPECT_THAT(checks(), HasSubstr("the attribute ridge_checksum of /links, which is not there"));
  EXPECT_TRUE(same_bits(read_gauge_file(file).configuration.links, c.links));
  change([](hid_t dataset) { // of several numbers
    const hsize_t several = 5;
    const Handle space(H5Screate_simple(1, &several, nullptr), H5Sclose);
    const Handle made(
        H5Acreate2(dataset, "ridge_checksum", H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
  });
  EXPECT_THAT(checks(), HasSubstr("which is not there"));
}

TEST_F(GaugeFiles, StartsOfPropagatorsAreNumbers) {
  const Extents extents{2, 1, 1, 1};
  Column column(2);
  for (int c = 0; c < propagator_columns; ++c)
    component(column[1], c) = {1.0, -1.0};
  {
    PropagatorWriter writer(file, extents);
    for (int c = 0; c < propagator_columns; ++c) {
      if (c == 3) component(column[1], 5).im = nan;
      writer.write(c, column);
    }
    writer.finish({{}, {}, 1e-8, {0, 0, 0, 0}, "lat", "periodic", {0.0}, {Index{0}}, {}});
  }
  PropagatorReader reader(file, extents);
  EXPECT_EQ(component(reader.read(2)[1], 5).im, -1.0);
  EXPECT_THAT(said([&] { (void)reader.read(3); }),
              HasSubstr("column 3 of its /propagator has numbers that are not finite"));
}

} // namespace
} // namespace ridge::io
