// The check of many sweeps finds what is wrong, and only that.
#include <ridge/device/generate.hpp>
#include <ridge/stencil/evolving.hpp>
#include <ridge/stencil/sweeps_check.hpp>

#include <gtest/gtest.h>

namespace ridge::stencil {
namespace {

class CheckedHeat {
public:
  CheckedHeat(Index3 n, const char* boundary, double rate, Index steps)
      : queue_(Device("cpu")), n_(n), boundaries_(parse_boundaries(boundary)),
        start_(queue_.device(), {n.x, n.y, n.z}), steps_(steps) {
    fill_random(queue_, start_.elements(), 1);
    sweeps_.emplace(queue_, heat(rate), std::vector<View<const double>>{start_.view()},
                    boundaries_);
    sweeps_->run(steps);
  }
  [[nodiscard]] static Laplacian<2, 3> heat(double rate) {
    return scaled_laplacian<2, 3>({}, rate, 1);
  }
  Check against(double rate) {
    return check_sweeps<double>(queue_, *sweeps_, reference_of<double>(heat(rate)),
                                traits_of<Laplacian<2, 3>, double>(), boundaries_, n_, steps_,
                                1e-13);
  }

private:
  Queue queue_;
  Index3 n_;
  Boundaries boundaries_;
  Field<double> start_;
  Index steps_;
  std::optional<Sweeps> sweeps_;
};

TEST(SweepsCheck, TakesWhatIsRight) {
  for (const char* const boundary :
       {"untouched", "x=periodic,y=mirror,z=neumann:1", "x=dirichlet:1,z=periodic"}) {
    for (const Index3 n : {Index3{40, 30, 50}, Index3{7, 9, 5}}) {
      const Check check = CheckedHeat(n, boundary, 0.1, 5).against(0.1);
      EXPECT_TRUE(check.ok) << boundary << ": " << check.message;
    }
  }
}

TEST(SweepsCheck, FindsAnotherEquation) {
  EXPECT_FALSE(CheckedHeat({40, 30, 50}, "x=periodic", 0.1, 5).against(0.1001).ok);
}

TEST(SweepsCheck, ComparesOnlyWhatTheCutDoesNotReach) {
  for (const CheckedBox& box : checked_boxes({100, 12, 100}, {2, 2, 2}, {}, 7)) {
    for (int axis = 0; axis < 3; ++axis) {
      const Index n = axis == 1 ? 12 : 100;
      EXPECT_TRUE(box.begin[axis] == 0 || box.right_begin[axis] - box.begin[axis] >= 14);
      EXPECT_TRUE(box.end[axis] == n || box.end[axis] - box.right_end[axis] >= 14);
    }
  }
}

} // namespace
} // namespace ridge::stencil
