#include <ridge/core/error.hpp>
#include <ridge/lab/lattice_case.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lab/rank_sums.hpp>

#include "rank_plain.hpp"

#include <fmt/format.h>

#include <vector>

namespace ridge::lab {

namespace {

using lattice::RankLattice;
using lattice::Summed;
using Sums = std::vector<lattice::BinnedSum<double>>;

template <class T>
class RankSumsCase final : public RankCase {
public:
  RankSumsCase(const RankSums& sums, const BenchRequest& request, comm::Communicator& ranks,
               const std::string& grid)
      : sums_(sums), ranks_(ranks), queue_(request.device),
        shape_(find_site(request.site, sizeof(T))),
        part_(request.size, shares_grid(ranks, grid, request.size, sums.name), ranks.rank(), 0,
              lattice_for(request).width()),
        geometry_(part_.held().geometry(shape_.number_bytes())),
        reals_(geometry_.sites() * shape_.components * shape_.parts()), x_(field("x")) {
    if (request.schedule != "auto") {
      throw UsageError(
          fmt::format("--schedule {}: over ranks {} runs under one schedule; give auto",
                      request.schedule, sums.name));
    }
    if (sums.inputs > 1) y_ = field("y");
    set_site_numbers(queue_, numbers(x_), shape_, part_, 1);
    if (sums.inputs > 1) set_site_numbers(queue_, numbers(y_), shape_, part_, 2);
    call_.x = numbers(x_);
    call_.y = numbers(sums.inputs > 1 ? y_ : x_);
    call_.geometry = geometry_;
    call_.shape = shape_;
    call_.box = part_.owned();
    call_.summed =
        sums.summed == Summed::crossed && !shape_.complex ? Summed::products : sums.summed;
    call_.dimension = sums.slices ? request.size.rank() - 1 : -1;
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  void bind() override {}
  void run() override {
    run_compute();
    run_exchange();
  }
  void run_compute() override { mine_ = lattice::detail::own_sums(queue_, call_); }
  void run_exchange() override {
    total_ = lattice::detail::sums_of_ranks(ranks_, part_, call_.dimension, mine_);
  }
  [[nodiscard]] std::string roof_name() const override { return "read"; }
  [[nodiscard]] Extents share() const override {
    return greatest_share(part_.whole(), part_.ranks());
  }

  /// Against plain loops over the sites on the host: the same bits, and nearly the sums in long
  /// double.
  [[nodiscard]] Check check() override {
    total_.clear();
    run();
    const PlainSums plain = plain_sums(part_, static_cast<std::size_t>(call_.results()),
                                       [&](Index site, PlainSums& sums) { add_site(site, sums); });
    return worst_of(ranks_, compare_with(ranks_, part_, call_.dimension, plain, total_, 1e-12));
  }

  [[nodiscard]] Record record() override {
    const lattice::Geometry whole = whole_sites();
    Record record =
        lattice::record_of(queue_.device(), whole, shape_,
                           lattice::work_of(whole, shape_, sums_.inputs, 0, sums_.flops),
                           lattice::Schedule{}, sums_.name);
    record.site = lattice::site_name(shape_, geometry_);
    record.size = part_.whole();
    record.schedule = "binned, one message a reduction";
    record.ranks = ranks_.ranks();
    run();
    record.details.push_back({"rank_grid", 0, to_text(part_.ranks())});
    record.details.push_back({"carrier", 0, "host"});
    record.details.push_back({"exchange_bytes", message_bytes(), {}});
    record.details.push_back({"result", total_[0], {}});
    return record;
  }

private:
  /// Adds a site that this rank owns, counted with x fastest.
  void add_site(Index site, PlainSums& to) const {
    Index slice = 0;
    if (call_.dimension >= 0) {
      Index below = 1;
      for (int d = 0; d < call_.dimension; ++d)
        below *= part_.owned().end[d] - part_.owned().begin[d];
      slice = site / below % call_.slices();
    }
    const Index whole = part_.in_whole(site);
    const int parts = shape_.parts();
    const auto number = [&](std::uint64_t seed, int c, int p) {
      return site_number(seed, shape_, whole, c, p);
    };
    const auto add = [&](std::size_t result, double a, double b) {
      to.add(result, lattice::detail::opaque(a * b), static_cast<long double>(a) * b);
    };
    for (int c = 0; c < shape_.components; ++c) {
      const int key = call_.keys() > 1 ? c : 0;
      const auto result = static_cast<std::size_t>((slice * call_.keys() + key) * call_.parts());
      const double x = number(1, c, 0);
      const double xi = parts == 2 ? number(1, c, 1) : 0;
      if (call_.summed == Summed::numbers) {
        add(result, x, 1);
        if (parts == 2) add(result + 1, xi, 1);
        continue;
      }
      const std::uint64_t other = sums_.inputs > 1 ? 2 : 1;
      const double y = number(other, c, 0);
      const double yi = parts == 2 ? number(other, c, 1) : 0;
      add(result, x, y);
      if (parts == 2) add(result, xi, yi);
      if (call_.summed != Summed::crossed) continue;
      add(result + 1, x, yi);
      add(result + 1, -xi, y);
    }
  }

  /// Of all ranks: as in memory where one of them had all sites.
  [[nodiscard]] lattice::Geometry whole_sites() const {
    lattice::Geometry whole;
    whole.rank = part_.whole().rank();
    for (int d = 0; d < whole.rank; ++d)
      whole.local[d] = static_cast<int>(part_.whole()[d]);
    whole.groups = part_.whole().count();
    return whole;
  }
  /// Each rank sends an accumulator for each result of as many slices as any rank owns.
  [[nodiscard]] double message_bytes() const {
    const Index slices = call_.dimension < 0 ? 1 : share()[call_.dimension];
    return static_cast<double>(slices * call_.keys() * call_.parts() * call_.words * 8 *
                               ranks_.ranks());
  }

  [[nodiscard]] Bytes bytes() const { return {reals_ * static_cast<Index>(sizeof(T))}; }
  [[nodiscard]] Memory field(const char* what) const {
    return {queue_.device(), bytes(), std::string("field ") + what + " of " + sums_.name};
  }
  [[nodiscard]] Span<T> numbers(const Memory& field) const {
    return {static_cast<T*>(field.data()), reals_};
  }

  RankSums sums_;
  comm::Communicator& ranks_;
  Queue queue_;
  lattice::SiteShape shape_;
  RankLattice part_;
  lattice::Geometry geometry_;
  Index reals_; ///< of a field
  Memory x_, y_;
  lattice::SiteSum<T> call_;
  Sums mine_;
  std::vector<double> total_;
};

} // namespace

std::unique_ptr<RankCase> rank_sums_case(const RankSums& sums, const BenchRequest& request,
                                         comm::Communicator& ranks, const std::string& grid) {
  require_lattice_precision(sums.name, request.precision);
  if (request.precision == "fp32")
    return std::make_unique<RankSumsCase<float>>(sums, request, ranks, grid);
  return std::make_unique<RankSumsCase<double>>(sums, request, ranks, grid);
}

} // namespace ridge::lab
