// Wherever a schedule with a name is much faster, the doctor names a cause: over all of them of all
// built-in kernels, small and large, on devices that need not be here.
#include <ridge/doctor/diagnosis.hpp>
#include <ridge/lab/bench.hpp>

#include <gtest/gtest.h>

namespace ridge::doctor {
namespace {

std::vector<Extents> sizes_of(const lab::BenchKernel& kernel) {
  if (kernel.pattern == "lattice") return {{4, 4, 4, 4}, {32, 32, 32, 32}};
  if (kernel.pattern == "pairs") return {{300}, {16384}, {262144}};
  if (kernel.name.starts_with("elements")) return {kernel.default_size};
  if (kernel.name == "running-sum" || kernel.name == "tridiagonal")
    return {{300, 30}, kernel.default_size};
  if (kernel.pattern == "chain") return {{1000}, {100000}, {100000000}};
  return {{48, 40, 36}, {1024, 1024, 512}};
}

void examine(const lab::BenchKernel& kernel, const char* on, const Extents& size,
             const std::string& precision) {
  const model::Description d = model::shipped_description(on);
  const Device stand_in(d.warp_width == 64 ? "simt:64" : "simt:32");
  const auto menu =
      kernel.make_menu({stand_in, size, precision, "auto", {}}, Place{stand_in, d, false});
  for (const NamedText& p : menu->named()) {
    const Findings found = diagnose(*menu, p.text);
    EXPECT_FALSE(found.is_unexplained())
        << kernel.name << ' ' << precision << ' ' << to_text(size) << " on " << on << " under "
        << p.name << ": " << p.text << " bound by " << found.time.roof << "; "
        << found.best.predicted_gain << " times as fast: " << found.best.fix;
  }
}

TEST(NamedSchedules, AreRefusedAnExplanationWhereNoCauseHolds) {
  Findings found;
  found.best.predicted_gain = 1.3;
  EXPECT_TRUE(found.is_unexplained());
  found.best.predicted_gain = 1.1;
  EXPECT_FALSE(found.is_unexplained());
  found.best.predicted_gain = 1.3;
  found.diagnoses.emplace_back();
  EXPECT_FALSE(found.is_unexplained());
}

#if defined(RIDGE_SANITIZED)
/// Sanitizers look at the code that every kernel takes, not at what is found for each device and
/// size: each kernel once, devices, sizes and precisions in turn. Builds without them examine all.
TEST(NamedSchedules, AreExaminedOnceForEveryKernel) {
  int turn = 0;
  for (const lab::BenchKernel& kernel : lab::bench_kernels()) {
    if (!kernel.make_menu) continue;
    const std::vector<Extents> sizes = sizes_of(kernel);
    const Extents& size = sizes[static_cast<std::size_t>(turn) % sizes.size()];
    const bool on_h200 = turn % 3 != 0 || (size.rank() == 3 && size.count() < 1000000);
    const bool stencil = size.rank() == 3;
    const bool fp32 = stencil ? size.count() < 1000000 : turn % 2 == 0;
    examine(kernel, on_h200 ? "h200" : "mi250x-gcd", size, fp32 ? "fp32" : "fp64");
    ++turn;
  }
}
#else
TEST(NamedSchedules, ThatAreMuchFasterHaveACause) {
  for (const lab::BenchKernel& kernel : lab::bench_kernels()) {
    if (!kernel.make_menu) continue;
    for (const char* const on : {"h200", "mi250x-gcd"}) {
      for (const Extents& size : sizes_of(kernel)) {
        const bool small = size.count() < 1000000;
        const bool stencil = size.rank() == 3; // whose model's choice takes a while
        if (stencil && small && on != std::string_view("h200")) continue;
        if (!stencil || !small) examine(kernel, on, size, "fp64");
        if (!stencil || small) examine(kernel, on, size, "fp32");
      }
    }
  }
}
#endif

} // namespace
} // namespace ridge::doctor
