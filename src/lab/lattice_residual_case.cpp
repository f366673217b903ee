// The lab's reduction of an expression.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/lattice_check.hpp>
#include <ridge/lab/lattice_residual.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/rank_reduce_expression.hpp>
#include <ridge/lattice/width.hpp>

#include "lattice_bench.hpp"
#include "rank_plain.hpp"
#include "sum_over_ranks.hpp"

#include <fmt/format.h>

namespace ridge::lab {

namespace {

using lattice::ColourMatrix;
using lattice::ColourVector;
using lattice::Lattice;

/// Of the vectors of its fields: that of the device where none is asked for.
template <class T>
[[nodiscard]] int residual_width(const BenchRequest& request) {
  constexpr int number_bytes = 2 * sizeof(T);
  return request.width != 0 ? request.width
                            : lattice::width_for(request.device, request.size, number_bytes);
}

template <class T, bool Exact>
class ResidualCase : public Case {
public:
  ResidualCase(std::string name, const BenchRequest& request)
      : ResidualCase(std::move(name), request.device,
                     Lattice(request.size, residual_width<T>(request))) {}
  ResidualCase(std::string name, const Device& device, const Lattice& on)
      : name_(std::move(name)), queue_(device),
        lattice_(on), f_{field<ColourMatrix<T>>("u", 1), field<ColourVector<T>>("x", 2),
                         field<ColourVector<T>>("b", 3)},
        result_(device), call_(call()) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {queue_, call_, held<lattice::Schedule>(s), name_};
  }
  void poison() override {
    fill_bytes(queue_, result_.doubles().data, 0xff, Bytes{sizeof(double)});
  }
  /// Against the norm of the residual as another kernel stores it, in plain loops.
  [[nodiscard]] Check check() override {
    lattice::Field<ColourVector<T>> z(queue_.device(), lattice_, "z");
    Program(queue_, lattice::assign_call(z, residual(f_))).run();
    const auto norm2 = lattice::reduce_call(lattice::Norm2{}, z, result_);
    return check_results(expected_results(queue_, norm2), result_.get(queue_),
                         sizeof(T) == 8 ? 1e-12 : 1e-6);
  }
  [[nodiscard]] std::vector<double> results() override { return result_.get(queue_); }
  [[nodiscard]] Span<const double> results_on_device() const override {
    const Span<double> all = result_.doubles();
    return {all.data, all.size};
  }
  [[nodiscard]] Limit limit() const override {
    const Bytes read = f_.u.bytes() + f_.x.bytes() + f_.b.bytes();
    T* const u = f_.u.reals().data;
    return {"read", "B/s", static_cast<double>(read.value), std::nullopt,
            RoofMemory{MemoryRoof::Kind::read, f_.u.bytes(), u, u, nullptr}};
  }

private:
  template <class Site>
  lattice::Field<Site> field(const char* what, std::uint64_t seed) {
    lattice::Field<Site> all(queue_.device(), lattice_, what);
    fill_random(queue_, all.reals(), seed);
    return all;
  }
  [[nodiscard]] auto call() const {
    if constexpr (Exact) {
      return lattice::reduce_call(lattice::Norm2{}, lattice::reproducible(residual(f_)), result_);
    } else {
      return lattice::reduce_call(lattice::Norm2{}, residual(f_), result_);
    }
  }

protected:
  std::string name_;
  Queue queue_;
  Lattice lattice_;
  ResidualFields<T> f_;

private:
  lattice::DeviceResult<double> result_;
  lattice::SiteReduceCall<ResidualNorm2<T, Exact>> call_;
};

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

/// The reproducible sum over ranks. Where messages need no host, every rank's device has the
/// result, as on one rank: nobody waits.
template <class T>
class RankResidualCase final : public SumOverRanks<ResidualCase<T, true>> {
public:
  RankResidualCase(const std::string& name, const BenchRequest& request)
      : RankResidualCase(name, request, part_of_rank(request, name, residual_width<T>(request))) {}

  void poison() override { total_ = -1; }
  /// Against plain loops over the sites on the host: the same bits, and nearly the sum in long
  /// double.
  [[nodiscard]] Check check() override {
    total_ = reduction_.result();
    const PlainSums plain = plain_sums(this->part_, 1, [&](Index site, PlainSums& sums) {
      const Index whole = this->part_.in_whole(site);
      for (int c = 0; c < 3; ++c) {
        const auto rounded = plain_residual<T>(whole, c);
        const auto exact = plain_residual<long double>(whole, c);
        sums.add(0, square<double>({rounded.re, rounded.im}), square(exact));
      }
    });
    return compare_with(this->ranks_, this->part_, -1, plain, {total_},
                        sizeof(T) == 8 ? 1e-12 : 1e-6);
  }

private:
  using Base = SumOverRanks<ResidualCase<T, true>>;
  static constexpr std::uint64_t seed_u = 1, seed_x = 2, seed_b = 3;

  RankResidualCase(const std::string& name, const BenchRequest& request, const RankLattice& part)
      : Base(request, part, name, request.device, part.held()),
        reduction_(this->ranks_, this->queue_, part,
                   lattice::detail::summand_of(lattice::Norm2{},
                                               lattice::reproducible(residual(this->f_))),
                   lattice::Subset::all, {.name = name}) {
    const auto set = [&](const auto& field, std::uint64_t seed) {
      set_site_numbers(this->queue_, field.reals(), field.shape(), part, seed);
    };
    set(this->f_.u, seed_u);
    set(this->f_.x, seed_x);
    set(this->f_.b, seed_b);
  }

  void run_compute() override { reduction_.launch_own(); }
  void run_exchange() override {
    reduction_.launch_messages();
    if (!reduction_.needs_no_host()) total_ = reduction_.result();
  }
  [[nodiscard]] Record record() const override {
    Record record = reduction_.record();
    record.details.push_back(
        {"exchange_bytes", static_cast<double>(reduction_.gathered().value), {}});
    record.details.push_back({"result", total_, {}});
    return record;
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

  lattice::RankReduction<ResidualNorm2<T, true>> reduction_;
  double total_ = 0;
};

/// To the model its three fields are one, of all their numbers: they are read alike.
template <bool Exact>
std::unique_ptr<Menu> residual_menu(const BenchRequest& r, const Place& place) {
  using Summand = ResidualNorm2<double, Exact>;
  const lattice::SiteShape shape{lattice::components_of<ColourMatrix<double>> +
                                     2 * lattice::components_of<ColourVector<double>>,
                                 true, r.precision == "fp32" ? 4 : 8};
  constexpr int held = lattice::components_of<ColourMatrix<double>>;
  const double flops = lattice::flops_of<Summand> / (shape.components * shape.parts());
  return lattice::menu({{{lattice::Task::expression, Exact}, 1, 0, flops, held},
                        shape,
                        Lattice(r.size).geometry(shape.number_bytes())},
                       place);
}

template <bool Exact>
BenchKernel kernel_of(const std::string& name, const std::string& meaning) {
  const auto check_precision = [=](const std::string& precision) {
    if (precision == "fp32" || precision == "fp64") return;
    throw UsageError(fmt::format("unknown precision '{}'; {} has fp32 and fp64", precision, name));
  };
  const auto make = [=](const BenchRequest& request, RoofSource&) -> std::unique_ptr<Case> {
    check_precision(request.precision);
    if (request.precision == "fp64")
      return std::make_unique<ResidualCase<double, Exact>>(name, request);
    return std::make_unique<ResidualCase<float, Exact>>(name, request);
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{64, 64, 32, 32}, make};
  kernel.make_menu = [=](const BenchRequest& r, const Place& place) {
    check_precision(r.precision);
    return residual_menu<Exact>(r, place);
  };
  kernel.add_ranks([=](const BenchRequest& request, RoofSource& roofs) -> std::unique_ptr<Case> {
    check_precision(request.precision);
    // What ranks find is added up; the bits of reproducible sums would not stay so.
    if (!Exact) return share_case(name, make, request, roofs);
    if (request.precision == "fp32")
      return std::make_unique<RankResidualCase<float>>(name, request);
    return std::make_unique<RankResidualCase<double>>(name, request);
  });
  return kernel;
}

} // namespace

void add_lattice_expressions(std::vector<BenchKernel>& kernels) {
  kernels.push_back(kernel_of<false>(
      "lattice-residual", "norm2(b - adj(u) x) of colour vectors and a matrix, in one pass"));
  kernels.push_back(kernel_of<true>("lattice-residual-reproducible",
                                    "the same, with the same bits on every device"));
}

} // namespace ridge::lab
