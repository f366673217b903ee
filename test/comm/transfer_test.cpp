// Transfers: what planners list is packed, carried and unpacked, phase after phase. Ranks are
// threads here; memory that is received into is poisoned before.
#include <ridge/comm/gather.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>

#include "devices.hpp"
#include "thread_ranks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace ridge::comm {

namespace {

using Words = std::vector<std::uint32_t>;

/// Words of a field on a queue's device.
class WordArray {
public:
  WordArray(Queue& queue, Index count)
      : queue_(queue), field_(queue.device(), Extents{count}, "words") {
    poison();
  }
  void poison() {
    fill_bytes(queue_, field_.data(), 0xee, Piece::of(field_.data(), field_.count()).size);
  }
  void set(const Words& words) {
    copy_to_device(queue_, field_.data(), words.data(), static_cast<Index>(words.size()));
    queue_.wait();
  }
  [[nodiscard]] Words get() const {
    Words words(static_cast<std::size_t>(field_.count()));
    copy_to_host(queue_, words.data(), static_cast<const std::uint32_t*>(field_.data()),
                 field_.count());
    queue_.wait();
    return words;
  }
  [[nodiscard]] std::uint32_t* at(Index word) const { return field_.data() + word; }

private:
  Queue& queue_;
  Field<std::uint32_t> field_;
};

constexpr Bytes bytes_of(Index count) {
  return Bytes{4 * count};
}
constexpr std::uint32_t poisoned = 0xeeeeeeee;

/// A word of a rank in a step.
std::uint32_t word_of(int rank, int step, Index i) {
  return static_cast<std::uint32_t>(1000000 * (rank + 1) + 10000 * step + i);
}

/// Every second word from `first` to a buffer, or back: as many as `counts` say, message after
/// message.
Phase::Copies every_second(const WordArray& array, Index first, std::vector<Index> counts,
                           bool back) {
  return [&array, first, counts, back](Queue& queue, void* buffer) {
    return Bound([&array, &queue, first, counts, back, buffer] {
      auto* packed = static_cast<std::uint32_t*>(buffer);
      Index from = first;
      for (const Index count : counts) {
        for (Index i = 0; i < count; ++i, ++packed, from += 2) {
          std::uint32_t* const in_place = array.at(from);
          copy_bytes_on_device(queue, back ? in_place : packed, back ? packed : in_place,
                               bytes_of(1));
        }
      }
    });
  };
}

class Transfers : public testing::TestWithParam<std::string> {
protected:
  /// Each rank passes words on around the ranks, packed and in place at once, and in a second
  /// phase what has just come.
  void pass_on(Communicator& ranks, const Endpoint& at, Travels travels) {
    constexpr Index packed = 7, more = 1, in_place = 33;
    const int rank = ranks.rank();
    const int count = ranks.ranks();
    const int next = (rank + 1) % count;
    const int before = (rank + count - 1) % count;
    WordArray own(at.queue, 100);
    WordArray theirs(at.queue, 100);
    std::vector<Phase> phases(2);
    phases[0].sends = {{nullptr, bytes_of(packed), next, 5},
                       {own.at(60), bytes_of(in_place), next, 3},
                       {nullptr, bytes_of(more), next, 4}};
    phases[0].receives = {{nullptr, bytes_of(packed), before, 5},
                          {theirs.at(50), bytes_of(in_place), before, 3},
                          {nullptr, bytes_of(more), before, 4}};
    phases[0].pack("words", every_second(own, 3, {packed, more}, false));
    phases[0].unpack("words", every_second(theirs, 10, {packed, more}, true));
    // In two bundles on one side, and without any on the other.
    phases[1].sends.push_back({nullptr, bytes_of(1), next, 0});
    phases[1].pack("words", every_second(theirs, 10, {1}, false));
    phases[1].sends.push_back({nullptr, bytes_of(1), next, 1});
    phases[1].pack("words", every_second(theirs, 82, {1}, false));
    phases[1].receives = {{theirs.at(0), bytes_of(1), before, 0},
                          {theirs.at(1), bytes_of(1), before, 1}};
    Transfer transfer(at, std::move(phases), travels);
    EXPECT_EQ(transfer.sent().value, 4 * (packed + in_place + more + 2));
    EXPECT_EQ(transfer.messages(), 5);

    for (int step = 0; step < 3; ++step) {
      Words values;
      for (Index i = 0; i < 100; ++i)
        values.push_back(word_of(rank, step, i));
      own.set(values);
      theirs.poison();
      step == 1 ? transfer.run() : in_parts(transfer);
      Words expected(100, poisoned);
      for (Index i = 0; i <= packed; ++i)
        expected[static_cast<std::size_t>(10 + 2 * i)] = word_of(before, step, 3 + 2 * i);
      for (Index i = 0; i < in_place; ++i)
        expected[static_cast<std::size_t>(50 + i)] = word_of(before, step, 60 + i);
      const int first = (rank + 2 * count - 2) % count;
      expected[0] = word_of(first, step, 3);
      expected[1] = word_of(first, step, 60 + 32);
      EXPECT_EQ(theirs.get(), expected) << "rank " << rank << " of " << count << ", step " << step;
      EXPECT_EQ(own.get(), values);
    }
  }
  static void in_parts(Transfer& transfer) {
    transfer.fork();
    transfer.send();
    transfer.advance();
    transfer.receive();
    transfer.join();
  }
};

TEST_P(Transfers, PackedAndInPlacePhaseAfterPhase) {
  for (const int count : {1, 2, 3, 5}) {
    ridge::test::on_ranks(count, [&](Communicator& ranks) {
      Queue queue{Device(GetParam())};
      for (const Travels travels : {Travels::in_order, Travels::beside}) {
        pass_on(ranks, {ranks, queue}, travels);
        pass_on(ranks, {ranks, queue, Carrier::staged}, travels);
      }
    });
  }
}

TEST_P(Transfers, ToAllAndFromAll) {
  // Rank r has r words for all, of which the first has none; and r + s + 1 words for rank s.
  for (const int count : {1, 2, 4}) {
    ridge::test::on_ranks(count, [&](Communicator& ranks) {
      const int me = ranks.rank();
      Queue queue{Device(GetParam())};
      WordArray all(queue, 40);
      const auto piece = [&](int r) -> Pieces {
        return {Piece::of(all.at(10 * r), r), Piece::of(all.at(10 * r + 5), 1)};
      };
      all.poison();
      for (const Index i : {10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 5}) {
        const std::uint32_t value = word_of(me, 0, i);
        copy_to_device(queue, all.at(i), &value, 1);
        queue.wait();
      }
      Phase phase = to_all(ranks, piece);
      EXPECT_EQ(phase.sends.size(), static_cast<std::size_t>((me > 0 ? 2 : 1) * (count - 1)));
      Transfer transfer({ranks, queue}, std::move(phase));
      transfer.run();
      const Words got = all.get();
      for (int r = 0; r < count; ++r) {
        for (Index i = 0; i < 10; ++i) {
          const auto at = static_cast<std::size_t>(10 * r + i);
          const bool is_sent = i == 5 || i < (r == me ? 3 : r);
          EXPECT_EQ(got[at], is_sent ? word_of(r, 0, 10 * r + i) : poisoned) << r << " " << i;
        }
      }

      WordArray out(queue, 40);
      WordArray in(queue, 40);
      Words values;
      for (Index i = 0; i < 40; ++i)
        values.push_back(word_of(me, 1, i));
      out.set(values);
      const auto pieces = [&](const WordArray& array) -> PiecesOf {
        return [&array, me](int r) { return Pieces{Piece::of(array.at(10 * r), me + r + 1)}; };
      };
      Transfer exchange({ranks, queue}, all_to_all(ranks, pieces(out), pieces(in)));
      exchange.run();
      const Words came = in.get();
      for (int r = 0; r < count; ++r) {
        for (Index i = 0; i < 10; ++i) {
          const bool is_sent = r != me && i <= me + r;
          EXPECT_EQ(came[static_cast<std::size_t>(10 * r + i)],
                    is_sent ? word_of(r, 1, 10 * me + i) : poisoned);
        }
      }
    });
  }
}

TEST_P(Transfers, MovedAndBoundAnew) {
  const auto one = alone();
  Queue queue{Device(GetParam())};
  WordArray array(queue, 4);
  const auto copy = [&](Index from, Index to) {
    return Transfer({*one, queue}, Phase{{{array.at(from), bytes_of(1), 0, 0}},
                                         {{array.at(to), bytes_of(1), 0, 0}}});
  };
  array.set({1, 2, 3, 4});
  Transfer transfer = copy(0, 1);
  transfer.run();
  Transfer other = std::move(transfer);
  other = copy(3, 2);
  other.run();
  EXPECT_EQ(array.get(), (Words{1, 1, 4, 4}));
}

INSTANTIATE_TEST_SUITE_P(Devices, Transfers, testing::ValuesIn(ridge::test::devices_here()),
                         ridge::test::DeviceName());

/// A launch that writes its name down.
Phase::Copies noted(std::string& log, const std::string& name) {
  return [&log, name](Queue& /*queue*/, void* /*buffer*/) {
    return Bound([&log, name] { log += name + " "; });
  };
}

TEST(TransferOrder, APhaseBeginsWhenTheOneBeforeHasEnded) {
  const auto one = alone();
  Queue queue{Device("cpu")};
  std::string log;
  std::vector<Phase> phases(3);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    phases[i].sends.push_back({nullptr, bytes_of(1), 0, 0});
    phases[i].receives.push_back({nullptr, bytes_of(1), 0, 0});
    phases[i].pack("words", noted(log, "pack" + std::to_string(i)));
    phases[i].unpack("words", noted(log, "unpack" + std::to_string(i)));
  }
  Transfer transfer({*one, queue}, std::move(phases), Travels::beside);
  EXPECT_NE(&transfer.queue(), &queue);
  EXPECT_EQ(log, "");
  transfer.begin();
  EXPECT_EQ(log, "pack0 unpack0 pack1 unpack1 pack2 ");
  transfer.finish();
  EXPECT_EQ(log, "pack0 unpack0 pack1 unpack1 pack2 unpack2 ");
  log.clear();
  transfer.send(1); // one alone
  transfer.receive(1);
  EXPECT_EQ(log, "pack1 unpack1 ");
}

TEST(TransferOrder, WorkComesFirstWhereMessagesNeedNoHost) {
  const auto one = alone();
  Queue queue{Device("cpu")};
  const auto order = [&](Carrier carrier) {
    std::string log;
    Transfer transfer({*one, queue, carrier}, std::vector<Phase>{}, Travels::beside);
    transfer.send_beside([&] { log += "work "; }, [&] { log += "send "; });
    return log;
  };
  EXPECT_EQ(order(Carrier::host), "send work ");
  EXPECT_EQ(order(Carrier::staged), "send work ");
  EXPECT_EQ(order(Carrier::peer), "work send ");
  EXPECT_EQ(order(Carrier::nccl), "work send ");
}

TEST(TransferOrder, NothingIsSentWithoutPhases) {
  const auto one = alone();
  Queue queue{Device("cpu")};
  Transfer none;
  Transfer empty({*one, queue}, std::vector<Phase>{}, Travels::in_order);
  EXPECT_FALSE(none);
  EXPECT_FALSE(empty);
  EXPECT_EQ(&empty.queue(), &queue);
  none.run();
  empty.run();
  EXPECT_EQ(empty.sent().value, 0);
  EXPECT_EQ(empty.messages(), 0);
}

TEST(GatherBox, BringsWhatRanksOwnToTheFirst) {
  const Index3 n{7, 5, 6};
  const Grid grid(n, {1, 2, 3}, Reach({{0, 0, 0}}));
  const auto value = [&](Index x, Index y, Index z) {
    return static_cast<std::uint16_t>(1 + x + n.x * (y + n.y * z));
  };
  // All; a piece of one rank, which is not the first; and points of several, from odd corners.
  for (const Box& box : {Box{{0, 0, 0}, n}, Box{{1, 4, 5}, {6, 5, 6}}, Box{{2, 1, 1}, {5, 4, 5}}}) {
    ridge::test::on_ranks(6, [&](Communicator& ranks) {
      const auto each = [&](const Box& region, const auto& f) {
        for (Index z = region.begin.z; z < region.end.z; ++z)
          for (Index y = region.begin.y; y < region.end.y; ++y)
            for (Index x = region.begin.x; x < region.end.x; ++x)
              f(value(x, y, z));
      };
      std::vector<std::uint16_t> mine, expected;
      each(overlap(grid.owned(ranks.rank()), box), [&](auto v) { mine.push_back(v); });
      each(box, [&](auto v) { expected.push_back(v); });
      std::vector<char> whole;
      gather_box(ranks, grid, box, mine.data(), 2, whole);
      if (ranks.rank() > 0) return;
      ASSERT_EQ(whole.size(), 2 * expected.size());
      EXPECT_EQ(std::memcmp(whole.data(), expected.data(), whole.size()), 0);
    });
  }
}

TEST(Overlap, IsEmptyWhereBoxesDoNotMeet) {
  const Box a{{0, 0, 0}, {4, 4, 4}};
  EXPECT_EQ(overlap(a, {{2, -1, 3}, {9, 2, 4}}), (Box{{2, 0, 3}, {4, 2, 4}}));
  EXPECT_TRUE(overlap(a, {{4, 0, 0}, {5, 4, 4}}).empty());
}

} // namespace

} // namespace ridge::comm
