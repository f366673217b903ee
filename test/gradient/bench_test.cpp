// Proofs of benchmarks: a failed one fails the check, and records say what it found.
#include <ridge/gradient/bench.hpp>
#include <ridge/lab/bench.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridge::gradient {
namespace {

TEST(ProvedBench, FailsWhereItsProofDoes) {
  for (const Proof& proof : {Proof{1e-15, 2}, Proof{1e-9, 2}, Proof{0, 0.9}}) {
    BenchKernel kernel = lab::find_bench_kernel("laplacian");
    prove_cases(kernel, proof);
    const BenchRequest request{Device("cpu"), {33, 9, 7}, "fp64", "auto", {}};
    RoofSource roof(request.device, false, false);
    const auto the_case = kernel.make_case(request, roof);
    the_case->poison();
    const AskedSchedule schedule = the_case->menu().parse("");
    const Program program = the_case->bind(schedule);
    program.run();
    const Check check = the_case->check();
    EXPECT_EQ(check.ok, proof.ok());
    EXPECT_EQ(check.message.empty(), proof.ok()) << check.message;
    Record record = program.record();
    the_case->complete(record, schedule);
    EXPECT_THAT(to_json(record), ::testing::HasSubstr("\"adjoint\":{\"dot_error\":"));
    EXPECT_THAT(to_json(record), ::testing::HasSubstr("\"slope\":"));
  }
}

TEST(ProvedBench, PassesOnWhatTheCaseFinds) {
  BenchKernel kernel = lab::find_bench_kernel("laplacian");
  prove_cases(kernel, {1e-15, 2});
  const BenchRequest request{Device("cpu"), {33, 9, 7}, "fp64", "auto", {}};
  RoofSource roof(request.device, false, false);
  const auto the_case = kernel.make_case(request, roof);
  the_case->poison();
  EXPECT_FALSE(the_case->check().ok); // nothing was launched
}

} // namespace
} // namespace ridge::gradient
