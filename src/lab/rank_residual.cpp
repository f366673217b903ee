#include "rank_residual.hpp"

#include <ridge/core/error.hpp>
#include <ridge/lab/lattice_residual.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/rank_reduce_expression.hpp>

#include "rank_plain.hpp"

#include <fmt/format.h>

namespace ridge::lab {

namespace {

using lattice::ColourMatrix;
using lattice::ColourVector;
using lattice::RankLattice;

/// A complex number of plain loops, each operation of which is rounded by itself where T is float
/// or double.
template <class T>
struct PlainNumber {
  T re = 0, im = 0;
};
template <class T>
T rounded_product(T a, T b) {
  if constexpr (std::is_same_v<T, long double>) {
    return a * b;
  } else {
    return lattice::detail::opaque(a * b);
  }
}

template <class T>
class RankResidualCase final : public RankCase {
public:
  RankResidualCase(const std::string& name, const BenchRequest& request, comm::Communicator& ranks,
                   const std::string& grid)
      : ranks_(ranks), queue_(request.device),
        part_(request.size, shares_grid(ranks, grid, request.size, name), ranks.rank(), 0,
              residual_width<T>(request)),
        f_{field<ColourMatrix<T>>("u", seed_u), field<ColourVector<T>>("x", seed_x),
           field<ColourVector<T>>("b", seed_b)},
        reduction_(
            ranks, queue_, part_,
            lattice::detail::summand_of(lattice::Norm2{}, lattice::reproducible(residual(f_))),
            lattice::Subset::all, {.name = name}) {
    if (request.schedule != "auto") {
      throw UsageError(
          fmt::format("--schedule {}: over ranks {} runs under one schedule; give auto",
                      request.schedule, name));
    }
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  void bind() override {}
  /// Where messages need no host, every rank's device has the result, as on one rank: nobody waits.
  void run() override {
    run_compute();
    run_exchange();
  }
  void run_compute() override { reduction_.launch_own(); }
  void run_exchange() override {
    reduction_.launch_messages();
    if (!reduction_.needs_no_host()) total_ = reduction_.result();
  }
  [[nodiscard]] std::string roof_name() const override { return "read"; }
  [[nodiscard]] Extents share() const override {
    return greatest_share(part_.whole(), part_.ranks());
  }

  /// Against plain loops over the sites on the host: the same bits, and nearly the sum in long
  /// double.
  [[nodiscard]] Check check() override {
    total_ = -1;
    total_ = reduction_.run();
    const PlainSums plain = plain_sums(part_, 1, [&](Index site, PlainSums& sums) {
      const Index whole = part_.in_whole(site);
      for (int c = 0; c < 3; ++c) {
        const auto rounded = plain_residual<T>(whole, c);
        const auto exact = plain_residual<long double>(whole, c);
        sums.add(0, square<double>({rounded.re, rounded.im}), square(exact));
      }
    });
    return worst_of(
        ranks_, compare_with(ranks_, part_, -1, plain, {total_}, sizeof(T) == 8 ? 1e-12 : 1e-6));
  }

  [[nodiscard]] Record record() override {
    Record record = reduction_.record();
    total_ = reduction_.run();
    record.details.push_back(
        {"exchange_bytes", static_cast<double>(reduction_.gathered().value), {}});
    record.details.push_back({"result", total_, {}});
    return record;
  }

private:
  static constexpr std::uint64_t seed_u = 1, seed_x = 2, seed_b = 3;

  template <class Site>
  [[nodiscard]] lattice::Field<Site> field(const char* what, std::uint64_t seed) {
    lattice::Field<Site> mine(queue_.device(), part_.held(), what);
    set_site_numbers(queue_, mine.reals(), mine.shape(), part_, seed);
    return mine;
  }

  template <class Site, class R>
  [[nodiscard]] static PlainNumber<R> number(std::uint64_t seed, Index whole, int c) {
    const auto part = [&](int p) {
      // as the field holds it
      return static_cast<R>(
          static_cast<T>(site_number(seed, lattice::shape_of<Site>(), whole, c, p)));
    };
    return {part(0), part(1)};
  }
  /// Component c of b - adj(u) x.
  template <class R>
  [[nodiscard]] static PlainNumber<R> plain_residual(Index whole, int c) {
    PlainNumber<R> sum;
    for (int k = 0; k < 3; ++k) {
      const auto u = number<ColourMatrix<T>, R>(seed_u, whole, 3 * k + c); // conjugated below
      const auto x = number<ColourVector<T>, R>(seed_x, whole, k);
      const R re = rounded_product(u.re, x.re) + rounded_product(u.im, x.im);
      const R im = rounded_product(u.re, x.im) - rounded_product(u.im, x.re);
      sum = k == 0 ? PlainNumber<R>{re, im} : PlainNumber<R>{sum.re + re, sum.im + im};
    }
    const auto b = number<ColourVector<T>, R>(seed_b, whole, c);
    return {b.re - sum.re, b.im - sum.im};
  }
  template <class R>
  [[nodiscard]] static R square(const PlainNumber<R>& z) {
    return rounded_product(z.re, z.re) + rounded_product(z.im, z.im);
  }

  comm::Communicator& ranks_;
  Queue queue_;
  RankLattice part_;
  ResidualFields<T> f_;
  lattice::RankReduction<ResidualNorm2<T, true>> reduction_;
  double total_ = 0;
};

} // namespace

std::unique_ptr<RankCase> rank_residual_case(const std::string& name, const BenchRequest& request,
                                             comm::Communicator& ranks, const std::string& grid) {
  if (request.precision == "fp32")
    return std::make_unique<RankResidualCase<float>>(name, request, ranks, grid);
  return std::make_unique<RankResidualCase<double>>(name, request, ranks, grid);
}

} // namespace ridge::lab
