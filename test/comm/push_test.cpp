// Messages that a kernel stores in their place: on one rank it is its own neighbour, and several
// GPUs of one machine are tested by `mpirun -n 2 test_comm` there.
#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/memory.hpp>

#include "on_device.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::comm {

namespace {

/// A message in words: where it is taken from, and where it goes to.
struct Copied {
  Index from, to, words;
  int tag;
};

class Push : public test::OnDevice {
protected:
  static constexpr Index all = 40000;
  static constexpr std::uint32_t poison = 0xdeadbeef;

  [[nodiscard]] Memory memory(const char* what) { return {queue.device(), Bytes{all * 4}, what}; }
  [[nodiscard]] static Message message(const Memory& memory, Index at, Index words, int tag) {
    return {static_cast<std::uint32_t*>(memory.data()) + at, Bytes{words * 4}, 0, tag};
  }
  void set(const Memory& to, const std::vector<std::uint32_t>& values) {
    copy_to_device(queue, static_cast<std::uint32_t*>(to.data()), values.data(), all);
    queue.wait();
  }
  [[nodiscard]] std::vector<std::uint32_t> get(const Memory& from) {
    std::vector<std::uint32_t> values(all);
    copy_to_host(queue, values.data(), static_cast<const std::uint32_t*>(from.data()), all);
    queue.wait();
    return values;
  }

  Queue queue{Device(GetParam())};
  std::unique_ptr<Communicator> one = alone();
  Endpoint at{*one, queue, Carrier::peer};
};

TEST_P(Push, EachMessageGoesToItsPlaceEveryTime) {
  const Memory source = memory("what is sent");
  const Memory target = memory("what is received");
  // Whole packs of 16 and of 8 bytes, single words, odd ends, and more than a block takes at once.
  const std::vector<Copied> pieces = {{0, 16, 4, 3},           {100, 200, 2, 1},
                                      {301, 303, 1, 1},        {404, 411, 7, 0},
                                      {1000, 1000, 4096, 2},   {8002, 6000, 998, 9},
                                      {12001, 9001, 12345, 3}, {28000, 24000, 11000, 5}};
  std::vector<Message> sends, receives;
  for (const Copied& p : pieces) {
    sends.push_back(message(source, p.from, p.words, p.tag));
    receives.push_back(message(target, p.to, p.words, p.tag));
  }
  const auto transfer = bind_on_device(at, sends, receives);
  for (std::uint64_t step = 0; step < 3; ++step) {
    std::vector<std::uint32_t> values(all), expected(all, poison);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::uint32_t>(1e9 * (random_value(step, static_cast<Index>(i)) + 1));
    set(source, values);
    set(target, expected);
    for (const Copied& p : pieces) {
      for (Index i = 0; i < p.words; ++i)
        expected[static_cast<std::size_t>(p.to + i)] = values[static_cast<std::size_t>(p.from + i)];
    }
    transfer->begin();
    transfer->finish();
    queue.wait();
    EXPECT_EQ(get(target), expected) << "step " << step;
  }
}

TEST_P(Push, MoreMessagesThanTravelWithALaunch) {
  const Memory source = memory("what is sent");
  const Memory target = memory("what is received");
  std::vector<Message> sends, receives;
  std::vector<std::uint32_t> values(all), expected(all, poison);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint32_t>(i) * 2654435761U;
  for (int m = 0; m < 100; ++m) {
    const Index from = 390 * m + 5;
    const Index to = 390 * (99 - m);
    const Index words = 1 + 4 * m % 385;
    sends.push_back(message(source, from, words, m % 7));
    receives.push_back(message(target, to, words, m % 7));
    for (Index i = 0; i < words; ++i)
      expected[static_cast<std::size_t>(to + i)] = values[static_cast<std::size_t>(from + i)];
  }
  const auto transfer = bind_on_device(at, sends, receives);
  for (int step = 0; step < 2; ++step) {
    set(source, values);
    set(target, std::vector<std::uint32_t>(all, poison));
    transfer->begin();
    transfer->finish();
    EXPECT_EQ(get(target), expected) << "step " << step;
  }
}

TEST_P(Push, NothingToSendIsNoLaunch) {
  const auto transfer = bind_on_device(at, {}, {});
  transfer->begin();
  transfer->finish();
  queue.wait();
}

TEST_P(Push, MessagesOfHalfWordsAreRefused) {
  const Memory source = memory("what is sent");
  Message odd = message(source, 0, 1, 0);
  odd.size = Bytes{3};
  EXPECT_THROW((void)bind_on_device(at, {odd}, {odd}), UsageError);
}

TEST_P(Push, EndsThatDoNotMatchAreSaid) {
  const Memory source = memory("what is sent");
  const Message four = message(source, 0, 4, 0);
  const Message five = message(source, 8, 5, 0);
  EXPECT_THROW((void)bind_on_device(at, {four}, {}), Failure);
  EXPECT_THROW((void)bind_on_device(at, {four}, {five}), Failure);
}

/// GPUs and emulated ones; AMD's are not written to by peers.
std::vector<std::string> gpus_here() {
  std::vector<std::string> names = ridge::test::devices_here();
  std::erase_if(names,
                [](const std::string& name) { return name == "cpu" || name.starts_with("hip"); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Devices, Push, testing::ValuesIn(gpus_here()), ridge::test::DeviceName());

} // namespace

} // namespace ridge::comm
