// Site kernels, expressions and shifts over ranks: programs that exchange by themselves what their
// kernels read of neighbours.
//
//   RankProgram hop(world, queue, part, gauge::hopping_call(out, links, psi));
//   hop.run();
//   const double n = norm2(world, queue, part, out);
#pragma once

#include <ridge/comm/step.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/shift.hpp>
#include <ridge/lattice/within.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ridge::lattice {

struct RankOptions {
  std::optional<Schedule> schedule = {}; ///< the default for the device and the field otherwise
  /// Memory, `field.reals().data`, of fields that never change, such as links: their halos are
  /// exchanged when the program is made, and not again.
  std::vector<const void*> fixed = {};
  std::string name = "user";
};

namespace detail {
/// A launch on the whole lattice as a record of all ranks.
[[nodiscard]] Record rank_record(Record whole, const RankLattice& part, comm::Carrier carrier);
/// The sites of a rank that a kernel with such reads computes without other ranks' sites.
[[nodiscard]] SiteBox inner_sites(const RankLattice& part, const std::vector<FieldReach>& reads);
/// Those reads that are of one of the fields, or of none of them.
[[nodiscard]] std::vector<FieldReach> reads_of(std::vector<FieldReach> reads,
                                               const std::vector<const void*>& fields, bool of);
} // namespace detail

/// A site kernel or an expression over ranks: exchanges what it reads of other ranks' sites,
/// computes meanwhile the sites that need none of it, then the rest. What ranks own of the fields
/// has the bits of one rank; what lies around that is undefined afterwards. Subsets are those of
/// the whole lattice. Collective, like run().
template <class S, class K>
class RankProgram final : public comm::Step {
public:
  /// Fields are on `part.held()`. Queue, fields and communicator must outlive it. Throws as Program
  /// and HaloExchange do.
  RankProgram(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
              const SiteLoopCall<S, K>& call, const RankOptions& options = {})
      : RankProgram(ranks, queue, part, call, options, reaches_of(call.kernel)) {}
  /// z = the expression.
  template <class E>
  RankProgram(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
              const AssignCall<S, E>& call, const RankOptions& options = {})
      : RankProgram(ranks, queue, part,
                    SiteLoopCall<S, K>{call.z, Stored<S, E>{call.z, call.e}, call.subset},
                    options) {}

  /// Where the exchange can be recorded, it and the launches are a graph the second time, and one
  /// launch from then on.
  void run() override {
    all_.run(queue_, exchange_.can_be_recorded(), [this] {
      exchange_.begin();
      if (inner_) inner_->run();
      exchange_.finish();
      if (outer_) outer_->run();
    });
  }

  void run_exchange() override {
    halos_.run(queue_, exchange_.can_be_recorded(), [this] { exchange_.run(); });
  }
  void run_compute() override {
    if (inner_) inner_->run();
    if (outer_) outer_->run();
  }
  [[nodiscard]] bool exchanges() const override { return exchange_.messages() > 0; }

  [[nodiscard]] const HaloExchange& exchange() const { return exchange_; }
  /// Not collective.
  [[nodiscard]] Record record() const override {
    return detail::rank_record(whole_.record(queue_.device(), schedule_, name_), part_,
                               exchange_.carrier());
  }

private:
  using Call = SiteLoopCall<S, Within<K>>;

  RankProgram(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
              const SiteLoopCall<S, K>& call, const RankOptions& options,
              const std::vector<FieldReach>& reads)
      : queue_(queue), part_(part), name_(options.name),
        exchange_(ranks, queue, part, detail::reads_of(reads, options.fixed, false)),
        schedule_(options.schedule ? *options.schedule
                                   : Pattern<Call>::default_schedule(
                                         queue.device(), within(call, part.owned(), {}))),
        whole_(queue, within(call, box_of(part.whole()), {}), schedule_) {
    detail::check_held(part, call.like.geometry);
    const SiteBox inner = detail::inner_sites(part, reads);
    const SiteBox& owned = part.owned();
    if (inner.count() > 0) inner_.emplace(queue, within(call, inner, {}), schedule_, options.name);
    if (inner.count() < owned.count())
      outer_.emplace(queue, within(call, owned, inner), schedule_, options.name);
    HaloExchange once(ranks, queue, part, detail::reads_of(reads, options.fixed, true));
    once.run();
    queue.wait();
  }

  [[nodiscard]] Call within(const SiteLoopCall<S, K>& call, const SiteBox& box,
                            const SiteBox& without) const {
    return {call.like, Within<K>{call.kernel, {box, without, call.subset, part_.starts_odd()}},
            Subset::all};
  }

  Queue& queue_;
  RankLattice part_;
  std::string name_;
  HaloExchange exchange_;
  Schedule schedule_;
  Pattern<Call> whole_;                  ///< for the record
  std::optional<Program> inner_, outer_; ///< none where they have no sites
  Repeated all_, halos_;
};

template <class S, class E>
RankProgram(comm::Communicator&, Queue&, const RankLattice&, const AssignCall<S, E>&,
            const RankOptions& = {}) -> RankProgram<S, Stored<S, E>>;

/// z(site) = x(site `by` further along dimension d), around the whole lattice, once, in queue
/// order. Collective. Throws UsageError where ranks divide d and `by` is beyond the lattice's
/// depth.
template <class Site>
void cshift(comm::Communicator& ranks, Queue& queue, const RankLattice& part, Field<Site>& z,
            const Field<Site>& x, int d, int by) {
  const int n = static_cast<int>(part.whole()[d]);
  by %= n;
  if (std::abs(by) > n / 2) by += by > 0 ? -n : n; // the shorter way round
  const auto call = shift_call(z, x, d, by);
  Reaches reads;
  Coordinates at;
  at[d] = by;
  reads.add(x.reals().data, x.shape(), x.geometry(), at);
  HaloExchange exchange(ranks, queue, part, reads.fields());
  exchange.run();
  Program(queue, call).run();
  queue.wait(); // the messages' memory goes
}

} // namespace ridge::lattice
