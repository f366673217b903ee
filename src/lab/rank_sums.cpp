#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lab/lattice_case.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lab/rank_sums.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
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
    set(x_, 1);
    if (sums.inputs > 1) set(y_, 2);
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
    return worst_of(ranks_, compared(Plain(*this)));
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
  /// What the sums should be.
  struct Plain {
    explicit Plain(RankSumsCase& c) : binned(c.count()), value(c.count()), scale(c.count()) {
      for (auto& sum : binned)
        sum.clear();
      const Index sites = c.part_.owned().count();
      std::mutex guard;
      const Plain zero = *this;
      cpu::run(cpu::default_threads(), [&](int thread, int threads) {
        Plain mine = zero;
        const auto share = cpu::share_of(sites, thread, threads);
        for (Index site = share.begin; site < share.end; ++site)
          c.add_site(site, mine);
        const std::lock_guard lock(guard);
        for (std::size_t i = 0; i < binned.size(); ++i) {
          binned[i].merge(mine.binned[i]);
          value[i] += mine.value[i];
          scale[i] += mine.scale[i];
        }
      });
    }
    void add(std::size_t result, double a, double b) {
      binned[result].add_product(a, b);
      binned[result].settle();
      const long double term = static_cast<long double>(a) * b;
      value[result] += term;
      scale[result] += std::abs(term);
    }

    Sums binned;
    std::vector<long double> value, scale;
  };

  /// Results that this rank has a part of.
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(call_.results()); }

  /// Adds a site that this rank owns, counted with x fastest.
  void add_site(Index site, Plain& to) const {
    Index slice = 0;
    if (call_.dimension >= 0) {
      Index below = 1;
      for (int d = 0; d < call_.dimension; ++d)
        below *= part_.owned().end[d] - part_.owned().begin[d];
      slice = site / below % call_.slices();
    }
    const Index whole = part_.in_whole(site);
    const int parts = shape_.parts();
    for (int c = 0; c < shape_.components; ++c) {
      const int key = call_.keys() > 1 ? c : 0;
      const auto result = static_cast<std::size_t>((slice * call_.keys() + key) * call_.parts());
      const double x = number(1, whole, c, 0);
      const double xi = parts == 2 ? number(1, whole, c, 1) : 0;
      if (call_.summed == Summed::numbers) {
        to.add(result, x, 1);
        if (parts == 2) to.add(result + 1, xi, 1);
        continue;
      }
      const std::uint64_t other = sums_.inputs > 1 ? 2 : 1;
      const double y = number(other, whole, c, 0);
      const double yi = parts == 2 ? number(other, whole, c, 1) : 0;
      to.add(result, x, y);
      if (parts == 2) to.add(result, xi, yi);
      if (call_.summed != Summed::crossed) continue;
      to.add(result + 1, x, yi);
      to.add(result + 1, -xi, y);
    }
  }

  [[nodiscard]] Check compared(const Plain& plain) {
    const auto right = lattice::detail::sums_of_ranks(ranks_, part_, call_.dimension, plain.binned);
    ExpectedResults expected;
    for (const auto* const numbers : {&plain.value, &plain.scale}) {
      Sums own;
      for (const long double number : *numbers) {
        own.emplace_back().clear();
        own.back().add(static_cast<double>(number));
      }
      const auto of_all = lattice::detail::sums_of_ranks(ranks_, part_, call_.dimension, own);
      (numbers == &plain.value ? expected.value : expected.scale)
          .assign(of_all.begin(), of_all.end());
    }
    Check check = check_results(expected, total_, 1e-12);
    if (check.ok && std::memcmp(right.data(), total_.data(), right.size() * sizeof(double)) != 0) {
      check.ok = false;
      check.message = "the sum over ranks has other bits than plain loops over the sites";
    }
    return check;
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

  /// The number of input `seed` at a site of the whole lattice.
  [[nodiscard]] double number(std::uint64_t seed, Index whole, int component, int part) const {
    return random_value(seed, (whole * shape_.components + component) * shape_.parts() + part);
  }
  [[nodiscard]] Bytes bytes() const { return {reals_ * static_cast<Index>(sizeof(T))}; }
  [[nodiscard]] Memory field(const char* what) const {
    return {queue_.device(), bytes(), std::string("field ") + what + " of " + sums_.name};
  }
  [[nodiscard]] Span<T> numbers(const Memory& field) const {
    return {static_cast<T*>(field.data()), reals_};
  }

  /// Sets what this rank owns of a field; NaN around it.
  void set(const Memory& field, std::uint64_t seed) {
    Memory staging;
    T* to = numbers(field).data;
    const bool direct = queue_.device().host_accessible();
    if (!direct) {
      staging = Memory(queue_.device(), bytes(), "numbers to fill a field", Memory::Place::staging);
      to = static_cast<T*>(staging.data());
    }
    std::fill(to, to + reals_, std::numeric_limits<T>::quiet_NaN());
    const int parts = shape_.parts();
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(part_.owned().count(), thread, threads);
      const Extents& held = part_.held().extents();
      for (Index site = mine.begin; site < mine.end; ++site) {
        lattice::Coordinates x;
        Index rest = part_.in_held(site);
        for (int d = 0; d < held.rank(); ++d) {
          x[d] = static_cast<int>(rest % held[d]);
          rest /= held[d];
        }
        const lattice::Place at = geometry_.place(x);
        const Index whole = part_.in_whole(site);
        for (int c = 0; c < shape_.components; ++c) {
          T* const first =
              to + ((at.group * shape_.components + c) * geometry_.nsimd + at.lane) * parts;
          for (int p = 0; p < parts; ++p)
            first[p] = static_cast<T>(number(seed, whole, c, p));
        }
      }
    });
    if (!direct) copy_bytes_to_device(queue_, field.data(), to, bytes());
    queue_.wait();
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
