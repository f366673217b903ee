#include <ridge/core/error.hpp>
#include <ridge/lab/lattice_case.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lab/rank_sums.hpp>

#include "rank_plain.hpp"
#include "sum_over_ranks.hpp"

#include <vector>

namespace ridge::lab {

namespace {

using lattice::Summed;
using Sums = std::vector<lattice::BinnedSum<double>>;

template <class T>
class RankSumsCase final : public SumOverRanks<LatticeCase<T>> {
public:
  RankSumsCase(const RankSums& sums, const BenchRequest& request)
      : RankSumsCase(sums, request,
                     part_of_rank(request, sums.name, lattice_for(request).width())) {}

  [[nodiscard]] Subject subject() const override {
    return {&typeid(call_), this->name_, this->request_.precision, this->part_.whole()};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return lattice::menu({use_, this->shape_, this->geometry_}, place);
  }
  void poison() override { total_.clear(); }
  /// Against plain loops over the sites on the host: the same bits, and nearly the sums in long
  /// double.
  [[nodiscard]] Check check() override {
    const PlainSums plain = plain_sums(this->part_, static_cast<std::size_t>(call_.results()),
                                       [&](Index site, PlainSums& sums) { add_site(site, sums); });
    return compare_with(this->ranks_, this->part_, call_.dimension, plain, total_, 1e-12);
  }

private:
  using Base = SumOverRanks<LatticeCase<T>>;

  RankSumsCase(const RankSums& sums, const BenchRequest& request, const RankLattice& part)
      : Base(request, part, sums.name, request, sums.use.read, 0, part.held()), use_(sums.use) {
    call_.x = this->numbers(this->x_);
    call_.y = this->numbers(this->read_ > 1 ? this->y_ : this->x_);
    call_.geometry = this->geometry_;
    call_.shape = this->shape_;
    call_.box = part.owned();
    call_.summed =
        sums.summed == Summed::crossed && !call_.shape.complex ? Summed::products : sums.summed;
    call_.dimension = sums.slices ? request.size.rank() - 1 : -1;
    set_site_numbers(this->queue_, this->numbers(this->x_), this->shape_, part, 1);
    if (this->read_ > 1)
      set_site_numbers(this->queue_, this->numbers(this->y_), this->shape_, part, 2);
  }

  void run_compute() override { mine_ = lattice::detail::own_sums(this->queue_, call_); }
  void run_exchange() override {
    total_ = lattice::detail::sums_of_ranks(this->ranks_, this->part_, call_.dimension, mine_);
  }
  [[nodiscard]] Record record() const override {
    const lattice::Geometry whole = whole_sites();
    Record record =
        lattice::record_of(this->queue_.device(), whole, this->shape_,
                           lattice::work_of(whole, this->shape_, use_.read, 0, use_.flops),
                           lattice::Schedule{}, this->name_);
    record.site = lattice::site_name(this->shape_, this->geometry_);
    record.schedule = "binned, one message a reduction";
    record.ranks = this->ranks_.ranks();
    record.details.push_back({"rank_grid", 0, to_text(this->part_.ranks())});
    record.details.push_back({"carrier", 0, "host"});
    record.details.push_back({"exchange_bytes", message_bytes(), {}});
    record.details.push_back({"result", total_[0], {}});
    return record;
  }
  /// Adds a site that this rank owns, counted with x fastest.
  void add_site(Index site, PlainSums& to) const {
    Index slice = 0;
    if (call_.dimension >= 0) {
      Index below = 1;
      for (int d = 0; d < call_.dimension; ++d)
        below *= this->part_.owned().end[d] - this->part_.owned().begin[d];
      slice = site / below % call_.slices();
    }
    const Index whole = this->part_.in_whole(site);
    const int parts = this->shape_.parts();
    const auto number = [&](std::uint64_t seed, int c, int p) {
      return site_number(seed, this->shape_, whole, c, p);
    };
    const auto add = [&](std::size_t result, double a, double b) {
      to.add(result, lattice::detail::opaque(a * b), static_cast<long double>(a) * b);
    };
    for (int c = 0; c < this->shape_.components; ++c) {
      const int key = call_.keys() > 1 ? c : 0;
      const auto result = static_cast<std::size_t>((slice * call_.keys() + key) * call_.parts());
      const double x = number(1, c, 0);
      const double xi = parts == 2 ? number(1, c, 1) : 0;
      if (call_.summed == Summed::numbers) {
        add(result, x, 1);
        if (parts == 2) add(result + 1, xi, 1);
        continue;
      }
      const std::uint64_t other = this->read_ > 1 ? 2 : 1;
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
    whole.rank = this->part_.whole().rank();
    for (int d = 0; d < whole.rank; ++d)
      whole.local[d] = static_cast<int>(this->part_.whole()[d]);
    whole.groups = this->part_.whole().count();
    return whole;
  }
  /// Each rank sends an accumulator for each result of as many slices as any rank owns.
  [[nodiscard]] double message_bytes() const {
    const Index slices = call_.dimension < 0 ? 1 : this->share()[call_.dimension];
    return static_cast<double>(slices * call_.keys() * call_.parts() * call_.words * 8 *
                               this->ranks_.ranks());
  }

  lattice::FieldUse use_;
  lattice::SiteSum<T> call_;
  Sums mine_;
  std::vector<double> total_;
};

} // namespace

std::unique_ptr<Case> rank_sums_case(const RankSums& sums, const BenchRequest& request) {
  require_lattice_precision(sums.name, request.precision);
  if (request.precision == "fp32") return std::make_unique<RankSumsCase<float>>(sums, request);
  return std::make_unique<RankSumsCase<double>>(sums, request);
}

} // namespace ridge::lab
