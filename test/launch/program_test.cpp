// Programs of any pattern, and kernels compiled on demand: shown with stencils.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/reference.hpp>

#include "devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ridge {
namespace {

using K = stencil::Laplacian<2, 3>;

class Programs : public ::testing::TestWithParam<std::string> {
protected:
  Programs() {
    fill_random(queue, in.elements(), 1);
    forget();
  }
  void forget() { fill_bytes(queue, out.data(), 0xff, Bytes{out.count() * 8}); }

  [[nodiscard]] stencil::Call<K, double> call() const { return {kernel, {in.view()}, out.view()}; }

  [[nodiscard]] std::vector<double> host(const Field<double>& field) {
    std::vector<double> values(static_cast<std::size_t>(field.count()));
    copy_to_host(queue, values.data(), field.data(), field.count());
    queue.wait();
    return values;
  }

  void expect_right() {
    const std::vector<double> u = host(in);
    const std::vector<double> got = host(out);
    std::vector<double> expected(u.size());
    stencil::apply_reference(kernel, std::array{View<const double>(u.data(), extents.xyz())},
                             View<double>(expected.data(), extents.xyz()));
    const View<const double> v(got.data(), extents.xyz());
    for (Index z = 1; z < extents[2] - 1; ++z) {
      for (Index y = 1; y < extents[1] - 1; ++y) {
        for (Index x = 1; x < extents[0] - 1; ++x) {
          const auto i = static_cast<std::size_t>(v.at(x, y, z));
          ASSERT_NEAR(got[i], expected[i], 1e-12) << x << " " << y << " " << z;
        }
      }
    }
  }

  Device device{GetParam()};
  Queue queue{device};
  Extents extents{40, 19, 11};
  K kernel{stencil::Spacing{0.5, 0.75, 1.25}};
  Field<double> in{device, extents};
  Field<double> out{device, extents};
};

TEST_P(Programs, RunAsOftenAsAskedAndSayWhatRan) {
  const Program program(queue, call(), "mine");
  for (int i = 0; i < 3; ++i) {
    forget();
    program.run();
    expect_right();
  }
  const Record record = program.record();
  EXPECT_EQ(record.pattern, "stencil");
  EXPECT_EQ(record.kernel, "mine");
  EXPECT_EQ(record.compiled, "ahead");
  EXPECT_EQ(record.work.items, 38 * 17 * 9);
  EXPECT_FALSE(record.timing);
}

TEST_P(Programs, TakeInputsThatBeginAnywhere) {
  // On GPUs as large as what marches by default, whose bulk copies begin at multiples of 16 bytes.
  const Index3 n = device.is_gpu() ? Index3{511, 128, 128} : Index3{39, 19, 11};
  const Extents whole{n.x + 1, n.y, n.z};
  const Field<double> from(device, whole);
  const Field<double> to(device, whole);
  fill_random(queue, from.elements(), 2);
  const View<double> u(from.data() + 1, n, n.x + 1, (n.x + 1) * n.y);
  const View<double> f(to.data() + 1, n, n.x + 1, (n.x + 1) * n.y);
  const Program program(queue, stencil::Call<K, double>{kernel, {u}, f});
  program.run();
  const std::vector<double> in_host = host(from);
  const std::vector<double> out_host = host(to);
  std::vector<double> expected(in_host.size());
  stencil::apply_reference(kernel,
                           std::array{View<const double>(in_host.data() + 1, n, u.row, u.plane)},
                           View<double>(expected.data() + 1, n, u.row, u.plane));
  for (Index z = 1; z < n.z - 1; z += 5) {
    for (Index y = 1; y < n.y - 1; y += 3) {
      for (Index x = 1; x < n.x - 1; ++x) {
        const auto i = static_cast<std::size_t>(1 + u.at(x, y, z));
        ASSERT_NEAR(out_host[i], expected[i], 1e-12) << x << " " << y << " " << z;
      }
    }
  }
}

TEST_P(Programs, GoIntoOneGraph) {
  const Field<double> twice(device, extents);
  fill_bytes(queue, twice.data(), 0, Bytes{twice.count() * 8});
  const Program first(queue, call());
  const Program second(queue, stencil::Call<K, double>{kernel, {out.view()}, twice.view()});
  Graph both(queue, [&] {
    first.run();
    second.run();
  });
  both.launch();
  queue.wait();
  expect_right();
  EXPECT_TRUE(std::isfinite(host(twice)[static_cast<std::size_t>(out.view().at(20, 9, 5))]));
}

TEST_P(Programs, CompileWhatIsNotThere) {
  const bool cpu = device.kind() == DeviceKind::cpu;
  const std::string unusual =
      cpu ? "depth=4" : "kernel1 tile=3 loads=ascending bounds=96 block=32x2x1";
  const auto schedule =
      stencil::parse_schedule(unusual, device, stencil::traits_of<K, double>(), extents.xyz())
          .schedule;
  EXPECT_FALSE(launch::is_ahead(queue, call(), schedule));
  const Program program(queue, call(), schedule);
  EXPECT_THAT(program.record().compiled, ::testing::AnyOf("now", "cached"));
  program.run();
  expect_right();
  // In the same process it is at hand.
  EXPECT_EQ(Program(queue, call(), schedule).record().compiled, "cached");
}

TEST_P(Programs, CompileNothingWhereNothingMayBe) {
  const launch::AheadOnly only;
  EXPECT_NO_THROW(Program(queue, call()));
  const bool cpu = device.kind() == DeviceKind::cpu;
  const auto schedule = stencil::parse_schedule(cpu ? "depth=4" : "kernel1 tile=5", device,
                                                stencil::traits_of<K, double>(), extents.xyz())
                            .schedule;
  EXPECT_THROW(Program(queue, call(), schedule), launch::NotAhead);
}

TEST_P(Programs, RefuseSchedulesOfOtherKindsOfDevice) {
  const bool cpu = device.kind() == DeviceKind::cpu;
  const stencil::Schedule other =
      cpu ? stencil::Schedule(stencil::GpuSchedule{}) : stencil::CpuSchedule{};
  EXPECT_THROW(Program(queue, call(), other), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Here, Programs, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

struct Unknown {
  static constexpr auto footprint = stencil::star<1>();
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return u(1, 0, 0);
  }
};

TEST(Kernels, ThatNobodyCompiledSayHowTheyAre) {
  const Device device("cpu");
  Queue queue(device);
  const Field<double> a(device, {8, 8, 8});
  const Field<double> b(device, {8, 8, 8});
  try {
    const Program program(queue, stencil::Call<Unknown, double>{{}, {a.view()}, b.view()});
    FAIL() << "a kernel without a source was bound";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("ridge_add_kernels"));
  }
}

} // namespace
} // namespace ridge
