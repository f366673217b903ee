#include "report/chart.hpp"
#include "report/html.hpp"

#include <gtest/gtest.h>

namespace ridge::report {
namespace {

TEST(Html, EscapesWhateverTextHas) {
  EXPECT_EQ(escaped("<script>alert('a' & \"b\")</script>"),
            "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
  EXPECT_EQ(escaped(std::string("a\0b\n\x7f", 5)), "a\xef\xbf\xbd"
                                                   "b\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xc3\xa4"), "\xc3\xa4");
}

TEST(Html, WritesFiguresAsPeopleReadThem) {
  EXPECT_EQ(figure(6.6861e-4, "s"), "668.6 us");
  EXPECT_EQ(figure(3.19e12, "B/s"), "3.19 TB/s");
  EXPECT_EQ(figure(1.327e12, "interactions/s"), "1.327 T/s");
  EXPECT_EQ(figure(1000, "B"), "1 kB");
  EXPECT_EQ(figure(512, ""), "512");
  EXPECT_EQ(figure(0, "s"), "0 s");
  EXPECT_EQ(figure(std::nullopt, "s"), "-");
  EXPECT_EQ(tick_text(2e11, ""), "200 G");
  EXPECT_EQ(tick_text(0.1, ""), "0.1");
  EXPECT_EQ(tick_text(1e-4, "s"), "100 us");
  EXPECT_EQ(fraction_text(0.9654), "0.965");
  EXPECT_EQ(fraction_text(12.345), "12.3");
  EXPECT_EQ(place(12.345), "12.3");
  EXPECT_EQ(place(-0.01), "0");
}

TEST(Html, KnowsThePatterns) {
  EXPECT_EQ(pattern_name(pattern_index("lattice")), "lattice");
  EXPECT_EQ(pattern_name(pattern_index("something else")), "other");
}

TEST(LabelPlaces, PutsEachLabelWhereNothingIs) {
  LabelPlaces places({0, 0, 200, 200});
  EXPECT_EQ(places.label(100, 100, "ab"), "<text x=\"108\" y=\"104\">ab</text>");
  EXPECT_EQ(places.label(100, 100, "ab"), "<text x=\"92\" y=\"104\" class=\"end\">ab</text>");
  EXPECT_EQ(places.label(100, 100, "ab"), "<text x=\"100\" y=\"92\" class=\"mid\">ab</text>");
}

TEST(LabelPlaces, TakesWhatItShouldNotOnlyWhereThereIsNoOther) {
  LabelPlaces places({0, 0, 200, 200});
  places.discourage({105, 90, 200, 110});
  EXPECT_EQ(places.label(100, 100, "ab"), "<text x=\"92\" y=\"104\" class=\"end\">ab</text>");
  places.block({0, 0, 105, 200});
  places.block({0, 110, 200, 200});
  EXPECT_EQ(places.label(100, 100, "ab"), "<text x=\"108\" y=\"104\">ab</text>");
}

TEST(LabelPlaces, StaysInsideAndSaysWhenThereIsNoRoom) {
  LabelPlaces places({0, 0, 60, 40});
  EXPECT_EQ(places.label(58, 20, "ab"), "<text x=\"50\" y=\"24\" class=\"end\">ab</text>");
  places.block({0, 0, 60, 40});
  EXPECT_EQ(places.label(30, 20, "ab"), "");
  EXPECT_EQ(LabelPlaces({0, 0, 60, 40}).label(30, 20, "longer than there is room for"), "");
}

TEST(Chart, EscapesItsText) {
  EXPECT_EQ(svg_text(1, 2, Anchor::start, "<b>"), "<text x=\"1\" y=\"2\">&lt;b&gt;</text>");
}

} // namespace
} // namespace ridge::report
