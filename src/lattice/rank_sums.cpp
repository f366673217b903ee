#include <ridge/comm/gather.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lattice/case.hpp>
#include <ridge/lattice/rank_sums.hpp>
#include <ridge/record/numbers.hpp>

#include "sum_over_ranks.hpp"

#include <vector>

namespace ridge::lattice {

namespace {

/// Where messages need no host, every rank's device has what all ranks added up: nobody waits.
template <class R, class T>
class RankSumsCase final : public SumOverRanks {
public:
  RankSumsCase(const RankSums& sums, const Device& device, const SiteShape& shape,
               comm::Communicator& ranks, const RankLattice& part)
      : SumOverRanks(sums.name, precision_name<T>(), ranks, part),
        fields_(device, sums.name, shape, part.held().geometry(shape.number_bytes()), sums.use.read,
                0),
        use_(sums.use), call_(own_call(sums.slices)),
        most_slices_(detail::most_slices(part, call_.dimension)),
        held_(device, call_.results() + most_slices_ * of_slice()), own_(bound()),
        gather_(ranks, fields_.queue, own_sums(), Bytes{message() * Index{sizeof(Accumulator)}}) {
    set_site_numbers(fields_.queue, fields_.numbers(fields_.x), fields_.shape, part, 1);
    if (use_.read > 1)
      set_site_numbers(fields_.queue, fields_.numbers(fields_.y), fields_.shape, part, 2);
  }

  [[nodiscard]] Queue& queue() override { return fields_.queue; }
  [[nodiscard]] Subject subject() const override {
    return {&typeid(call_), name_, precision_, part_.whole()};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const ridge::Place& place) const override {
    return lattice::menu({use_, fields_.shape, fields_.geometry}, place);
  }
  [[nodiscard]] Limit limit() const override {
    return limit_of(use_.read, 0, fields_.bytes, fields_.roof());
  }
  void poison() override { total_.assign(1, -1.0); }
  /// Against plain loops over the sites on the host: the same bits, and nearly the sums in long
  /// double.
  [[nodiscard]] Check check() override {
    if (gather_.needs_no_host()) read();
    const PlainSums plain = plain_sums(part_, static_cast<std::size_t>(owned_slices() * of_slice()),
                                       [&](Index site, PlainSums& sums) { add_site(site, sums); });
    return compare_with(ranks_, part_, call_.dimension, plain, total_, 1e-12);
  }

private:
  using Accumulator = BinnedSum<double>;

  [[nodiscard]] ReduceCall<R, T> own_call(bool slices) const {
    ReduceCall<R, T> call;
    fields_.give_to(call);
    call.dimension = slices ? part_.whole().rank() - 1 : -1;
    return detail::owned_by(part_, call);
  }
  [[nodiscard]] Program bound() {
    call_.result = held_.doubles();
    // Ranks with fewer slices than others send what is behind theirs, too.
    fill_bytes(fields_.queue, call_.result.data, 0,
               Bytes{call_.result.size * Index{sizeof(double)}});
    return {fields_.queue, call_};
  }
  /// Accumulators of a message: of each result of as many slices as any rank owns.
  [[nodiscard]] Index message() const { return most_slices_ * of_slice(); }
  /// The first of the slices that this rank owns, of those that it holds.
  [[nodiscard]] const double* own_sums() const {
    const int d = call_.dimension;
    const Index first = d < 0 ? 0 : part_.owned().begin[d];
    return held_.doubles().data + first * of_slice() * Accumulator::words;
  }

  void run_compute() override { own_.run(); }
  void run_exchange() override {
    gather_.launch();
    if (!gather_.needs_no_host()) read();
  }
  void read() {
    std::vector<Accumulator> all(static_cast<std::size_t>(message() * ranks_.ranks()));
    gather_.get(all.data());
    total_ = detail::merged_sums(part_, call_.dimension, all);
  }
  [[nodiscard]] Record record() const override {
    const Geometry whole = whole_sites();
    Record record =
        record_of(fields_.queue.device(), whole, fields_.shape,
                  work_of(whole, fields_.shape, use_.read, 0, use_.flops), Schedule{}, name_);
    record.site = site_name(fields_.shape, fields_.geometry);
    record.schedule = "binned, one message a reduction";
    record.ranks = ranks_.ranks();
    record.details.push_back({"rank_grid", 0, to_text(part_.ranks())});
    record.details.push_back({"carrier", 0, to_text(gather_.carrier())});
    record.details.push_back(
        {"exchange_bytes",
         static_cast<double>(message() * Index{sizeof(Accumulator)} * ranks_.ranks()),
         {}});
    record.details.push_back({"result", total_[0], {}});
    return record;
  }
  /// Adds a site that this rank owns, counted with x fastest.
  void add_site(Index site, PlainSums& to) const {
    Index slice = 0;
    if (call_.dimension >= 0) {
      Index below = 1;
      for (int d = 0; d < call_.dimension; ++d)
        below *= part_.owned().end[d] - part_.owned().begin[d];
      slice = site / below % owned_slices();
    }
    const Index whole = part_.in_whole(site);
    const int parts = fields_.shape.parts();
    const auto number = [&](std::uint64_t seed, int c, int p) {
      return site_number(seed, fields_.shape, whole, c, p);
    };
    const auto add = [&](std::size_t result, double a, double b) {
      to.add(result, detail::opaque(a * b), static_cast<long double>(a) * b);
    };
    for (int c = 0; c < fields_.shape.components; ++c) {
      const int key = call_.keys() > 1 ? c : 0;
      const auto result = static_cast<std::size_t>(slice * of_slice() + key * call_.parts());
      const double x = number(1, c, 0);
      const double xi = parts == 2 ? number(1, c, 1) : 0;
      if (R::by_component) {
        add(result, x, 1);
        if (parts == 2) add(result + 1, xi, 1);
        continue;
      }
      const std::uint64_t other = use_.read > 1 ? 2 : 1;
      const double y = number(other, c, 0);
      const double yi = parts == 2 ? number(other, c, 1) : 0;
      add(result, x, y);
      if (parts == 2) add(result, xi, yi);
      if (call_.parts() == 1) continue;
      add(result + 1, x, yi);
      add(result + 1, -xi, y);
    }
  }

  /// Of all ranks: as in memory where one of them had all sites.
  [[nodiscard]] Geometry whole_sites() const {
    Geometry whole;
    whole.rank = part_.whole().rank();
    for (int d = 0; d < whole.rank; ++d)
      whole.local[d] = static_cast<int>(part_.whole()[d]);
    whole.groups = part_.whole().count();
    return whole;
  }
  [[nodiscard]] Index owned_slices() const {
    const int d = call_.dimension;
    return d < 0 ? 1 : part_.owned().end[d] - part_.owned().begin[d];
  }
  [[nodiscard]] Index of_slice() const { return Index{call_.keys()} * call_.parts(); }

  OwnFields<T> fields_;
  FieldUse use_;
  ReduceCall<R, T> call_;
  Index most_slices_;
  DeviceResult<Accumulator> held_;
  Program own_;
  comm::Gather gather_;
  std::vector<double> total_{-1.0};
};

} // namespace

template <class R>
std::unique_ptr<Case> rank_sums_case(const RankSums& sums, const Device& device,
                                     const SiteShape& shape, comm::Communicator& ranks,
                                     const RankLattice& part) {
  if (shape.real_bytes == 4)
    return std::make_unique<RankSumsCase<R, float>>(sums, device, shape, ranks, part);
  return std::make_unique<RankSumsCase<R, double>>(sums, device, shape, ranks, part);
}

template std::unique_ptr<Case> rank_sums_case<Sum>(const RankSums&, const Device&, const SiteShape&,
                                                   comm::Communicator&, const RankLattice&);
template std::unique_ptr<Case> rank_sums_case<Norm2>(const RankSums&, const Device&,
                                                     const SiteShape&, comm::Communicator&,
                                                     const RankLattice&);
template std::unique_ptr<Case> rank_sums_case<InnerProduct>(const RankSums&, const Device&,
                                                            const SiteShape&, comm::Communicator&,
                                                            const RankLattice&);

} // namespace ridge::lattice
