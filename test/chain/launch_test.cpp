// Bound chains: run as often as asked, recorded, in graphs, with other parameters.
#include <ridge/chain/flow.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/chain/menu.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>

#include "allocations.hpp"
#include "devices.hpp"
#include "test_chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ridge::chain {
namespace {

using test::Transport;

/// A transport over random amounts.
class Air {
public:
  explicit Air(const Device& device, Index3 n = {37, 11, 1})
      : queue(device), n_(n), before_(device, {n.x, n.y}), speeds_(device, {1, n.y + 1}),
        after_(device, {n.x, n.y}) {
    fill_random(queue, before_.elements(), 1);
    fill_random(queue, speeds_.elements(), 2);
    poison();
  }

  [[nodiscard]] Request<Transport, double> request(double scale = 0.7) const {
    Request<Transport, double> r{{{test::Flux{scale}, test::Move{}}}, n_, {}};
    r.views.set(test::amount, before_.view()).set(test::speed, speeds_.view());
    r.views.set(test::after, after_.view());
    return r;
  }
  void poison() {
    fill_bytes(queue, after_.data(), 0xff, Bytes{after_.count() * Index{sizeof(double)}});
  }
  [[nodiscard]] std::vector<double> results() {
    std::vector<double> got(static_cast<std::size_t>(after_.count()));
    copy_to_host(queue, got.data(), after_.data(), after_.count());
    queue.wait();
    return got;
  }
  void expect(double scale) {
    std::array<std::vector<double>, 4> all;
    for (Index i = 0; i < before_.count(); ++i)
      all[0].push_back(random_value(1, i));
    for (Index i = 0; i < speeds_.count(); ++i)
      all[1].push_back(random_value(2, i));
    apply_reference(Transport{{test::Flux{scale}, test::Move{}}}, n_, all);
    const auto got = results();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], all[3][i], 1e-14) << i;
  }

  Queue queue;

private:
  Index3 n_;
  Field<double> before_, speeds_, after_;
};

std::vector<Schedule> few_schedules(const Device& device, Index3 n) {
  const Description d = describe<Transport, double>();
  std::vector<Schedule> all;
  for (const NamedSchedule& s : named_schedules(device, d, n))
    all.push_back(s.schedule);
  all.push_back(default_schedule(device, d, n));
  if (device.kind() != DeviceKind::cpu)
    all.push_back(parse_schedule("fission graph=on", device, d, n).schedule);
  return all;
}

class BoundChains : public ::testing::TestWithParam<std::string> {};

TEST_P(BoundChains, RunAsOftenAsAsked) {
  Air air{Device(GetParam())};
  for (const Schedule& s : few_schedules(air.queue.device(), {37, 11, 1})) {
    const Program program(air.queue, air.request(), s);
    for (int i = 0; i < 3; ++i) {
      air.poison();
      program.run();
      air.expect(0.7);
    }
  }
}

TEST_P(BoundChains, AreRecorded) {
  Air air{Device(GetParam())};
  for (const Schedule& s : few_schedules(air.queue.device(), {37, 11, 1})) {
    const Record record = Program(air.queue, air.request(), s).record();
    EXPECT_EQ(record.pattern, "chain");
    EXPECT_EQ(record.kernel, "transport");
    EXPECT_EQ(record.schedule, to_text(s));
    EXPECT_EQ(record.size, (Extents{37, 11}));
    EXPECT_EQ(record.precision, "fp64");
    EXPECT_EQ(record.compiled, "ahead");
    EXPECT_EQ(record.work.written.value, 37 * 11 * 8);
    EXPECT_EQ(record.work.read.value, (37 * 11 + 12) * 8);
    EXPECT_EQ(record.details.front().name, "operations");
  }
  EXPECT_EQ(Program(air.queue, air.request(), "wind").record().kernel, "wind");
}

template <class T>
void expect_recorded_as(const std::string& precision) {
  const Device cpu("cpu");
  Queue queue(cpu);
  const Index3 n{37, 11, 1};
  Field<T> before(cpu, {n.x, n.y});
  Field<T> speeds(cpu, {1, n.y + 1});
  Field<T> after(cpu, {n.x, n.y});
  Request<Transport, T> request{{}, n, {}};
  request.views.set(test::amount, before.view()).set(test::speed, speeds.view());
  request.views.set(test::after, after.view());
  EXPECT_EQ(subject_of(request, "").precision, precision);
  using Bound = Pattern<Request<Transport, T>>;
  const Schedule schedule = Bound::default_schedule(cpu, request);
  const Record record = Bound(queue, request, schedule).record(cpu, schedule, "user");
  EXPECT_EQ(record.precision, precision);
  const auto says = [&](const Detail& d) { return d.name == "arithmetic" && d.text == "fp32"; };
  EXPECT_EQ(std::count_if(record.details.begin(), record.details.end(), says),
            sizeof(T) == 2 ? 1 : 0);
}

TEST(RecordsOfChains, SayWhichNumbersTheyAreOf) {
  expect_recorded_as<double>("fp64");
  expect_recorded_as<float>("fp32");
  expect_recorded_as<Fp16>("fp16");
  expect_recorded_as<Bf16>("bf16");
}

TEST_P(BoundChains, ShareAGraph) {
  const Device device(GetParam());
  Air one(device);
  Air other(device, {8, 5, 1});
  const Program first(one.queue, one.request(0.5));
  const Program second(one.queue, other.request(0.25));
  ridge::Graph graph(one.queue, [&] {
    first.run();
    second.run();
  });
  for (int i = 0; i < 2; ++i) {
    one.poison();
    other.poison();
    other.queue.wait();
    graph.launch();
    one.queue.wait();
    one.expect(0.5);
    other.expect(0.25);
  }
}

TEST_P(BoundChains, TakeOtherParametersWithoutOtherMemory) {
  Air air{Device(GetParam())};
  for (const Schedule& s : few_schedules(air.queue.device(), {37, 11, 1})) {
    Program program(air.queue, air.request(0.7), s);
    const Bytes held = air.queue.held();
    program = Program(air.queue, air.request(0.3), s);
    EXPECT_EQ(air.queue.held().value, held.value);
    program.run();
    air.expect(0.3);
  }
}

INSTANTIATE_TEST_SUITE_P(Chain, BoundChains, ::testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName{});

TEST(BoundChains, AllocateNothingWhenTheyRunOnTheCpu) {
  Air air{Device("cpu")};
  for (const Schedule& s : few_schedules(air.queue.device(), {37, 11, 1})) {
    const Program program(air.queue, air.request(), s);
    program.run();
    const long before = ridge::test::allocations();
    for (int i = 0; i < 10; ++i)
      program.run();
    EXPECT_EQ(ridge::test::allocations() - before, 0) << to_text(s);
  }
}

/// Any group of operations has a kernel once it is asked for.
TEST(GroupsOnDemand, ComputeTheSame) {
  using C = test::Demanded;
  const Index3 n{45, 6, 1};
  for (const DeviceId id : list_devices()) {
    const Device device(id);
    Queue queue(device);
    const Field<double> in(device, {n.x, n.y});
    const Field<double> out(device, {n.x, n.y});
    fill_random(queue, in.elements(), 1);
    Request<C, double> request{{}, n, {}};
    request.views.set(Slot<0>{}, in.view()).set(Slot<4>{}, out.view());
    const Description d = describe<C, double>();
    const char* const tile =
        device.kind() == DeviceKind::cpu ? "fuse=1+2 tile=7x2" : "fuse=1+2 tile=20x2 block=32x2x1";
    const Program program(queue, request, parse_schedule(tile, device, d, n).schedule);
    program.run();
    EXPECT_EQ(program.record().compiled, "ahead");
    std::array<std::vector<double>, 5> expected;
    for (Index i = 0; i < in.count(); ++i)
      expected[0].push_back(random_value(1, i));
    apply_reference(C{}, n, expected);
    std::vector<double> got(static_cast<std::size_t>(out.count()));
    copy_to_host(queue, got.data(), out.data(), out.count());
    queue.wait();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], expected[4][i], 1e-14) << i << " on " << to_text(id);
  }
}

TEST(GroupsOnDemand, AreNamedAsTheirPlanHasThem) {
  const Index3 n{45, 6, 1};
  const auto definition = [&](const char* device, const char* text) {
    const Description d = describe<Transport, double>();
    const Schedule s = parse_schedule(text, Device(std::string_view(device)), d, n).schedule;
    return Laid(d, n, s).variant_definition(s);
  };
  EXPECT_EQ(definition("simt:32", "fission"), "#define RIDGE_CHAIN_GROUPS {0, 0}, {1, 1}\n");
  EXPECT_EQ(definition("simt:32", "fuse=all tile=8x4"), "#define RIDGE_CHAIN_GROUPS {0, 1}\n");
  EXPECT_EQ(definition("cpu", "fuse=all"), "#define RIDGE_CHAIN_RUNS {0, 0}, {1, 1}\n");
}

/// What plans know of a group is what its kernel does.
TEST(Descriptions, AgreeWithWhatIsCompiled) {
  const Description d = describe<Transport, double>();
  EXPECT_EQ(d.passing_of(0, 1).passing, (Flow<Transport, 0, 1>::passing));
  using C = test::Stages<0, 2, Edge::periodic>;
  const Description stages = describe<C, double>();
  const PassedGroup all = stages.passing_of(0, 3);
  EXPECT_EQ(all.passing, (Flow<C, 0, 3>::passing));
  EXPECT_EQ(all.overlap, (Flow<C, 0, 3>::overlap(0)));
  EXPECT_EQ(all.seam, (Flow<C, 0, 3>::has_seam(0)));
  EXPECT_EQ(all.shared_elements, (Flow<C, 0, 3>::shared_arrays.count));
  EXPECT_EQ(stages.passing_of(1, 2).passing, (Flow<C, 1, 2>::passing));
}

} // namespace
} // namespace ridge::chain
