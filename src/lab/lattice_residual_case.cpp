// The lab's reduction of an expression.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/lattice_check.hpp>
#include <ridge/lab/lattice_residual.hpp>
#include <ridge/lab/rank_shares.hpp>
#include <ridge/lattice/menu.hpp>

#include "lattice_bench.hpp"
#include "rank_residual.hpp"

#include <fmt/format.h>

namespace ridge::lab {

namespace {

using lattice::ColourMatrix;
using lattice::ColourVector;
using OnRecord = std::function<void(const Record&)>;

template <class T, bool Exact>
class ResidualCase final : public Case {
public:
  ResidualCase(std::string name, const BenchRequest& request)
      : name_(std::move(name)), queue_(request.device),
        lattice_(request.size, residual_width<T>(request)), f_{field<ColourMatrix<T>>("u", 1),
                                                               field<ColourVector<T>>("x", 2),
                                                               field<ColourVector<T>>("b", 3)},
        result_(request.device), call_(call()) {}

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
  std::string name_;
  Queue queue_;
  lattice::Lattice lattice_;
  ResidualFields<T> f_;
  lattice::DeviceResult<double> result_;
  lattice::SiteReduceCall<ResidualNorm2<T, Exact>> call_;
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
                        lattice::Lattice(r.size).geometry(shape.number_bytes())},
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
  kernel.make_rank_case = [=](const BenchRequest& request, comm::Communicator& ranks,
                              const std::string& grid) {
    check_precision(request.precision);
    // What ranks find is added up; the bits of reproducible sums would not stay so.
    return Exact ? rank_residual_case(name, request, ranks, grid)
                 : share_case(name, make, request, ranks, grid);
  };
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
