// Tuning and its wisdom from C++, on the cpu; and how large the spaces are.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/model/description.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/model_access.hpp>
#include <ridge/tune/stencil.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace ridge::tune {
namespace {

using K = stencil::Laplacian<2, 3>;
using Call = stencil::Call<K, double>;

/// The process has one wisdom: it is in a folder of the test's.
class Automatic : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "wisdom-XXXXXX").string();
    folder = mkdtemp(name.data());
    setenv("RIDGE_WISDOM", (folder + "/wisdom").c_str(), 1);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }
  ~Automatic() override { unsetenv("RIDGE_TUNE"); }

  [[nodiscard]] Call call() const {
    return {K(stencil::Spacing{1, 1, 1}), {in.view()}, out.view()};
  }
  static SearchOptions few() {
    SearchOptions options;
    options.most = 4;
    return options;
  }

  inline static std::string folder;
  Device device{"cpu"};
  Queue queue{device};
  Field<double> in{device, {48, 40, 33}}, out{device, {48, 40, 33}};
};

TEST_F(Automatic, IsTheDefaultUntilItIsTunedAndThenWhatWasFound) {
  fill_random(queue, in.elements(), 1);
  const auto standard = Pattern<Call>::default_schedule(device, call());
  EXPECT_EQ(automatic(queue, call()), standard);

  const auto tuned = tune(queue, call(), Seconds{20}, "", few());
  const Found& found = tuned.tuned.found;
  EXPECT_EQ(found.measured, 4);
  EXPECT_TRUE(tuned.tuned.kept);
  EXPECT_EQ(found.standard.schedule, stencil::to_text(standard));
  EXPECT_EQ(stencil::to_text(tuned.schedule), found.best.schedule);
  EXPECT_EQ(automatic(queue, call()), tuned.schedule);
  const auto menu = menu_of(call(), Place{device});
  EXPECT_EQ(choose(question_of(queue, call(), *menu)).source, Choice::Source::wisdom);
  Program(queue, call(), automatic(queue, call())).run();
}

TEST_F(Automatic, MeasuresNothingWhereTuningIsOff) {
  setenv("RIDGE_TUNE", "off", 1);
  const auto before = automatic(queue, call());
  const auto tuned = tune(queue, call(), Seconds{20});
  EXPECT_EQ(tuned.tuned.found.measured, 0);
  EXPECT_FALSE(tuned.tuned.kept);
  EXPECT_EQ(tuned.schedule, before);
}

TEST_F(Automatic, KnowsAKernelByItsTypeAndPrecision) {
  const Key key = key_of(device, subject_of(call(), ""));
  EXPECT_EQ(key.kernel, "ridge::stencil::Laplacian<2, 3>");
  EXPECT_EQ(key.precision, "fp64");
  EXPECT_EQ(key.driver, "none");
  EXPECT_EQ(key.hash.size(), 32u);
  using Other = stencil::Call<stencil::Laplacian<4, 3>, double>;
  EXPECT_NE(key_of(device, {&typeid(Other), "", "fp64", {48, 40, 33}}).hash, key.hash);
  const Subject flat{&typeid(Call), "", "fp64", {48, 40, 1}};
  EXPECT_EQ(key_of(device, flat).size, (Extents{48, 40}));
}

TEST(Spaces, OfStencilsOnGpusAreLarge) {
  const stencil::Traits traits = stencil::traits_of<K, double>();
  for (const char* const gpu : {"h200", "mi250x-gcd"}) {
    const auto space = stencil::model_space(traits, model::shipped_description(gpu));
    EXPECT_GE(space.size(), 200u) << gpu;
  }
}

} // namespace
} // namespace ridge::tune
