#include <ridge/core/error.hpp>
#include <ridge/stencil/boundary.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

std::string printed(const char* text) {
  return to_text(parse_boundaries(text));
}

TEST(Boundaries, PrintAndParse) {
  EXPECT_EQ(to_text(Boundaries{}), "untouched");
  EXPECT_EQ(printed("untouched"), "untouched");
  EXPECT_EQ(printed("x=periodic,y=dirichlet:0,z=neumann:0"),
            "x=periodic,y=dirichlet:0,z=neumann:0");
  EXPECT_EQ(printed("z+=mirror,x-=dirichlet:1,x+=neumann:-2.5e-3"),
            "x-=dirichlet:1,x+=neumann:-0.0025,z+=mirror");
  EXPECT_EQ(printed("x-=dirichlet:1,x+=dirichlet:1"), "x=dirichlet:1");
  EXPECT_EQ(printed("y-=dirichlet:walls.h5:/left"), "y-=dirichlet:walls.h5:/left");
  const Boundaries b = parse_boundaries("y-=dirichlet:walls.h5:/left,y+=neumann:3");
  EXPECT_EQ(b.faces[1][0].field, "walls.h5:/left");
  EXPECT_EQ(b.faces[1][1].value, 3);
  EXPECT_EQ(b.faces[0][0].kind, Boundary::untouched);
}

std::string refusal(const char* text) {
  try {
    (void)parse_boundaries(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Boundaries, SayWhatWouldBeRight) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("w=mirror"), HasSubstr("no axis 'w'; the axes are x, y and z"));
  EXPECT_THAT(refusal("x=mirror,x-=neumann:0"), HasSubstr("the face x- is given twice"));
  EXPECT_THAT(refusal("x-=periodic"), HasSubstr("periodic needs both faces, as in x=periodic"));
  EXPECT_THAT(refusal("x=dirichlet:warm"), HasSubstr("'warm' is no number"));
  EXPECT_THAT(refusal("x=dirichlet"), HasSubstr("is no number"));
  EXPECT_THAT(refusal("x=dirichlet:nan"), HasSubstr("finite"));
  EXPECT_THAT(refusal("x=neumann:walls.h5:/left"), HasSubstr("is no number"));
  EXPECT_THAT(refusal("x=mirror:1"), HasSubstr("takes no value"));
  EXPECT_THAT(refusal("x=open"), HasSubstr("there is no condition 'open'"));
  EXPECT_THAT(refusal(""), HasSubstr("expected a list"));
  EXPECT_THAT(refusal("x"), HasSubstr("expected a list"));
  EXPECT_THAT(refusal("x=mirror,"), HasSubstr("expected a list"));
}

void fit(const char* text, Offset radius, Index3 n) {
  require_fit(parse_boundaries(text), radius, n);
}

TEST(Boundaries, FitTheStencilAndTheField) {
  const Offset r{2, 2, 0};
  EXPECT_NO_THROW(fit("x=periodic,y=mirror", r, {1, 1, 1}));
  EXPECT_NO_THROW(fit("x=neumann:0,y=neumann:0", r, {2, 2, 1}));
  EXPECT_THROW(fit("x=neumann:0,y=mirror", r, {1, 1, 1}), UsageError);
  EXPECT_NO_THROW(fit("x=dirichlet:0,y=mirror", r, {3, 1, 1}));
  EXPECT_THROW(fit("x=dirichlet:0,y=mirror", r, {2, 1, 1}), UsageError);
  EXPECT_NO_THROW(fit("untouched", r, {5, 5, 1}));
  EXPECT_THROW(fit("untouched", r, {4, 5, 1}), UsageError);
  EXPECT_THROW(fit("x=mirror,y=mirror,z=mirror", r, {5, 5, 5}), UsageError);
  Boundaries b = parse_boundaries("x-=dirichlet:f.h5:/f,y=mirror");
  b.faces[0][0].values.resize(14);
  EXPECT_THROW(require_fit(b, {1, 1, 1}, {9, 3, 5}), UsageError);
  b.faces[0][0].values.resize(15);
  EXPECT_NO_THROW(require_fit(b, {1, 1, 1}, {9, 3, 5}));
}

} // namespace
} // namespace ridge::stencil
