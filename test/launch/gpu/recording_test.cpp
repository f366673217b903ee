// Binding while somebody records a graph of what the queue is given, as torch's own recipe does it
// on another stream than that of the warm-up: shown without a GPU up to the launch. What binding
// makes is made at once, and no part of the graph.
#include <ridge/chain/launch.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/recording.hpp>
#include <ridge/lattice/launch.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/stencil/launch.hpp>

#include "launch/architecture.hpp"
#include "launch/gpu/fake_gpu.hpp"
#include "launch/gpu/user_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ridge {
namespace {

class Recording : public ::testing::TestWithParam<test::Architecture> {
protected:
  void SetUp() override {
    if (const std::string missing = test::missing_for(GetParam()); !missing.empty())
      GTEST_SKIP() << missing;
    for (const char* const compiler : {"RIDGE_NVCC", "RIDGE_HIPCC"})
      setenv(compiler, "off", 1); // they would come first
  }
  void TearDown() override {
    test::fake_recording() = 0;
    for (const char* const compiler : {"RIDGE_NVCC", "RIDGE_HIPCC"})
      unsetenv(compiler);
  }
  /// Warms up on one queue, then binds and runs on another one that records.
  template <class Call>
  void require_binding(const Call& call, const typename Pattern<Call>::Schedule& schedule) {
    using Executed = std::remove_cvref_t<decltype(std::declval<Pattern<Call>>().call())>;
    know_source(typeid(Executed), RIDGE_TEST_KERNELS, "");
    Queue warm(device);
    Program(warm, call, schedule).run();
    Queue queue(device);
    test::fake_launches().clear();
    test::fake_recorded().clear();
    test::fake_recording() = 1;
    const Program program(queue, call, schedule);
    EXPECT_TRUE(test::fake_launches().empty());
    program.run();
    test::fake_recording() = 0;
    EXPECT_FALSE(test::fake_launches().empty());
    EXPECT_TRUE(test::fake_recorded().empty()) << "the graph would do it at each launch";
  }
  template <class Call>
  void require_binding(const Call& call) {
    require_binding(call, Pattern<Call>::default_schedule(device, call));
  }

  Device device{GetParam().kind == DeviceKind::cuda ? "cuda:0" : "hip:0"};
};

TEST_P(Recording, CountersAreZeroAtOnce) {
  Queue queue(device);
  test::fake_recording() = 1;
  for (const Index count : {100, 10000}) { // the second is other memory
    const auto* const counters = static_cast<const unsigned char*>(queue.counters(Bytes{count}));
    EXPECT_TRUE(std::all_of(counters, counters + count, [](unsigned char c) { return c == 0; }));
  }
  EXPECT_NE(queue.scratch(Bytes{1 << 20}), nullptr);
}

TEST_P(Recording, WhatIsSetNowIsNoPartOfIt) {
  Queue queue(device);
  Memory memory(device, Bytes{64}, "numbers");
  std::vector<unsigned char> numbers(64, 7);
  test::fake_recorded().clear();
  test::fake_recording() = 5;
  EXPECT_EQ(recording_of(queue), 5U);
  set_now(device, memory.data(), numbers.data(), memory.size());
  EXPECT_EQ(static_cast<const unsigned char*>(memory.data())[63], 7);
  EXPECT_TRUE(test::fake_recorded().empty());
}

TEST_P(Recording, AGraphWithinItIsPartOfIt) {
  Queue queue(device);
  int ran = 0;
  test::fake_recording() = 1;
  Graph graph(queue, [&] { ++ran; });
  EXPECT_EQ(ran, 0);
  graph.launch();
  EXPECT_EQ(ran, 1);
}

TEST_P(Recording, Stencils) {
  const Extents extents{64, 20, 10};
  Field<double> in(device, extents);
  Field<double> out(device, extents);
  const stencil::Call<mine::Mean, double> call{{}, {in.view()}, out.view()};
  require_binding(call, stencil::GpuSchedule{});
}

TEST_P(Recording, DirectSumsAndThoseOfEachPairOnce) {
  Field<float> x(device, Extents{3000});
  Field<float> sum(device, Extents{3000});
  const auto call = pairs::among_themselves<mine::Spring, pairs::Fp32>(
      {}, {Span<const float>(x.elements())}, {sum.elements()});
  pairs::GpuSchedule split; // whose parts meet in counters and scratch
  split.split = 4;
  require_binding(call, split);
  pairs::GpuSchedule s;
  s.form = pairs::Form::symmetric;
  s.block = 128;
  s.tile = 4;
  s.unroll = 2;
  require_binding(call, s);
}

TEST_P(Recording, Reductions) {
  const lattice::Lattice eight{Extents{8, 8, 8, 8}};
  lattice::Field<lattice::ColourVector<float>> x(device, eight);
  const lattice::DeviceResult<double> result(device);
  const auto call = lattice::reduce_call(mine::FourthPowers{}, x, result);
  lattice::GpuSchedule s;
  s.finish = lattice::Finish::last;
  require_binding(call, s); // counters
  s.finish = lattice::Finish::second;
  s.reduce = lattice::Passes::staged;
  s.components = lattice::Components::serial;
  s.items = 1;
  require_binding(call, s); // scratch
}

TEST_P(Recording, Chains) {
  const Extents extents{100, 7};
  Field<double> in(device, extents);
  Field<double> out(device, extents);
  chain::Request<mine::Smooth, double> request{{}, extents.xyz(), {}};
  request.views.set(mine::u, std::as_const(in).view()).set(mine::v, out.view());
  require_binding(request);
  require_binding(request, chain::GpuSchedule{}); // temporaries
  chain::GpuSchedule graph;
  graph.graph = chain::Graph::on;
  Queue queue(device);
  test::fake_recording() = 1;
  test::fake_launches().clear();
  const Program program(queue, request, graph);
  program.run();
  EXPECT_EQ(test::fake_launches().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Of, Recording, ::testing::Values(test::hopper, test::mi200),
                         test::name_of);

} // namespace
} // namespace ridge
