// Domains of bodies over ranks: each rank moves the bodies of a range of the curve and has their
// lists; positions of bodies near others' ranges go there at each step.
//
// All ranks sort all bodies alike, so that units and their numbers are the same everywhere. Where
// lists are built, each rank says which units its lists meet: 1 byte a unit to every rank.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/lists.hpp>

#include "units.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace ridge::md {

/// Calls are collective.
template <class T>
class Halo {
  using Three = std::array<Span<T>, 3>;

public:
  Halo(Queue& queue, comm::Communicator& ranks, const pairs::Lists<T>& lists)
      : queue_(queue), ranks_(ranks), lists_(lists),
        carrier_(comm::choose_carrier(ranks, queue.device())) {
    const pairs::ListData& d = lists.data();
    units_ = ceil_div(d.bodies, Index{d.unit});
    marks_ = Field<unsigned>(queue.device(), Extents{units_}, "units in lists");
    home_ = Field<unsigned>(queue.device(), Extents{d.bodies}, "slots of bodies");
    all_ = Field<T>(queue.device(), Extents{3 * d.bodies}, "values of all bodies");
    most_.resize(static_cast<std::size_t>(ranks.ranks() * ranks.ranks()));
    bind_gather();
  }

  /// Whether exchanges only give work to the queue.
  [[nodiscard]] bool needs_no_host() const { return comm::needs_no_host(carrier_); }
  [[nodiscard]] comm::Carrier carrier() const { return carrier_; }
  /// Changes where launches of an exchange recorded before are no longer right.
  [[nodiscard]] Index version() const { return version_; }
  /// Bodies whose positions this rank gets at each step, and that it moves.
  [[nodiscard]] Index halo() const { return halo_units_ * lists_.data().unit; }
  [[nodiscard]] Index own() const { return lists_.data().end_slot - lists_.data().first_slot; }

  /// After lists were built: finds which bodies are exchanged from now on.
  void plan() {
    const pairs::ListData& lists = lists_.data();
    fill_bytes(queue_, marks_.data(), 0, Bytes{units_ * static_cast<Index>(sizeof(unsigned))});
    mark_units_(queue_, {lists, home_.elements(), marks_.elements()});
    std::vector<unsigned> host(static_cast<std::size_t>(units_));
    copy_to_host(queue_, host.data(), static_cast<const unsigned*>(marks_.data()), units_);
    queue_.wait();
    const std::vector<char> mine(host.begin(), host.end());
    std::vector<char> all(mine.size() * static_cast<std::size_t>(ranks_.ranks()));
    ranks_.all_gather(mine.data(), mine.size(), all.data());
    const auto needs = [&](int rank, Index unit) {
      return all[static_cast<std::size_t>(rank * units_ + unit)] != 0;
    };
    std::vector<std::vector<unsigned>> out, in; // units of each message
    bool fits = exchange_ != nullptr;
    for (int to = 0; to < ranks_.ranks(); ++to) {
      for (int from = 0; from < ranks_.ranks(); ++from) {
        std::vector<unsigned> units;
        for (Index unit = first_unit(from); to != from && unit < first_unit(from + 1); ++unit) {
          if (needs(to, unit)) units.push_back(static_cast<unsigned>(unit));
        }
        Index& most = most_[static_cast<std::size_t>(to * ranks_.ranks() + from)];
        const auto count = static_cast<Index>(units.size());
        if (count > most) {
          most = count + count / 8 + 4;
          fits = false;
        }
        if (to == from) continue;
        if (from == ranks_.rank()) out.push_back(units);
        if (to == ranks_.rank()) in.push_back(std::move(units));
      }
    }
    if (!fits) bind_exchange();
    out_.put(queue_, out);
    in_.put(queue_, in);
    halo_units_ = 0;
    for (const auto& units : in)
      halo_units_ += static_cast<Index>(units.size());
    queue_.wait(); // what is copied is here
  }

  /// Positions of the own bodies go to ranks that need them. `moved` of all ranks are added up:
  /// there on a GPU, a word of pairs::ListHalt; on the cpu, where it is empty, in what is returned.
  bool exchange(const Three& position, const Span<unsigned>& moved, bool have_moved = false) {
    const bool on_host = moved.size == 0;
    if (on_host) {
      for (const Index at : out_.headers)
        out_.memory.data()[at] = static_cast<T>(have_moved ? 1 : 0);
    }
    copy(out_, position, true, moved);
    exchange_->begin();
    exchange_->finish();
    copy(in_, position, false, moved);
    if (on_host) {
      for (const Index at : in_.headers)
        have_moved |= in_.memory.data()[at] != 0;
    }
    return have_moved;
  }

  /// Values of the bodies that each rank has moved, to all ranks.
  void gather(const Three& values) {
    UnitCopy<T> copied = base(values, all_.elements());
    const Index first = first_unit(ranks_.rank());
    const Index end = first_unit(ranks_.rank() + 1);
    const auto part = [&](Index begin, Index stop) {
      copied.units = {gathered_.units.data() + begin, stop - begin};
      copied.places = {gathered_.places.data() + begin, stop - begin};
      copy_units_(queue_, copied);
    };
    part(first, end);
    gather_->begin();
    gather_->finish();
    copied.packs = false;
    part(0, first);
    part(end, units_);
  }

private:
  /// Units of messages, and where they are in memory.
  struct Side {
    Field<T> memory;
    Field<unsigned> units;
    Field<Index> places, header_places;
    std::vector<Index> headers; ///< where messages begin; one more
    std::vector<unsigned> host_units;
    std::vector<Index> host_places;
    Index width = 0; ///< values of a unit

    /// Memory for messages of as many units at most.
    void take(const Device& device, const std::vector<Index>& most, int unit) {
      headers.clear();
      width = Index{3} * unit;
      Index at = 0;
      Index count = 0;
      for (const Index n : most) {
        headers.push_back(at);
        at += UnitCopy<T>::header + n * width;
        count += n;
      }
      memory = Field<T>(device, Extents{std::max<Index>(at, 1)}, "positions for ranks");
      units = Field<unsigned>(device, Extents{std::max<Index>(count, 1)}, "units for ranks");
      places = Field<Index>(device, Extents{std::max<Index>(count, 1)}, "units for ranks");
      header_places =
          Field<Index>(device, Extents{static_cast<Index>(headers.size())}, "units for ranks");
    }
    /// The memory of the copies must last until the queue was waited for.
    void put(Queue& queue, const std::vector<std::vector<unsigned>>& messages) {
      host_units.assign(static_cast<std::size_t>(units.count()), no_unit);
      host_places.assign(host_units.size(), 0);
      std::size_t n = 0;
      for (std::size_t m = 0; m < messages.size(); ++m) {
        Index at = headers[m] + UnitCopy<T>::header;
        for (const unsigned unit : messages[m]) {
          host_units[n] = unit;
          host_places[n++] = at;
          at += width;
        }
      }
      put(queue);
    }
    void put(Queue& queue) {
      copy_to_device(queue, units.data(), host_units.data(), units.count());
      copy_to_device(queue, places.data(), host_places.data(), places.count());
      if (!headers.empty())
        copy_to_device(queue, header_places.data(), headers.data(), header_places.count());
    }
    [[nodiscard]] comm::Message message(std::size_t number, Index most, int peer) const {
      const Index values = UnitCopy<T>::header + most * width;
      return {memory.data() + headers[number], Bytes{values * static_cast<Index>(sizeof(T))}, peer,
              0};
    }
  };

  [[nodiscard]] Index first_unit(int rank) const {
    const pairs::ListData& d = lists_.data();
    return ceil_div(pairs::first_slot_of(d.bodies, d.unit, rank, ranks_.ranks()), Index{d.unit});
  }
  [[nodiscard]] Index most_of(int to, int from) const {
    return most_[static_cast<std::size_t>(to * ranks_.ranks() + from)];
  }

  void bind_exchange() {
    exchange_.reset();
    ++version_;
    const int own = ranks_.rank();
    const int unit = lists_.data().unit;
    std::vector<int> peers;
    std::vector<Index> most_out, most_in;
    for (int peer = 0; peer < ranks_.ranks(); ++peer) {
      if (peer == own) continue;
      peers.push_back(peer);
      most_out.push_back(most_of(peer, own));
      most_in.push_back(most_of(own, peer));
    }
    out_.take(queue_.device(), most_out, unit);
    in_.take(queue_.device(), most_in, unit);
    // All of a message is sent, also what no unit fills.
    for (const Field<T>* const memory : {&out_.memory, &in_.memory})
      fill_bytes(queue_, memory->data(), 0, Bytes{memory->count() * static_cast<Index>(sizeof(T))});
    std::vector<comm::Message> sends, receives;
    for (std::size_t m = 0; m < peers.size(); ++m) {
      sends.push_back(out_.message(m, most_out[m], peers[m]));
      receives.push_back(in_.message(m, most_in[m], peers[m]));
    }
    exchange_ =
        comm::bind_on_device(ranks_, queue_, carrier_, std::move(sends), std::move(receives));
  }

  void bind_gather() {
    const Device& device = queue_.device();
    const pairs::ListData& d = lists_.data();
    gathered_.units = Field<unsigned>(device, Extents{units_}, "units for ranks");
    gathered_.places = Field<Index>(device, Extents{units_}, "units for ranks");
    for (Index unit = 0; unit < units_; ++unit) {
      gathered_.host_units.push_back(static_cast<unsigned>(unit));
      gathered_.host_places.push_back(3 * unit * d.unit);
    }
    gathered_.put(queue_);
    queue_.wait();
    const auto part = [&](int rank, int peer) {
      const Index begin = pairs::first_slot_of(d.bodies, d.unit, rank, ranks_.ranks());
      const Index end = pairs::first_slot_of(d.bodies, d.unit, rank + 1, ranks_.ranks());
      return comm::Message{all_.data() + 3 * begin,
                           Bytes{3 * (end - begin) * static_cast<Index>(sizeof(T))}, peer, 0};
    };
    std::vector<comm::Message> sends, receives;
    for (int peer = 0; peer < ranks_.ranks(); ++peer) {
      if (peer == ranks_.rank()) continue;
      if (const auto m = part(ranks_.rank(), peer); m.size.value > 0) sends.push_back(m);
      if (const auto m = part(peer, peer); m.size.value > 0) receives.push_back(m);
    }
    gather_ = comm::bind_on_device(ranks_, queue_, carrier_, std::move(sends), std::move(receives));
  }

  [[nodiscard]] UnitCopy<T> base(const Three& values, const Span<T>& packed) const {
    UnitCopy<T> copied;
    copied.values = values;
    copied.packed = packed;
    copied.body = lists_.data().body;
    copied.bodies = lists_.data().bodies;
    copied.unit = lists_.data().unit;
    return copied;
  }
  void copy(Side& side, const Three& position, bool packs, const Span<unsigned>& moved) {
    UnitCopy<T> copied = base(position, side.memory.elements());
    copied.units = side.units.elements();
    copied.places = side.places.elements();
    copied.packs = packs;
    if (moved.size != 0) {
      copied.headers = side.header_places.elements();
      copied.moved = moved;
    }
    copy_units_(queue_, copied);
  }

  Queue& queue_;
  comm::Communicator& ranks_;
  const pairs::Lists<T>& lists_;
  CopyUnits<T>* copy_units_ = offered<CopyUnits<T>>(queue_.device().kind(), typeid(UnitCopy<T>));
  MarkUnits* mark_units_ = offered<MarkUnits>(queue_.device().kind(), typeid(UnitMarks));
  comm::Carrier carrier_;
  Index units_ = 0, halo_units_ = 0, version_ = 0;
  Field<unsigned> marks_, home_;
  Field<T> all_;            ///< three values of each slot
  std::vector<Index> most_; ///< units that messages have room for: to a rank, from a rank
  Side out_, in_, gathered_;
  std::unique_ptr<comm::Transfer> exchange_, gather_;
};

} // namespace ridge::md
