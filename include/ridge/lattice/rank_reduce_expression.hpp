// Reductions of expressions over ranks: in one pass over what each rank owns and one message of
// each, after the exchange of what an expression reads of neighbours.
//
//   const double residual = norm2<Target>(world, queue, part, b - adj(u) * shift(x, 0, +1));
//   auto often = bind_norm2<Target>(world, queue, part, b - adj(u) * shift(x, 0, +1));
//   for (...) const double n = often.run();
//   often.launch(); ... const double n = often.result(); // work given between runs meanwhile
//
// That is for kernel sources. Host code leaves <Target> out, and a kernel source instantiates the
// executor by name (see ridge/lattice/within.hpp).
//
// What ranks add is summed up in their order: the same bits from run to run of the same devices,
// schedule, threads and grid. With reproducible(...) the bits are those of one rank, for every
// number of ranks, every grid and every device. Collective.
#pragma once

#include <ridge/comm/gather.hpp>
#include <ridge/lattice/rank_program.hpp>
#include <ridge/lattice/site_executor.hpp>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace ridge::lattice {

namespace detail {

/// The result of a reduction: a number, or the tensor where it goes by component.
template <class S>
struct Reduced {
  using Number = std::conditional_t<S::parts == 2, Complex<double>, double>;
  using Tensor = Over<typename S::Tensor, double>;
  static constexpr bool is_tensor = sizeof(Tensor) == sizeof(double) * S::keys * S::parts;
  using Type = std::conditional_t<
      S::keys == 1, Number,
      std::conditional_t<is_tensor, Tensor, std::array<Number, static_cast<std::size_t>(S::keys)>>>;
};

/// Binds with what the kernel source that asks is compiled to, or, without one, as Program does.
template <class Target, class Call>
[[nodiscard]] Program bound_for(Queue& queue, const Call& call,
                                const typename Pattern<Call>::Schedule& schedule,
                                const std::string& name) {
  if constexpr (std::is_void_v<Target>) {
    return Program(queue, call, schedule, name);
  } else {
    return bind_here<Target>(queue, call, schedule, name);
  }
}

/// The reads of a summand.
template <class S>
[[nodiscard]] std::vector<FieldReach> reaches_of_summand(const S& summand) {
  return reaches_of([&](const NotingSite& at) {
    for (int c = 0; c < S::components; ++c) {
      double terms[S::parts];
      summand.template find<double>(at, c, terms);
    }
  });
}

} // namespace detail

/// A reduction over ranks, bound once. S is a detail::Summand, Target the one of a kernel source,
/// or void.
template <class S, class Target = void>
class RankReduction {
public:
  using Result = typename detail::Reduced<S>::Type;

  /// Fields are on `part.held()`, subsets those of the whole lattice. Queue, fields and
  /// communicator must outlive it. Throws UsageError for fields of another lattice, and as Program
  /// and HaloExchange do.
  RankReduction(comm::Communicator& ranks, Queue& queue, const RankLattice& part, const S& summand,
                Subset subset = Subset::all, const RankOptions& options = {})
      : RankReduction(ranks, queue, part, summand, subset, options,
                      detail::reaches_of_summand(summand)) {}

  /// Exchanges, adds up and waits. Every rank has the result.
  Result run() {
    launch();
    return result();
  }
  /// Sums without waiting: where messages need no host, this only gives work to the
  /// queue, and the messages with what ranks add follow on it.
  void launch() {
    launch_own();
    launch_messages();
  }
  /// Its parts: the exchange and what this rank adds, and then the messages.
  void launch_own() {
    exchange_.begin();
    exchange_.finish();
    own_.run();
  }
  void launch_messages() { gather_.launch(); }
  /// Whether launch() only gives work to the queue; elsewhere result() sends the messages.
  [[nodiscard]] bool needs_no_host() const { return gather_.needs_no_host(); }
  /// Waits for the last launch(). Every rank has its result.
  Result result() {
    gather_.get(all_.data());
    double totals[results];
    for (int i = 0; i < results; ++i) {
      Sum total;
      total.clear();
      for (std::size_t at = 0; at < all_.size(); at += message) {
        Sum one;
        std::memcpy(one.w, all_.data() + at + static_cast<std::size_t>(i * Sum::words),
                    sizeof one.w);
        total.merge(one);
      }
      totals[i] = total.value();
    }
    Result result;
    std::memcpy(static_cast<void*>(&result), totals, sizeof result);
    return result;
  }

  [[nodiscard]] const HaloExchange& exchange() const { return exchange_; }
  /// Bytes that all ranks send beside it, in one message each.
  [[nodiscard]] Bytes gathered() const {
    return {static_cast<Index>(all_.size() * sizeof(double))};
  }
  /// The record of all ranks together; not timed. Not collective.
  [[nodiscard]] Record record() const {
    const bool exchanges = exchange_.messages() > 0;
    return detail::rank_record(whole_.record(queue_.device(), schedule_, name_), part_,
                               exchanges ? exchange_.carrier() : gather_.carrier());
  }

private:
  using Call = SiteReduceCall<SummandWithin<S>>;
  using Sum = typename S::template Accumulator<double>;
  static constexpr int results = S::keys * S::parts;
  static constexpr auto message = static_cast<std::size_t>(results * Sum::words); ///< numbers
  static_assert(sizeof(Result) == results * sizeof(double));

  RankReduction(comm::Communicator& ranks, Queue& queue, const RankLattice& part, const S& summand,
                Subset subset, const RankOptions& options, const std::vector<FieldReach>& reads)
      : queue_(queue), part_(part), name_(options.name),
        sums_(queue.device(), static_cast<Index>(message)),
        all_(message * static_cast<std::size_t>(ranks.ranks())),
        gather_(ranks, queue, sums_.doubles().data, Bytes{Index{message} * Index{sizeof(double)}}),
        exchange_(ranks, queue, part, detail::reads_of(reads, options.fixed, false)),
        schedule_(options.schedule ? *options.schedule
                                   : Pattern<Call>::default_schedule(
                                         queue.device(), call(summand, part.owned(), subset))),
        whole_(queue, call(summand, box_of(part.whole()), subset), schedule_),
        own_(detail::bound_for<Target>(queue, call(summand, part.owned(), subset), schedule_,
                                       name_)) {
    HaloExchange once(ranks, queue, part, detail::reads_of(reads, options.fixed, true));
    once.begin();
    once.finish();
    queue.wait();
  }

  [[nodiscard]] Call call(const S& summand, const SiteBox& box, Subset subset) const {
    check_same_lattice(part_.held(), "this rank's part", detail::lattice_of(summand),
                       "the expression");
    return {SummandWithin<S>{summand, {box, {}, subset, part_.starts_odd()}},
            detail::loop_of(summand), Subset::all, sums_.doubles()};
  }

  Queue& queue_;
  RankLattice part_;
  std::string name_;
  DeviceResult<double> sums_; ///< accumulators of this rank, on the device
  std::vector<double> all_;   ///< those of all ranks, on the host
  comm::Gather gather_;
  HaloExchange exchange_;
  Schedule schedule_;
  Pattern<Call> whole_; ///< for the record
  Program own_;
};

/// Any reduction of an expression, or of two of one site tensor; see ridge/lattice/reduction.hpp.
template <class Target = void, class R, Reducible X>
[[nodiscard]] auto bind_reduce(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                               const R& reduction, const X& x, Subset subset = Subset::all,
                               const RankOptions& options = {}) {
  return RankReduction<detail::SummandOf<R, X>, Target>(
      ranks, queue, part, detail::summand_of(reduction, x), subset, options);
}
template <class Target = void, class R, Reducible X, Reducible Y>
[[nodiscard]] auto bind_reduce(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                               const R& reduction, const X& x, const Y& y,
                               Subset subset = Subset::all, const RankOptions& options = {}) {
  return RankReduction<detail::SummandOf<R, X, Y>, Target>(
      ranks, queue, part, detail::summand_of(reduction, x, y), subset, options);
}

/// The sum over all sites or those of a subset: the expression's tensor in double.
template <class Target = void, Reducible X>
[[nodiscard]] auto bind_sum(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                            const X& x, Subset subset = Subset::all,
                            const RankOptions& options = {}) {
  return bind_reduce<Target>(ranks, queue, part, Sum{}, x, subset, options);
}
template <class Target = void, Reducible X>
[[nodiscard]] SumOf<X> sum(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const X& x, Subset subset = Subset::all,
                           const RankOptions& options = {}) {
  return bind_sum<Target>(ranks, queue, part, x, subset, options).run();
}

/// The sum of the squares of all real numbers of an expression.
template <class Target = void, Reducible X>
[[nodiscard]] auto bind_norm2(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                              const X& x, Subset subset = Subset::all,
                              const RankOptions& options = {}) {
  return bind_reduce<Target>(ranks, queue, part, Norm2{}, x, subset, options);
}
template <class Target = void, Reducible X>
[[nodiscard]] double norm2(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
                           const X& x, Subset subset = Subset::all,
                           const RankOptions& options = {}) {
  return bind_norm2<Target>(ranks, queue, part, x, subset, options).run();
}

/// The sum over sites and components of conj(x) y, of expressions of one site tensor; reproducible
/// where one of them is.
template <class Target = void, Reducible X, Reducible Y>
[[nodiscard]] auto
bind_inner_product(comm::Communicator& ranks, Queue& queue, const RankLattice& part, const X& x,
                   const Y& y, Subset subset = Subset::all, const RankOptions& options = {}) {
  return bind_reduce<Target>(ranks, queue, part, InnerProduct{}, x, y, subset, options);
}
template <class Target = void, Reducible X, Reducible Y>
[[nodiscard]] InnerProductOf<X>
inner_product(comm::Communicator& ranks, Queue& queue, const RankLattice& part, const X& x,
              const Y& y, Subset subset = Subset::all, const RankOptions& options = {}) {
  return bind_inner_product<Target>(ranks, queue, part, x, y, subset, options).run();
}

} // namespace ridge::lattice
