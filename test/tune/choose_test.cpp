// What `auto` means: wisdom of this size, of one nearby, or the default.
#include <ridge/core/error.hpp>
#include <ridge/tune/choose.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ridge::tune {
namespace {

using ::testing::HasSubstr;
using Source = Choice::Source;

class Choosing : public ::testing::Test {
protected:
  Choosing() {
    std::string name = (std::filesystem::temp_directory_path() / "wisdom-XXXXXX").string();
    folder = mkdtemp(name.data());
    wisdom = std::make_unique<Wisdom>(folder + "/wisdom");
  }
  ~Choosing() override { std::filesystem::remove_all(folder); }

  static Key key(Index n) {
    return {"heat", "fp64", {n, n, n}, "", "cpu, 2 units", "none", "g++", "1"};
  }
  void know(Index n, const std::string& schedule, double gain = 1.5) {
    wisdom->keep({key(n), schedule, 1e-3, gain});
  }
  [[nodiscard]] Choice choose(const Question& q) const { return tune::choose(q, *wisdom); }

  std::string folder;
  std::unique_ptr<Wisdom> wisdom;
};

TEST_F(Choosing, TakesTheDefaultWhereNothingIsKnown) {
  const Choice choice = choose({key(64)});
  EXPECT_EQ(choice.source, Source::standard);
  EXPECT_EQ(choice.schedule, "auto");
  EXPECT_EQ(choice.note, "");
  EXPECT_EQ(source_text(choice), "default");
}

TEST_F(Choosing, TakesWisdomOfThisVerySize) {
  know(64, "tile=4");
  know(65, "tile=8");
  const Choice choice = choose({key(64)});
  EXPECT_EQ(choice.source, Source::wisdom);
  EXPECT_EQ(choice.schedule, "tile=4");
  EXPECT_EQ(source_text(choice), "wisdom");
}

TEST_F(Choosing, TakesWisdomOfASizeNearbyWhereNoModelKnowsBetter) {
  know(64, "tile=4");
  const Choice choice = choose({key(100)});
  EXPECT_EQ(choice.source, Source::near);
  EXPECT_EQ(choice.schedule, "tile=4");
  EXPECT_EQ(source_text(choice), "wisdom of 64x64x64");
  EXPECT_EQ(choose({key(129)}).source, Source::standard) << "more than twice as far along an axis";
  EXPECT_EQ(choose({key(31)}).source, Source::standard);
}

TEST_F(Choosing, DoesNotTakeASlowerOneFromNearby) {
  know(64, "tile=4", 1.0); // the default itself, or as good
  EXPECT_EQ(choose({key(65)}).source, Source::standard);
}

TEST_F(Choosing, CarriesTheMeasuredGainOverByTheModel) {
  know(64, "tile=4", 1.5);
  Question q{key(256)};
  // Of the found schedule the model expects 1.5 there; here as much as `gain`.
  double gain = 0;
  q.cost = [&](const std::string& schedule, const Extents& size) -> std::optional<double> {
    if (schedule == "auto") return 3;
    return 3 / (size[0] == 64 ? 1.5 : gain);
  };
  gain = 1.2;
  EXPECT_EQ(choose(q).source, Source::near) << "though it is four times as large";
  gain = 0.9;
  EXPECT_EQ(choose(q).source, Source::standard);
}

TEST_F(Choosing, PassesOverWhatTheModelHasNoRoomFor) {
  know(64, "tile=4");
  Question q{key(100)};
  q.cost = [&](const std::string&, const Extents&) -> std::optional<double> {
    throw UsageError("no room");
  };
  EXPECT_EQ(choose(q).source, Source::standard);
}

TEST_F(Choosing, DoesNotTakeWhatCannotRunHere) {
  know(64, "tile=4");
  Question q{key(64)};
  q.require = [](const std::string& schedule) {
    if (schedule == "tile=4") throw Failure("there is no nvcc");
  };
  const Choice choice = choose(q);
  EXPECT_EQ(choice.source, Source::standard);
  EXPECT_THAT(choice.note, HasSubstr("there is no nvcc"));
  q.key = key(70);
  EXPECT_EQ(choose(q).source, Source::standard);
}

TEST_F(Choosing, SaysWhyWisdomIsNotUsed) {
  know(64, "tile=4");
  Question q{key(64)};
  q.key.driver = "560";
  const Choice choice = choose(q);
  EXPECT_EQ(choice.source, Source::standard);
  EXPECT_THAT(choice.note, HasSubstr("the driver was none and is 560"));
}

// The tuned rows of part 4 of AMD's Laplacian series ship; `auto` begins there.
TEST_F(Choosing, BeginsWithWhatWasPublishedForTheCard) {
  const auto on = [&](const char* device, Index n = 512) {
    Question q{key(n)};
    q.key.kernel = "laplacian";
    q.key.device = device;
    return q;
  };
  struct Row {
    const char *device, *begins;
  };
  for (const Row& row :
       {Row{"AMD Radeon RX 6900 XT, 80 units", "block=256x1x1 tile=16 loads=ascending bounds=256 "},
        Row{"AMD Radeon RX 7900 XTX, 96 units", "block=256x1x1 tile=8 loads=ascending bounds=256 "},
        Row{"AMD Instinct MI50/MI60, 60 units", "block=256x1x1 tile=4 loads=ascending bounds=256 "},
        Row{"AMD Instinct MI100, 120 units", "block=128x1x1 tile=4 loads=ascending bounds=128 "},
        Row{"AMD Instinct MI210, 104 units", "block=256x1x1 tile=8 loads=ascending bounds=256 "},
        Row{"AMD Instinct MI250, 104 units", "block=256x1x1 tile=8 loads=ascending bounds=256 "},
        Row{"AMD Instinct MI250X, 110 units",
            "block=256x1x1 tile=8 loads=ascending bounds=256 "}}) {
    const Choice choice = choose(on(row.device));
    EXPECT_EQ(choice.source, Source::published) << row.device;
    EXPECT_TRUE(choice.schedule.starts_with(row.begins)) << choice.schedule;
    EXPECT_EQ(source_text(choice), "AMD's lab notes, 512x512x512");
  }
  for (const char* other :
       {"NVIDIA H200, 132 units", "AMD Instinct MI300X, 304 units", "cpu, 2 units"})
    EXPECT_EQ(choose(on(other)).source, Source::standard) << other;

  Question q = on("AMD Instinct MI250X, 110 units", 1024);
  q.cost = [](const std::string& schedule, const Extents&) {
    return schedule == "auto" ? 1.0 : 1.02;
  };
  EXPECT_EQ(choose(q).source, Source::published);
  q.cost = [](const std::string& schedule, const Extents&) {
    return schedule == "auto" ? 1.0 : 2.0;
  };
  EXPECT_EQ(choose(q).source, Source::standard)
      << "planes are gone there, and the default knows it";
  q.cost = {};
  q.require = [](const std::string&) { throw UsageError("no compiler"); };
  EXPECT_EQ(choose(q).source, Source::standard);
  Question heat = on("AMD Instinct MI250X, 110 units");
  heat.key.kernel = "heat";
  EXPECT_EQ(choose(heat).source, Source::standard);

  // What was tuned here wins.
  Key own = on("AMD Instinct MI250X, 110 units").key;
  wisdom->keep({own, "tile=2", 1e-3, 1.5});
  EXPECT_EQ(choose({own}).source, Source::wisdom);
}

} // namespace
} // namespace ridge::tune
