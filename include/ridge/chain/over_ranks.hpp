// A chain over ranks: a program that exchanges by itself what its operations reach.
//
//   using Here = ridge::chain::Placed<Heat>;        // which the kernel source instantiates
//   const RankRange range(...);                     // see ridge/chain/rank_range.hpp
//   ridge::chain::Views<Here, double> views;        // of range.held_points(i).extents() each
//   ridge::chain::RankProgram<Heat, double> step(world, queue, range, heat, views);
//   step.run();
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/chain/placed.hpp>
#include <ridge/chain/rank_range.hpp>
#include <ridge/comm/exchange.hpp>
#include <ridge/comm/step.hpp>
#include <ridge/device/graph.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::chain {

/// The request of one rank.
template <class C, class T>
[[nodiscard]] Request<Placed<C>, T> placed_request(const RankRange& range, const C& chain,
                                                   const Views<Placed<C>, T>& views) {
  return {{{chain}, range.held().begin, range.grid().points()}, range.held().extents(), views};
}

namespace detail {
/// The fields that a rank exchanges: inputs and updates, but no profiles. `arrays`: one an array.
/// Throws UsageError for arrays of other extents than the rank holds.
[[nodiscard]] std::vector<comm::PaddedField>
padded_arrays(const RankRange& range, const Description& chain,
              const std::vector<comm::FieldMemory>& arrays);
/// The record of all ranks, of one rank's.
[[nodiscard]] Record rank_record(Record mine, const RankRange& range, const Description& chain,
                                 const comm::Exchange& exchange, comm::Communicator& ranks);
} // namespace detail

/// Exchanges what ranks need of each other's inputs and updates, then runs the chain on what the
/// rank holds. What ranks own of the results has the bits of one rank; what lies around that is
/// undefined afterwards. Profiles are not exchanged: each rank has all values that it holds.
/// Collective, like run().
template <class C, class T>
class RankProgram final : public comm::Step {
public:
  /// Queue, arrays and communicator must outlive it. Throws as Program and Exchange do.
  RankProgram(comm::Communicator& ranks, Queue& queue, const RankRange& range, const C& chain,
              const Views<Placed<C>, T>& views, const std::optional<Schedule>& schedule = {},
              std::string_view kernel = "user")
      : ranks_(ranks), queue_(queue), range_(range), description_(describe<C, T>()),
        exchange_(ranks, queue, range.grid(),
                  detail::padded_arrays(range, description_, memory(views))),
        program_(bind(queue, placed_request(range, chain, views), schedule, kernel)) {}

  void run() override {
    run_exchange();
    run_compute();
  }
  /// Where messages need no host the exchange is a graph from the second time on.
  void run_exchange() override {
    halos_.run(queue_, exchange_.can_be_recorded(), [this] { exchange_.run(); });
  }
  void run_compute() override { program_.run(); }

  [[nodiscard]] const comm::Exchange& exchange() const { return exchange_; }
  [[nodiscard]] Record record() const override {
    return detail::rank_record(program_.record(), range_, description_, exchange_, ranks_);
  }

private:
  static std::vector<comm::FieldMemory> memory(const Views<Placed<C>, T>& views) {
    std::vector<comm::FieldMemory> all;
    for (const View<T>& view : views.all())
      all.push_back(comm::FieldMemory::of(view));
    return all;
  }
  static Program bind(Queue& queue, const Request<Placed<C>, T>& request,
                      const std::optional<Schedule>& schedule, std::string_view kernel) {
    return schedule ? Program(queue, request, *schedule, kernel) : Program(queue, request, kernel);
  }

  comm::Communicator& ranks_;
  Queue& queue_;
  RankRange range_;
  Description description_;
  comm::Exchange exchange_;
  Program program_;
  Repeated halos_;
};

} // namespace ridge::chain
