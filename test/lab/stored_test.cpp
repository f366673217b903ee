// Stencils of fields in 16 bits: under every kind of schedule the bits are those of fp32's result,
// rounded. What is compared was compiled from the same functor in fp32.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/stencil/bench.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include "core/stored_checks.hpp"

#include <gmock/gmock.h>

namespace ridge::lab {
namespace {

template <class T>
std::vector<T> result_of(const stencil::CheckedKernel<T>& kernel, Queue& queue,
                         const std::vector<T>& start, const Extents& n, const char* schedule) {
  Field<T> in(queue.device(), n);
  Field<T> out(queue.device(), n);
  std::copy(start.begin(), start.end(), in.data());
  fill_bytes(queue, out.data(), 0xff, {n.count() * static_cast<Index>(sizeof(T))});
  const std::array<View<const T>, 1> inputs{View<const T>(in.view())};
  const auto asked =
      stencil::menu(kernel.traits(), n.xyz(), Place{queue.device()})->parse(schedule);
  const auto parsed =
      text::parse_held<stencil::Schedule>(asked.text, queue.device().kind() != DeviceKind::cpu);
  kernel.bind(queue, inputs, out.view(), &parsed, "stored").run();
  queue.wait();
  return {out.data(), out.data() + n.count()};
}

template <class S>
void expect_rounded(const stencil::Spacing& spacing, const char* device, Index nx,
                    const std::vector<const char*>& schedules) {
  const auto fp32 = stencil::checked<float>(stencil::Laplacian<2, 3>(spacing));
  const auto stored = stencil::stored_kernel<S>(*fp32);
  Queue queue{Device(device)};
  const Extents n{nx, 13, 12};
  std::vector<S> start;
  std::vector<float> numbers;
  for (Index i = 0; i < n.count(); ++i) {
    const double scale = i % 97 == 0 ? 3e4 : i % 31 == 0 ? 1e-6 : 1; // some results are infinite
    start.push_back(rounded_to<S>(static_cast<float>(random_value(7, i) * scale)));
    numbers.push_back(widened(start.back()));
  }
  const std::vector<float> right = result_of(*fp32, queue, numbers, n, "auto");
  for (const char* const schedule : schedules) {
    const std::vector<S> found = result_of(*stored, queue, start, n, schedule);
    Index infinite = 0;
    for (Index i = 0; i < n.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index x = i % n[0];
      const Index y = i / n[0] % n[1];
      const Index z = i / n[0] / n[1];
      const bool edge = x < 1 || x > n[0] - 2 || y < 1 || y > n[1] - 2 || z < 1 || z > n[2] - 2;
      if (edge) {
        ASSERT_EQ(static_cast<std::uint16_t>(found[at]), 0xffff) << schedule << " " << i;
        continue;
      }
      const double rounded = emulated_rounding<S>(right[at]);
      infinite += std::isinf(rounded) ? 1 : 0;
      ASSERT_TRUE(same_number(emulated_value(found[at]), rounded))
          << device << " " << schedule << " " << i << ": " << right[at];
    }
    EXPECT_EQ(infinite > 0, (std::is_same_v<S, Fp16>));
  }
}

template <class S>
void expect_rounded(const char* device, Index nx, const std::vector<const char*>& schedules) {
  (void)bench_kernels(); // say where the sources are
  // Products of these weights, -10.5, 4, 1 and 1/4, are exact in fp32: it makes no difference
  // whether a compiler rounds them or contracts them with sums.
  expect_rounded<S>({0.5, 1, 2}, device, nx, schedules);
#ifndef RIDGE_SANITIZED
  // Products of weights such as 16/9 are not. Sanitized builds compile fp32's kernel without
  // optimisation, which contracts nothing; the stored one is optimised whenever it is asked for.
  expect_rounded<S>({0.5, 0.75, 1.25}, device, nx, schedules);
#endif
}

TEST(StoredStencil, HasTheBitsOfRoundedFp32OnTheCpu) {
  expect_rounded<Fp16>("cpu", 75, {"auto", "store=nontemporal", "rows=3 planes=2"});
  expect_rounded<Bf16>("cpu", 80, {"auto"});
}

TEST(StoredStencil, HasTheBitsOfRoundedFp32OnGpus) {
  expect_rounded<Fp16>("simt:32", 80, {"auto", "stage=bulk", "tile=2 loads=packs"});
  expect_rounded<Fp16>("simt:32", 75, {"auto"});
  expect_rounded<Bf16>("simt:64", 80, {"stage=window"});
  try {
    expect_rounded<Bf16>("simt:64", 75, {"stage=window"});
    ADD_FAILURE() << "expected an error";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("multiples of 16 bytes; stage=none takes any"));
  }
}

TEST(StoredStencil, ChecksWhatItRan) {
  (void)bench_kernels();
  const BenchRequest request{Device("cpu"), Extents{70, 20, 18}, "bf16", "auto", {}};
  const auto made = stencil_case(
      "laplacian", stencil_kernel(stencil::Laplacian<2, 3>({0.5, 0.75, 1.25})), request);
  const AskedSchedule schedule = made->menu().asked("auto").front();
  made->poison();
  EXPECT_FALSE(made->check().ok); // not written
  const Program program = made->bind(schedule);
  program.run();
  const Check check = made->check();
  EXPECT_TRUE(check.ok) << check.message;
  const Record record = program.record();
  EXPECT_EQ(record.precision, "bf16");
  ASSERT_FALSE(record.details.empty());
  EXPECT_EQ(record.details.front().name, "arithmetic");
  EXPECT_EQ(record.details.front().text, "fp32");
  EXPECT_EQ(record.work.written.value, 2 * 68 * 18 * 16);
}

} // namespace
} // namespace ridge::lab
