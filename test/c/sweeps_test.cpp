// Sweeps from C have the bits of C++.
#include <ridge/comm/communicator.hpp>
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include <gtest/gtest.h>
#include <ridge.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int64_t extents[3] = {24, 12, 9};
constexpr std::size_t points = 24 * 12 * 9;
constexpr const char* around = "x=periodic,y-=dirichlet:0.5,y+=neumann:1,z=mirror";

std::vector<double> numbers(unsigned seed) {
  std::vector<double> all(points);
  for (std::size_t i = 0; i < points; ++i)
    all[i] = static_cast<double>((i + seed) * 7919 % 10007) / 10007;
  return all;
}

/// What C++ has after so many steps of a built-in kernel.
std::vector<std::vector<double>> by_cpp(const char* device, const char* kernel, double value,
                                        std::optional<double> dt, int64_t steps) {
  using namespace ridge;
  Queue queue{Device(device)};
  lab::EvolutionRequest request{kernel, 3, 8, {0.5, 0.75, 1.25}, value};
  const lab::Evolution evolution =
      lab::make_evolution(request, dt.value_or(0.9 * lab::stable_step(request)));
  std::vector<std::vector<double>> fields;
  std::vector<const void*> data;
  for (int i = 0; i < evolution.traits.inputs(); ++i)
    fields.push_back(numbers(static_cast<unsigned>(i)));
  for (const auto& field : fields)
    data.push_back(field.data());
  stencil::Boundaries boundaries = stencil::parse_boundaries(around);
  boundaries.spacing = request.spacing;
  const Index3 n{extents[0], extents[1], extents[2]};
  const auto alone = comm::alone();
  const auto schedule =
      stencil::parse_sweeps("auto", queue.device(), evolution.traits, boundaries, n, 1);
  const stencil::RankPart part(*alone, n, evolution.traits, boundaries,
                               schedule.pass ? stencil::sweeps_of(*schedule.pass) : 1);
  stencil::Sweeps sweeps = evolution.make(queue, data, part, schedule);
  sweeps.run(steps);
  for (int level = 0; level < evolution.levels; ++level)
    sweeps.read(level, View<double>(fields[static_cast<std::size_t>(level)].data(), n));
  queue.wait();
  return fields;
}

class Sweeps : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { ASSERT_EQ(ridge_queue_open(GetParam(), &queue), RIDGE_OK); }
  void TearDown() override {
    for (const ridge_field f : fields)
      EXPECT_EQ(ridge_field_free(f), RIDGE_OK);
    EXPECT_EQ(ridge_sweeps_free(sweeps), RIDGE_OK) << ridge_last_error();
    EXPECT_EQ(ridge_kernel_free(kernel), RIDGE_OK);
    EXPECT_EQ(ridge_queue_free(queue), RIDGE_OK);
  }
  void wrap(int count) {
    for (int i = 0; i < count; ++i) {
      arrays.push_back(numbers(static_cast<unsigned>(i)));
      fields.push_back(nullptr);
    }
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(ridge_field_wrap(queue, arrays[at].data(), RIDGE_DOUBLE, 3, extents, nullptr,
                                 &fields[at]),
                RIDGE_OK);
    }
  }
  int bind(const char* boundary = around, const char* schedule = nullptr) {
    return ridge_sweeps_bind(queue, kernel, fields.data(), fields.size(), boundary, schedule,
                             &sweeps);
  }

  ridge_queue queue = nullptr;
  ridge_kernel kernel = nullptr;
  ridge_sweeps sweeps = nullptr;
  std::vector<ridge_field> fields;
  std::vector<std::vector<double>> arrays;
};

TEST_P(Sweeps, OfHeat) {
  wrap(1);
  ASSERT_EQ(ridge_kernel_find("heat", "value=0.5 dt=0.03 hx=0.5 hy=0.75 hz=1.25", &kernel),
            RIDGE_OK)
      << ridge_last_error();
  ASSERT_EQ(bind(), RIDGE_OK) << ridge_last_error();
  ASSERT_EQ(ridge_sweeps_run(sweeps, 3), RIDGE_OK) << ridge_last_error();
  ASSERT_EQ(ridge_sweeps_run(sweeps, 4), RIDGE_OK);
  int64_t steps = 0;
  ASSERT_EQ(ridge_sweeps_steps(sweeps, &steps), RIDGE_OK);
  EXPECT_EQ(steps, 7);
  ASSERT_EQ(ridge_sweeps_read(sweeps), RIDGE_OK);
  ASSERT_EQ(ridge_queue_wait(queue), RIDGE_OK);
  EXPECT_EQ(arrays, by_cpp(GetParam(), "heat", 0.5, 0.03, 7));
  char record[8192];
  ASSERT_EQ(ridge_sweeps_record(sweeps, record, sizeof record, nullptr), RIDGE_OK);
  EXPECT_NE(std::strstr(record, "\"steps\":7"), nullptr) << record;
}

TEST_P(Sweeps, OfTwoTimeLevels) {
  wrap(2);
  ASSERT_EQ(ridge_kernel_find("wave", "hx=0.5 hy=0.75 hz=1.25", &kernel), RIDGE_OK);
  ASSERT_EQ(bind(), RIDGE_OK) << ridge_last_error();
  ASSERT_EQ(ridge_sweeps_run(sweeps, 5), RIDGE_OK) << ridge_last_error();
  ASSERT_EQ(ridge_sweeps_read(sweeps), RIDGE_OK);
  ASSERT_EQ(ridge_queue_wait(queue), RIDGE_OK);
  EXPECT_EQ(arrays, by_cpp(GetParam(), "wave", 1, std::nullopt, 5));
}

TEST_P(Sweeps, TakeTheStepsThatTheCommandTakes) {
  const auto refused = [&](const char* name, const char* settings, const char* part) {
    const bool found = ridge_kernel_find(name, settings, &kernel) == RIDGE_OK;
    EXPECT_TRUE(!found || bind() == RIDGE_USAGE) << name << ' ' << settings;
    EXPECT_NE(std::strstr(ridge_last_error(), part), nullptr) << ridge_last_error();
    EXPECT_EQ(ridge_kernel_free(found ? kernel : nullptr), RIDGE_OK);
    kernel = nullptr;
  };
  wrap(1);
  refused("heat", "dt=10",
          "heat: dt=10 is not stable; the largest stable step here is 0.166666667");
  refused("heat", "value=2 dt=0.1", "the largest stable step here is 0.0833333333");
  refused("heat", "dt=0", "heat: dt=0; a positive number is right");
  refused("heat", "dt=-1", "a positive number is right");
  refused("heat", "dt=nan", "NAME=NUMBER");
  refused("heat", "hx=0", "heat: hx=0; a distance of points from 1e-100 to 1e+100 is right");
  refused("heat", "hy=-1", "hy=-1; a distance of points");
  refused("laplacian", "hz=1e200", "hz=1e+200; a distance of points");
  arrays.clear();
  for (const ridge_field f : fields)
    EXPECT_EQ(ridge_field_free(f), RIDGE_OK);
  fields.clear();
  wrap(2);
  // The step of diffusion is that of its largest coefficient.
  for (double& k : arrays[1])
    k *= 50;
  ASSERT_EQ(ridge_kernel_find("diffusion", nullptr, &kernel), RIDGE_OK);
  ASSERT_EQ(bind(), RIDGE_OK) << ridge_last_error();
  ASSERT_EQ(ridge_sweeps_run(sweeps, 200), RIDGE_OK) << ridge_last_error();
  ASSERT_EQ(ridge_sweeps_read(sweeps), RIDGE_OK);
  ASSERT_EQ(ridge_queue_wait(queue), RIDGE_OK);
  for (const double u : arrays[0])
    EXPECT_LT(std::abs(u), 10);
}

TEST_P(Sweeps, AreRefusedWhereWrong) {
  wrap(2);
  const auto expect = [&](int code, int right, const char* part) {
    EXPECT_EQ(code, right);
    EXPECT_NE(std::strstr(ridge_last_error(), part), nullptr) << ridge_last_error();
  };
  EXPECT_EQ(ridge_kernel_find("laplacian", nullptr, &kernel), RIDGE_OK);
  expect(bind(), RIDGE_USAGE, "no kernel 'laplacian' evolves");
  EXPECT_EQ(ridge_kernel_free(kernel), RIDGE_OK);
  EXPECT_EQ(ridge_kernel_find("heat", "value=-1", &kernel), RIDGE_OK);
  expect(bind(), RIDGE_USAGE, "a positive number is right");
  EXPECT_EQ(ridge_kernel_free(kernel), RIDGE_OK);
  EXPECT_EQ(ridge_kernel_find("heat", nullptr, &kernel), RIDGE_OK);
  expect(bind(), RIDGE_USAGE, "heat takes 1 arrays, not 2");
  EXPECT_EQ(ridge_field_free(fields.back()), RIDGE_OK);
  fields.pop_back();
  expect(bind("x=round"), RIDGE_USAGE, "round");
  expect(bind(nullptr, "quick"), RIDGE_USAGE, "quick");
  expect(ridge_sweeps_run(nullptr, 1), RIDGE_BAD_HANDLE, "the handle of sweeps is null");
  ASSERT_EQ(bind(nullptr), RIDGE_OK) << ridge_last_error();
  expect(ridge_sweeps_run(sweeps, 0), RIDGE_USAGE, "steps=0");
  expect(ridge_program_run(reinterpret_cast<ridge_program>(sweeps)), RIDGE_BAD_HANDLE,
         "a handle of sweeps was given");
  EXPECT_EQ(ridge_queue_free(queue), RIDGE_OK);
  queue = nullptr;
  expect(ridge_sweeps_run(sweeps, 1), RIDGE_BAD_HANDLE, "the queue of the sweeps was freed");
}

INSTANTIATE_TEST_SUITE_P(All, Sweeps, testing::Values("cpu", "simt:32"), [](const auto& of) {
  return std::string(of.param, of.param[0] == 'c' ? 3 : 4);
});

} // namespace
