#include "lattice_residual_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/lattice_check.hpp>
#include <ridge/lab/lattice_residual.hpp>
#include <ridge/record/memory_roof.hpp>

#include "account.hpp"

#include <fmt/format.h>

#include <optional>

namespace ridge::lab {

namespace {

using lattice::ColourMatrix;
using lattice::ColourVector;
using lattice::DeviceResult;
using lattice::Lattice;
using Kind = MemoryRoof::Kind;
template <class Site>
using LatticeField = lattice::Field<Site>;

template <class T>
class ResidualBench {
public:
  ResidualBench(const BenchRequest& request, bool reproducible)
      : request_(request), reproducible_(reproducible), queue_(request.device),
        lattice_(request.size), f_{field<ColourMatrix<T>>("u", 1), field<ColourVector<T>>("x", 2),
                                   field<ColourVector<T>>("b", 3)},
        result_(request.device) {}

  [[nodiscard]] Record record(RoofSource& roofs, const std::string& name) {
    std::optional<lattice::Schedule> schedule;
    std::string text = "default";
    if (request_.schedule != "auto" && request_.schedule != "all") {
      schedule = lattice::parse_schedule(request_.schedule, request_.device,
                                         lattice::Task::expression, f_.b.shape(), f_.b.geometry())
                     .schedule;
      text = lattice::to_text(*schedule);
    }
    const auto launch = [&] {
      on_kind_of(request_.device, [&]<class Target>(Target) {
        Residual<T, Target>::norm2(queue_, f_, result_, reproducible_, schedule);
      });
    };
    Record record = described(name, text);
    launch();
    record.check = check();
    const auto time = [&] { return measure(queue_, launch, request_.measure); };
    const bool beside = request_.device.kind() == DeviceKind::cpu && !record.in_cache;
    if (beside) {
      MemoryRoof roof(queue_, Kind::read, f_.u.bytes(), f_.u.reals().data, f_.u.reals().data,
                      f_.u.reals().data);
      account(record, measure_beside(roof, time), "read");
    } else {
      const Ceiling* const ceiling = roofs.find("read");
      account(record, Beside{time(), ceiling != nullptr ? ceiling->value : 0}, "read");
    }
    return record;
  }

private:
  template <class Site>
  LatticeField<Site> field(const char* what, std::uint64_t seed) {
    LatticeField<Site> all(request_.device, lattice_, what);
    fill_random(queue_, all.reals(), seed);
    return all;
  }

  Record described(const std::string& name, const std::string& schedule) const {
    Record record;
    record.pattern = "lattice";
    record.kernel = name;
    record.device = request_.device.id();
    record.device_name = request_.device.facts().name;
    record.precision = sizeof(T) == 4 ? "fp32" : "fp64";
    record.size = request_.size;
    record.schedule = schedule;
    record.work.read = {f_.u.bytes().value + f_.x.bytes().value + f_.b.bytes().value};
    record.work.flops = 90.0 * static_cast<double>(lattice_.sites());
    record.work.items = lattice_.sites();
    record.work.convention = fmt::format("bytes: a matrix and two vectors a site, {} in all, read "
                                         "once, none written",
                                         ridge::to_text(record.work.read));
    record.in_cache = record.work.read.value <= request_.device.facts().last_level_cache.value;
    return record;
  }

  /// Against the norm of the residual as another kernel stores it, in plain loops.
  Check check() {
    LatticeField<ColourVector<T>> z(request_.device, lattice_, "z");
    on_kind_of(request_.device,
               [&]<class Target>(Target) { Residual<T, Target>::store(queue_, f_, z); });
    lattice::ReduceCall<T> call;
    call.what = lattice::Reduction::norm2;
    call.shape = z.shape();
    call.geometry = z.geometry();
    call.x = z.reals();
    const auto got = result_.get(queue_);
    return check_results(expected_results(queue_, call), got, sizeof(T) == 8 ? 1e-12 : 1e-6);
  }

  const BenchRequest& request_;
  bool reproducible_;
  Queue queue_;
  Lattice lattice_;
  ResidualFields<T> f_;
  DeviceResult<double> result_;
};

BenchKernel kernel_of(const std::string& name, const std::string& meaning, bool reproducible) {
  const auto run = [=](const BenchRequest& request, RoofSource& roofs,
                       const std::function<void(const Record&)>& on_record) {
    if (request.precision == "fp64") {
      on_record(ResidualBench<double>(request, reproducible).record(roofs, name));
    } else if (request.precision == "fp32") {
      on_record(ResidualBench<float>(request, reproducible).record(roofs, name));
    } else {
      throw UsageError(
          fmt::format("unknown precision '{}'; {} has fp32 and fp64", request.precision, name));
    }
  };
  return {name, "lattice", meaning, Extents{64, 64, 32, 32}, run};
}

} // namespace

void add_lattice_expressions(std::vector<BenchKernel>& kernels) {
  kernels.push_back(kernel_of("lattice-residual",
                              "norm2(b - adj(u) x) of colour vectors and a matrix, in one pass",
                              false));
  kernels.push_back(kernel_of("lattice-residual-reproducible",
                              "the same, with the same bits on every device", true));
}

} // namespace ridge::lab
