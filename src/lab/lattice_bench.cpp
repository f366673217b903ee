#include "lattice_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/lattice_check.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/record/memory_roof.hpp>

#if RIDGE_WITH_CUDA
#include "cub_sum.hpp"
#endif

#include "account.hpp"
#include "asked_schedules.hpp"

#include <fmt/format.h>

#include <optional>

namespace ridge::lab {

namespace {

using OnRecord = std::function<void(const Record&)>;
using namespace lattice;
using Kind = MemoryRoof::Kind;

constexpr double coefficient = 0.75;
constexpr unsigned char poison = 0xff;

/// A site type of the lab, in either precision.
struct NamedSite {
  std::string name;
  int components;
  bool complex;
};

const std::vector<NamedSite>& sites() {
  static const std::vector<NamedSite> all{{"propagator", 144, true}, {"spinor", 12, true},
                                          {"matrix", 9, true},       {"vector", 3, true},
                                          {"complex", 1, true},      {"real", 1, false}};
  return all;
}

const NamedSite& find_site(const std::string& name) {
  if (name.empty()) return sites().front();
  std::string names;
  for (const NamedSite& site : sites()) {
    if (site.name == name) return site;
    names += (names.empty() ? "" : ", ") + site.name;
  }
  throw UsageError(fmt::format("unknown site type '{}'; the site types are {}", name, names));
}

/// One operation of the lab: a reduction or a map, and how its memory traffic is compared.
struct Operation {
  std::string name;
  std::optional<Reduction> reduction;
  Map map = Map::axpy;
  bool slices = false, reproducible = false;

  [[nodiscard]] int read() const {
    if (!reduction) return map == Map::axpy ? 2 : 1;
    return *reduction == Reduction::inner || *reduction == Reduction::axpy_norm ? 2 : 1;
  }
  [[nodiscard]] int written() const {
    return !reduction || *reduction == Reduction::axpy_norm ? 1 : 0;
  }
  [[nodiscard]] Kind roof() const {
    return written() == 0 ? Kind::read : read() == 1 ? Kind::copy : Kind::triad;
  }
  [[nodiscard]] Task task() const {
    if (!reduction) return Task::map;
    return {*reduction == Reduction::sum ? Task::reduce_tensor : Task::reduce_number, reproducible,
            slices};
  }
  /// Operations a real number.
  [[nodiscard]] double flops(bool complex) const {
    if (!reduction) return map == Map::axpy ? 2 : 1;
    switch (*reduction) {
    case Reduction::sum:
    case Reduction::max:
      return 1;
    case Reduction::norm2:
      return 2;
    case Reduction::inner:
      return complex ? 4 : 2;
    case Reduction::axpy_norm:
      return 4;
    }
    return 0;
  }
};

const char* roof_name(Kind kind) {
  return kind == Kind::read ? "read" : kind == Kind::copy ? "copy" : "triad";
}

/// One benchmark: fields, what is expected, and a record a schedule.
template <class T>
class LatticeBench {
public:
  LatticeBench(const Operation& op, const NamedSite& site, const BenchRequest& request,
               RoofSource& roofs)
      : op_(op), site_(site), request_(request),
        lattice_(request.size), shape_{site.components, site.complex, static_cast<int>(sizeof(T))},
        geometry_(lattice_.geometry(shape_.number_bytes())),
        reals_(geometry_.sites() * shape_.components * shape_.parts()), bytes_{reals_ *
                                                                               static_cast<Index>(
                                                                                   sizeof(T))},
        queue_(request.device) {
    const Device& device = request.device;
    beside_ = device.kind() == DeviceKind::cpu && moved() > device.facts().last_level_cache.value;
    if (!beside_) ceiling_ = roofs.find(roof_name(op.roof()));
    x_ = field("x", 1);
    if (op.read() > 1) y_ = field("y", 2);
    if (op.written() > 0 || beside_) z_ = field("z", 3);
    prepare_call();
  }

  void run(const OnRecord& on_record) {
    const Device& device = request_.device;
    const auto schedules = asked_schedules(
        request_.schedule,
        [&](const std::string& text) {
          return parse_schedule(text, device, op_.task(), shape_, geometry_);
        },
        [&] { return named_schedules(device, op_.task(), geometry_); },
        [&] { return schedule_space(device, op_.task(), geometry_); });
    ExpectedResults expected;
    if (op_.reduction) expected = expected_results(queue_, call_);
    for (const NamedSchedule& s : schedules) {
      Record record = record_of(s.name, lattice::to_text(s.schedule));
      if (op_.written() > 0) fill_bytes(queue_, z_.data(), poison, bytes_);
      launch(s.schedule);
      if (op_.reduction) {
        std::vector<double> got(static_cast<std::size_t>(call_.results()));
        copy_to_host(queue_, got.data(), static_cast<const double*>(result_.data()),
                     call_.results());
        queue_.wait();
        record.check = check_results(expected, got, sizeof(T) == 8 ? 1e-12 : 1e-6);
      } else {
        record.check = check_map(queue_, map_, sizeof(T) == 8 ? 1e-15 : 1e-6);
      }
      account(record, [&] {
        return measure(
            queue_, [&] { launch(s.schedule); }, request_.measure);
      });
      on_record(record);
    }
    yardstick(on_record);
  }

private:
  [[nodiscard]] Index moved() const { return (op_.read() + op_.written()) * bytes_.value; }

  Memory field(const char* what, std::uint64_t seed) {
    Memory memory(request_.device, bytes_, fmt::format("field {} of {}", what, op_.name));
    fill_random(queue_, Span<T>(static_cast<T*>(memory.data()), reals_), seed);
    return memory;
  }

  void prepare_call() {
    const auto all = [&](const Memory& m) { return Span<T>(static_cast<T*>(m.data()), reals_); };
    const T a = static_cast<T>(coefficient);
    map_ = {op_.map, geometry_, all(x_), all(y_), all(z_), a};
    if (!op_.reduction) return;
    call_.what = *op_.reduction;
    call_.reproducible = op_.reproducible;
    call_.shape = shape_;
    call_.geometry = geometry_;
    call_.x = map_.x;
    call_.y = map_.y;
    call_.z = map_.z;
    call_.a = a;
    call_.dimension = op_.slices ? lattice_.extents().rank() - 1 : -1;
    result_ = Memory(request_.device, Bytes{call_.results() * 8}, "the result");
    call_.result = {static_cast<double*>(result_.data()), call_.results()};
  }

  void launch(const Schedule& schedule) {
    if (op_.reduction) {
      reduce(queue_, call_, {schedule, op_.reproducible});
    } else {
      lattice::map(queue_, map_, shape_, schedule);
    }
  }

  Record record_of(const std::string& name, const std::string& schedule) const {
    Record record;
    record.pattern = "lattice";
    record.kernel = op_.name;
    record.site = site_.name;
    record.device = request_.device.id();
    record.device_name = request_.device.facts().name;
    record.precision = sizeof(T) == 4 ? "fp32" : "fp64";
    record.size = request_.size;
    record.schedule = schedule;
    record.schedule_name = name;
    record.work.read = {op_.read() * bytes_.value};
    record.work.written = {op_.written() * bytes_.value};
    record.work.flops = op_.flops(shape_.complex) * static_cast<double>(reals_);
    record.work.items = geometry_.sites();
    record.work.convention =
        fmt::format("bytes: {} of {} read once, {} written; {} {} numbers a site",
                    op_.read() == 1 ? "one field" : fmt::format("{} fields", op_.read()),
                    ridge::to_text(bytes_), op_.written() > 0 ? "one" : "none", shape_.components,
                    shape_.complex ? "complex" : "real");
    record.in_cache = moved() <= request_.device.facts().last_level_cache.value;
    return record;
  }

  void account(Record& record, const std::function<Timing()>& time) {
    if (beside_ && !roof_) {
      roof_.emplace(queue_, op_.roof(), bytes_, z_.data(), x_.data(),
                    y_.data() != nullptr ? y_.data() : x_.data());
    }
    lab::account(record,
                 beside_ ? measure_beside(*roof_, time)
                         : Beside{time(), ceiling_ != nullptr ? ceiling_->value : 0},
                 roof_name(op_.roof()));
  }

  /// On CUDA, beside all schedules of a reduction: the vendor's sum of as many bytes.
  void yardstick([[maybe_unused]] const OnRecord& on_record) {
#if RIDGE_WITH_CUDA
    if (request_.schedule != "all" || request_.device.kind() != DeviceKind::cuda ||
        !op_.reduction) {
      return;
    }
    CubSum<T> cub(queue_, map_.x);
    Record record = record_of("cub", "cub::DeviceReduce::Sum of one field's numbers");
    record.work.read = bytes_;
    record.work.written = {};
    cub.launch();
    ReduceCall<T> sum_of_all = call_;
    sum_of_all.what = Reduction::sum;
    sum_of_all.dimension = -1;
    sum_of_all.shape = {1, false, static_cast<int>(sizeof(T))};
    sum_of_all.geometry.nsimd *= shape_.components * shape_.parts();
    record.check = check_results(expected_results(queue_, sum_of_all), {cub.value()},
                                 sizeof(T) == 8 ? 1e-12 : 1e-4);
    account(record, [&] {
      return measure(
          queue_, [&] { cub.launch(); }, request_.measure);
    });
    record.achieved->roof_name = "read";
    on_record(record);
#endif
  }

  const Operation& op_;
  const NamedSite& site_;
  const BenchRequest& request_;
  Lattice lattice_;
  SiteShape shape_;
  Geometry geometry_;
  Index reals_;
  Bytes bytes_;
  Queue queue_;
  bool beside_ = false;
  const Ceiling* ceiling_ = nullptr;
  Memory x_, y_, z_, result_;
  MapCall<T> map_;
  ReduceCall<T> call_;
  std::optional<MemoryRoof> roof_;
};

BenchKernel kernel_of(const Operation& op, const std::string& meaning) {
  const auto run = [op](const BenchRequest& request, RoofSource& roofs, const OnRecord& on_record) {
    const NamedSite& site = find_site(request.site);
    if (op.reduction == Reduction::max && site.complex) {
      throw UsageError(fmt::format("{} is of real numbers; give --site real", op.name));
    }
    if (request.precision == "fp64") {
      LatticeBench<double>(op, site, request, roofs).run(on_record);
    } else if (request.precision == "fp32") {
      LatticeBench<float>(op, site, request, roofs).run(on_record);
    } else {
      throw UsageError(
          fmt::format("unknown precision '{}'; {} has fp32 and fp64", request.precision, op.name));
    }
  };
  return {op.name, "lattice", meaning, Extents{32, 32, 32, 32}, run};
}

} // namespace

void add_lattice_kernels(std::vector<BenchKernel>& kernels) {
  const auto add = [&](const Operation& op, const std::string& meaning) {
    kernels.push_back(kernel_of(op, meaning));
  };
  add({"lattice-sum", Reduction::sum}, "the sum of a field of site tensors (--site)");
  add({"lattice-norm2", Reduction::norm2}, "the sum of the squares of a field");
  add({"lattice-inner", Reduction::inner}, "the inner product of two fields");
  add({"lattice-axpy-norm", Reduction::axpy_norm}, "z = a x + y and the norm2 of z");
  add({"lattice-axpy", {}, Map::axpy}, "z = a x + y");
  add({"lattice-scale", {}, Map::scale}, "z = a x");
  add({"lattice-slice-sum", Reduction::sum, {}, true},
      "a sum for each slice of the last dimension");
  add({"lattice-slice-norm2", Reduction::norm2, {}, true}, "the same of norm2");
  add({"lattice-slice-inner", Reduction::inner, {}, true}, "the same of the inner product");
  add({"lattice-sum-reproducible", Reduction::sum, {}, false, true},
      "the sum with the same bits on every device and under every schedule");
  add({"lattice-norm2-reproducible", Reduction::norm2, {}, false, true}, "norm2 likewise");
  add({"lattice-inner-reproducible", Reduction::inner, {}, false, true},
      "the inner product likewise");
}

} // namespace ridge::lab
