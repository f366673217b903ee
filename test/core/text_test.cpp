#include <ridge/core/text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ridge::text {
namespace {

using ::testing::HasSubstr;

enum class Colour { red, green };
constexpr auto enum_names(Colour) {
  return std::array<std::string_view, 2>{"red", "green"};
}

struct Pair {
  int a = 1, b = 1;
  static constexpr std::string_view form = "A:B";
  [[nodiscard]] constexpr bool possible() const { return a > 0 && b > 0; }
  friend bool operator==(const Pair&, const Pair&) = default;
};
std::string to_text(const Pair& p) {
  return std::to_string(p.a) + ":" + std::to_string(p.b);
}
bool from_text(std::string_view text, Pair& p) {
  const auto colon = text.find(':');
  return colon != std::string_view::npos && value_from_text(text.substr(0, colon), p.a) &&
         value_from_text(text.substr(colon + 1), p.b);
}

struct Plan {
  int tile = 4;
  int split = 1;
  Colour colour = Colour::green;
  Pair pair;
  friend bool operator==(const Plan&, const Plan&) = default;
  static constexpr auto fields() {
    return Fields{field("tile", &Plan::tile, one_of(1, 4, 8), "points a thread"),
                  field("split", &Plan::split, in_range(1, 64, 1, 2), "parts"),
                  field("colour", &Plan::colour, one_of(Colour::red, Colour::green), "paint"),
                  field("pair", &Plan::pair, open(Pair{1, 1}, Pair{2, 3}), "two numbers")};
  }
  static std::string problem(const Plan& p) {
    return p.tile == 8 && p.split == 2 ? "tile=8 cannot be split in two" : "";
  }
};

/// The message of the UsageError that parsing `text` throws.
std::string complaint(std::string_view text) {
  try {
    (void)parse<Plan>(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Text, PrintsEveryFieldInOrder) {
  EXPECT_EQ(print(Plan{}), "tile=4 split=1 colour=green pair=1:1");
}

TEST(Text, ParsesInAnyOrderOverDefaults) {
  Plan expected;
  expected.colour = Colour::red;
  expected.split = 64;
  EXPECT_EQ(parse<Plan>("split=64  colour=red"), expected);
  EXPECT_EQ(parse<Plan>(" colour=red split=64 "), expected);
  EXPECT_EQ(parse<Plan>(""), Plan{});
  EXPECT_EQ(parse<Plan>("tile=1", expected).split, 64);
}

TEST(Text, PrintedSchedulesParseToThemselves) {
  for (const Plan& p : space<Plan>())
    EXPECT_EQ(parse<Plan>(print(p)), p) << print(p);
}

TEST(Text, SpaceHasEachPossibleCombinationOnce) {
  const auto all = space<Plan>();
  EXPECT_EQ(all.size(), 3u * 2 * 2 * 2 - 4);
  std::set<std::string> distinct;
  for (const Plan& p : all)
    distinct.insert(print(p));
  EXPECT_EQ(distinct.size(), all.size());
}

TEST(Text, ErrorsListWhatIsRight) {
  EXPECT_THAT(complaint("title=4"), HasSubstr("the fields are tile, split, colour, pair"));
  EXPECT_THAT(complaint("tile=3"), HasSubstr("expected 1, 4, 8"));
  EXPECT_THAT(complaint("split=65"), HasSubstr("expected 1 to 64"));
  EXPECT_THAT(complaint("colour=blue"), HasSubstr("expected red, green"));
  EXPECT_THAT(complaint("pair=0:1"), HasSubstr("A:B"));
  EXPECT_THAT(complaint("tile"), HasSubstr("expected 1, 4, 8"));
  EXPECT_THAT(complaint("tile=1 tile=4"), HasSubstr("given twice"));
  EXPECT_THAT(complaint("tile=8 split=2"), HasSubstr("cannot be split"));
  EXPECT_THAT(complaint("tile=1x"), HasSubstr("expected 1, 4, 8"));
}

TEST(Text, HelpNamesFieldsValuesAndMeaning) {
  EXPECT_THAT(help<Plan>(), HasSubstr("colour=red, green: paint"));
}

} // namespace
} // namespace ridge::text
