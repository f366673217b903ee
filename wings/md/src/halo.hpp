// Domains of bodies over ranks: each rank moves the bodies of a range of the curve and has their
// lists; positions of bodies near others' ranges go there at each step.
//
// All ranks sort all bodies alike, so that units and their numbers are the same everywhere. Where
// lists are built, each rank finds the units that its lists meet, and asks their ranks for them.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/beside.hpp>
#include <ridge/pairs/lists/lists.hpp>

#include "units.hpp"

#include <algorithm>
#include <vector>

namespace ridge::md {

/// Calls are collective.
template <class T>
class Halo final : public pairs::Beside {
  using Three = std::array<Span<T>, 3>;

public:
  Halo(Queue& queue, comm::Communicator& ranks, pairs::Lists<T>& lists, const Three& position)
      : queue_(queue), ranks_(ranks), lists_(lists), position_(position), at_(ranks, queue) {
    const pairs::ListData& d = lists.data();
    const auto all = static_cast<Index>(ranks.ranks());
    units_ = ceil_div(d.bodies, Index{d.unit});
    marks_ = Field<unsigned>(queue.device(), Extents{units_ + all}, "units in lists");
    home_ = Field<unsigned>(queue.device(), Extents{d.bodies}, "slots of bodies");
    const Index warps = d.row_counts.size / d.ways;
    meets_ = Field<unsigned>(queue.device(), Extents{std::max<Index>(warps, 1)}, "lists of ranks");
    lists.take(pairs::OwnLists{home_.elements(), {marks_.data(), units_}, meets_.elements()});
    const Index values = 3 * units_ * d.unit + all * UnitCopy<T>::header;
    for (Field<T>* const field : {&all_, &all_beside_}) {
      *field = Field<T>(queue.device(), Extents{values}, "values of all bodies");
      fill_bytes(queue, field->data(), 0, Bytes{values * static_cast<Index>(sizeof(T))});
    }
    most_.resize(static_cast<std::size_t>(all * all));
    std::vector<Index> firsts;
    for (int rank = 0; rank <= ranks.ranks(); ++rank)
      firsts.push_back(first_unit(rank));
    first_units_ = on_device(firsts, "units of ranks");
    bind_gather();
    bind_exchange();
  }

  /// Whether exchanges only give work to the queue.
  [[nodiscard]] bool needs_no_host() const { return comm::needs_no_host(at_.carrier); }
  [[nodiscard]] comm::Carrier carrier() const { return at_.carrier; }
  /// Changes where launches of an exchange recorded before are no longer right.
  [[nodiscard]] Index version() const { return version_; }
  /// Whether lists, and what is exchanged with them, can be built without the host on all ranks.
  [[nodiscard]] bool builds_without_host() const { return builds_without_host_; }
  /// Bodies whose positions this rank gets at each step.
  [[nodiscard]] Index halo() const { return halo_units_ * lists_.data().unit; }

  /// After lists were built: finds which bodies are exchanged from now on.
  void plan() {
    find_units(queue_, {});
    const auto ranks = static_cast<std::size_t>(ranks_.ranks());
    std::vector<unsigned> counts(ranks); // less one
    copy_to_host(queue_, counts.data(), static_cast<const unsigned*>(marks_.data() + units_),
                 ranks_.ranks());
    queue_.wait();
    std::vector<Index> mine;
    halo_units_ = 0;
    for (const unsigned count : counts) {
      mine.push_back(static_cast<unsigned>(count + 1));
      halo_units_ += mine.back();
    }
    mine.push_back(lists_.builds_without_host() ? 1 : 0);
    std::vector<Index> all(mine.size() * ranks);
    ranks_.all_gather(mine.data(), mine.size() * sizeof(Index), all.data());
    bool fits = true;
    builds_without_host_ = needs_no_host() || !queue_.device().is_gpu();
    for (std::size_t to = 0; to < ranks; ++to) {
      const Index* const needs = all.data() + to * mine.size();
      for (std::size_t from = 0; from < ranks; ++from) {
        Index& most = most_[to * ranks + from];
        if (needs[from] <= most) continue;
        most = needs[from] + needs[from] / 8 + 4;
        fits = false;
      }
      builds_without_host_ = builds_without_host_ && needs[ranks] != 0;
    }
    if (!fits) {
      bind_exchange();
      find_units(queue_, {});
    }
    ask_.run();
    queue_.wait();
  }
  /// In queue order, without a word of the host, for lists built in that order, and `sums` over
  /// these beside it: where messages have no room, or another rank's lists have none, launches on
  /// all ranks stay halted. What send_later has begun ends first.
  template <class Sums>
  void give_plan(const Span<unsigned>& halt, const Sums& sums) {
    gather_beside_.join();
    ask_.fork();
    Queue& messages = ask_.queue();
    find_units(messages, halt);
    say_units_(messages, {in_.units.elements(), in_.header_units.elements(), halt, true});
    ask_.send();
    ask_.receive();
    say_units_(messages, {out_.units.elements(), out_.header_units.elements(), halt, false});
    sums();
    ask_.join();
  }

  /// Positions of the own bodies go to ranks that need them. `moved` of all ranks are added up:
  /// there on a GPU, a word of pairs::ListHalt; on the cpu, where it is empty, in what is returned.
  bool exchange(const Span<unsigned>& moved, bool have_moved = false) {
    const bool on_host = moved.size == 0;
    if (on_host) {
      for (const Index at : out_.headers)
        out_.memory.data()[at] = static_cast<T>(have_moved ? 1 : 0);
    }
    copy(queue_, out_, true, moved);
    exchange_.run();
    copy(queue_, in_, false, moved);
    if (on_host) {
      for (const Index at : in_.headers)
        have_moved |= in_.memory.data()[at] != 0;
    }
    return have_moved;
  }

  /// GPUs: `sums` with an exchange as above beside them. Lists that meet bodies of other ranks are
  /// summed over behind it.
  template <class Sums>
  void exchange_beside(const Span<unsigned>& moved, const Sums& sums) {
    moved_ = moved;
    lists_.take(this);
    sums();
    lists_.take(static_cast<pairs::Beside*>(nullptr));
  }
  /// Messages are filled before sums begin: a launch behind them waits until their blocks are given
  /// out, 25 us instead of 3 on an H200.
  void run(const Work& bring, const Work& own, const Work& others) override {
    Queue& messages = exchange_.queue();
    exchange_.fork();
    copy(messages, out_, true, moved_);
    exchange_.send();
    bring(queue_);
    exchange_.fork();
    own(queue_);
    exchange_.receive();
    copy(messages, in_, false, moved_);
    others(messages);
    exchange_.join();
  }
  /// The slot of each body.
  [[nodiscard]] Span<const unsigned> homes() const { return home_.elements(); }

  /// Values of the bodies that each rank has moved, to all ranks; and `moved`, as exchanges do.
  void gather(const Three& values, const Span<unsigned>& moved = {}) {
    copy_all(queue_, values, all_, true, moved);
    gather_.run();
    copy_all(queue_, values, all_, false, moved);
  }
  void gather(const Three& values, const Three& more) {
    gather(values);
    gather(more);
  }
  /// Likewise without a word of the host; gives nothing of `later` but to messages.
  void give_gather(const Three& values, const Three& later, const Span<unsigned>& moved) {
    copy_all(queue_, values, all_, true, moved);
    gather_beside_.fork();
    copy_all(gather_beside_.queue(), later, all_beside_, true, {});
    gather_.run();
    gather_beside_.join();
    copy_all(queue_, values, all_, false, moved);
  }
  /// Those travel beside work until give_plan, which may change slots but knows nothing of them.
  void send_later(const Three& later) {
    gather_beside_.fork();
    gather_beside_.send();
    gather_beside_.receive();
    copy_all(gather_beside_.queue(), later, all_beside_, false, {});
  }

private:
  /// Messages that go out, or come in: of units, and of their values.
  struct Side {
    Field<T> memory;
    Field<unsigned> units;                     ///< of each message after a word more
    Field<Index> places, header_places;        ///< where values are
    Field<Index> header_units;                 ///< those words
    std::vector<Index> headers, begins, sizes; ///< of messages; in units
  };

  template <class V>
  [[nodiscard]] Field<V> on_device(const std::vector<V>& values, const char* what) {
    const auto count = static_cast<Index>(values.size());
    Field<V> made(queue_.device(), Extents{std::max<Index>(count, 1)}, what);
    if (count > 0) copy_to_device(queue_, made.data(), values.data(), count);
    queue_.wait();
    return made;
  }

  /// Memory for messages of as many units at most.
  void take(Side& side, const std::vector<Index>& most) {
    const Index width = Index{3} * lists_.data().unit;
    side = {};
    std::vector<Index> places;
    Index at = 0;
    for (const Index n : most) {
      side.headers.push_back(at);
      side.begins.push_back(static_cast<Index>(places.size()));
      side.sizes.push_back(n);
      at += UnitCopy<T>::header;
      places.push_back(at); // of no unit
      for (Index unit = 0; unit < n; ++unit, at += width)
        places.push_back(at);
    }
    const Device& device = queue_.device();
    side.memory = Field<T>(device, Extents{std::max<Index>(at, 1)}, "positions for ranks");
    // All of a message is sent, also what no unit fills.
    fill_bytes(queue_, side.memory.data(), 0,
               Bytes{side.memory.count() * static_cast<Index>(sizeof(T))});
    side.units = Field<unsigned>(
        device, Extents{std::max<Index>(static_cast<Index>(places.size()), 1)}, "units for ranks");
    fill_bytes(queue_, side.units.data(), 0xff,
               Bytes{side.units.count() * static_cast<Index>(sizeof(unsigned))});
    side.places = on_device(places, "places for ranks");
    side.header_places = on_device(side.headers, "places for ranks");
    side.header_units = on_device(side.begins, "places for ranks");
  }
  /// The message of a side to, or from, another rank.
  [[nodiscard]] std::size_t number_of(int peer) const {
    return static_cast<std::size_t>(peer < ranks_.rank() ? peer : peer - 1);
  }
  [[nodiscard]] comm::PiecesOf values_of(const Side& side) const {
    return [this, &side](int peer) -> comm::Pieces {
      const std::size_t m = number_of(peer);
      const Index values = UnitCopy<T>::header + side.sizes[m] * Index{3} * lists_.data().unit;
      return {comm::Piece::of(side.memory.data() + side.headers[m], values)};
    };
  }
  [[nodiscard]] comm::PiecesOf units_of(const Side& side) const {
    return [this, &side](int peer) -> comm::Pieces {
      const std::size_t m = number_of(peer);
      return {comm::Piece::of(side.units.data() + side.begins[m], 1 + side.sizes[m])};
    };
  }

  /// Those that the own lists meet, as far as messages have room.
  void find_units(Queue& queue, const Span<unsigned>& halt) {
    const Index ranks = ranks_.ranks();
    find_units_(queue, {lists_.data(),
                        home_.elements(),
                        {marks_.data(), units_},
                        {marks_.data() + units_, ranks},
                        first_units_.elements(),
                        begins_.elements(),
                        in_.units.elements(),
                        halt,
                        meets_.elements()});
  }

  [[nodiscard]] Index first_unit(int rank) const {
    const pairs::ListData& d = lists_.data();
    return ceil_div(pairs::first_slot_of(d.bodies, d.unit, rank, ranks_.ranks()), Index{d.unit});
  }
  [[nodiscard]] Index most_of(int to, int from) const {
    return most_[static_cast<std::size_t>(to * ranks_.ranks() + from)];
  }

  void bind_exchange() {
    exchange_ = {};
    ask_ = {};
    ++version_;
    const int own = ranks_.rank();
    std::vector<Index> most_out, most_in, begins;
    Index begin = 0;
    for (int peer = 0; peer < ranks_.ranks(); ++peer) {
      begins.push_back(begin);
      if (peer == own) continue;
      most_out.push_back(most_of(peer, own));
      most_in.push_back(most_of(own, peer));
      begin += 1 + most_in.back();
    }
    begins.push_back(begin);
    begins_ = on_device(begins, "places for ranks");
    take(out_, most_out);
    take(in_, most_in);
    queue_.wait();
    exchange_ = comm::Transfer(at_, {comm::all_to_all(ranks_, values_of(out_), values_of(in_))},
                               comm::Travels::beside);
    ask_ = comm::Transfer(at_, {comm::all_to_all(ranks_, units_of(in_), units_of(out_))},
                          comm::Travels::beside);
  }

  /// Where headers of ranks begin in `all_`.
  [[nodiscard]] Index headers() const { return 3 * units_ * lists_.data().unit; }
  void bind_gather() {
    const auto part = [&](const Field<T>& all) {
      return [this, &all](int rank) -> comm::Pieces {
        const Index width = Index{3} * lists_.data().unit;
        const Index begin = first_unit(rank);
        return {comm::Piece::of(all.data() + begin * width, (first_unit(rank + 1) - begin) * width),
                comm::Piece::of(all.data() + headers() + rank * UnitCopy<T>::header,
                                UnitCopy<T>::header)};
      };
    };
    gather_ = comm::Transfer(at_, comm::to_all(ranks_, part(all_)));
    gather_beside_ =
        comm::Transfer(at_, {comm::to_all(ranks_, part(all_beside_))}, comm::Travels::beside);
  }

  void copy_all(Queue& queue, const Three& values, const Field<T>& all, bool packs,
                const Span<unsigned>& moved) {
    const pairs::ListData& d = lists_.data();
    copy_all_(queue, {values, all.elements(), d.body, home_.elements(), d.unit, d.first_slot,
                      d.end_slot, packs, moved, headers(), ranks_.rank(), ranks_.ranks()});
  }
  void copy(Queue& queue, Side& side, bool packs, const Span<unsigned>& moved) {
    UnitCopy<T> copied;
    copied.values = position_;
    copied.packed = side.memory.elements();
    copied.body = lists_.data().body;
    copied.bodies = lists_.data().bodies;
    copied.unit = lists_.data().unit;
    copied.units = side.units.elements();
    copied.places = side.places.elements();
    copied.packs = packs;
    if (moved.size != 0) {
      copied.headers = side.header_places.elements();
      copied.moved = moved;
    }
    copy_units_(queue, copied);
  }

  Queue& queue_;
  comm::Communicator& ranks_;
  pairs::Lists<T>& lists_;
  Three position_;
  Span<unsigned> moved_; ///< of the exchange beside sums
  CopyUnits<T>* copy_units_ = offered<CopyUnits<T>>(queue_.device().kind(), typeid(UnitCopy<T>));
  CopyAll<T>* copy_all_ = offered<CopyAll<T>>(queue_.device().kind(), typeid(AllCopy<T>));
  FindUnits* find_units_ = offered<FindUnits>(queue_.device().kind(), typeid(UnitNeeds));
  SayUnits* say_units_ = offered<SayUnits>(queue_.device().kind(), typeid(UnitWords));
  comm::Endpoint at_;
  Index units_ = 0, halo_units_ = 0, version_ = 0;
  bool builds_without_host_ = false;
  Field<unsigned> marks_, home_, meets_; ///< UnitNeeds; marks with the counts behind them
  Field<Index> first_units_, begins_;
  Field<T> all_, all_beside_; ///< AllCopy: three values of each slot
  std::vector<Index> most_;   ///< units that messages have room for: to a rank, from a rank
  Side out_, in_;
  comm::Transfer exchange_, ask_, gather_, gather_beside_; ///< of positions, units, all bodies
};

} // namespace ridge::md
