#include "lattice_case.hpp"

#include <ridge/core/error.hpp>
#include <ridge/doctor/patients.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/record/measure.hpp>

#include "account.hpp"
#include "asked_schedules.hpp"
#include "lattice_bench.hpp"

#include <fmt/format.h>

namespace ridge::lab {

using lattice::SiteShape;

SiteShape find_site(const std::string& name, int real_bytes) {
  std::string names;
  for (const SiteShape& site : {SiteShape{144, true, real_bytes}, SiteShape{12, true, real_bytes},
                                SiteShape{9, true, real_bytes}, SiteShape{3, true, real_bytes},
                                SiteShape{1, true, real_bytes}, SiteShape{1, false, real_bytes}}) {
    const std::string known = lattice::site_name(site);
    if (name.empty() || name == known) return site;
    names += (names.empty() ? "" : ", ") + known;
  }
  throw UsageError(fmt::format("unknown site type '{}'; the site types are {}", name, names));
}

Limit lattice_limit(int read, int written, Bytes size, const RoofMemory& memory) {
  using Kind = MemoryRoof::Kind;
  const char* const name = memory.kind == Kind::read   ? "read"
                           : memory.kind == Kind::copy ? "copy"
                                                       : "triad";
  return {name, "B/s", static_cast<double>((read + written) * size.value), std::nullopt, memory};
}

std::vector<AskedSchedule> lattice_schedules(const std::string& asked, const Device& device,
                                             lattice::Task task, const SiteShape& shape,
                                             const lattice::Geometry& g) {
  return asked_schedules(
      asked,
      [&](const std::string& text) {
        return lattice::parse_schedule(text, device, task, shape, g);
      },
      [&] { return lattice::named_schedules(device, task, g); },
      [&] { return lattice::schedule_space(device, task, g); },
      [](const lattice::Schedule& s) { return lattice::to_text(s); });
}

template <class T>
std::optional<Record> vendor_sum(Queue& queue, const Span<const T>& values, const Span<T>& result,
                                 const BenchRequest& request, RoofSource& roofs, Record record) {
  const DeviceKind kind = queue.device().kind();
  if (kind != DeviceKind::cuda || find_offer(kind, typeid(CubSum<T>)) == nullptr) return {};
  const Bound sum =
      offered<BindCubSum<T>>(kind, typeid(CubSum<T>))(queue, CubSum<T>{values, result});
  const Ceiling* const ceiling = roofs.find("read");
  record.schedule = "cub::DeviceReduce::Sum of one field's numbers";
  record.schedule_name = "cub";
  account(record,
          Beside{measure(
                     queue, [&] { sum.run(); }, request.measure),
                 ceiling != nullptr ? ceiling->value : 0},
          "read");
  return record;
}

template std::optional<Record> vendor_sum(Queue&, const Span<const float>&, const Span<float>&,
                                          const BenchRequest&, RoofSource&, Record);
template std::optional<Record> vendor_sum(Queue&, const Span<const double>&, const Span<double>&,
                                          const BenchRequest&, RoofSource&, Record);

namespace {

void check_precision(const std::string& name, const std::string& precision) {
  if (precision == "fp32" || precision == "fp64") return;
  throw UsageError(fmt::format("unknown precision '{}'; {} has fp32 and fp64", precision, name));
}

/// A kernel of both precisions; `make(T{}, request, roofs)` gives its case in either.
template <class Make>
BenchKernel kernel_of(const std::string& name, const std::string& meaning,
                      const doctor::FieldUse& use, const Make& make) {
  const auto either = [=](const BenchRequest& request, RoofSource& roofs) -> std::unique_ptr<Case> {
    check_precision(name, request.precision);
    if (request.precision == "fp32") return make(float{}, request, roofs);
    return make(double{}, request, roofs);
  };
  BenchKernel kernel{name, "lattice", meaning, Extents{32, 32, 32, 32}, either};
  kernel.make_patient = [=](const doctor::Examination& e) {
    check_precision(name, e.precision);
    return doctor::lattice_patient(use, find_site(e.site, e.precision == "fp32" ? 4 : 8), e);
  };
  return kernel;
}

constexpr double coefficient = 0.75;

/// `make(T{})` is the reduction.
template <class Make>
BenchKernel reduction(const std::string& name, const std::string& meaning, const Make& make,
                      bool slices = false, bool reproducible = false) {
  using R = decltype(make(double{}));
  const doctor::FieldUse use{
      {R::by_component ? lattice::Task::reduce_tensor : lattice::Task::reduce_number, reproducible,
       slices},
      R::inputs,
      R::stores ? 1 : 0,
      R::flops};
  return kernel_of(name, meaning, use,
                   [=]<class T>(T number, const BenchRequest& request, RoofSource& roofs) {
                     const auto functor = make(number);
                     using F = std::remove_const_t<decltype(functor)>;
                     return std::make_unique<ReduceCase<F, T>>(name, functor, request, roofs,
                                                               slices, reproducible);
                   });
}
template <class Make>
BenchKernel map(const std::string& name, const std::string& meaning, const Make& make) {
  using M = decltype(make(double{}));
  const doctor::FieldUse use{lattice::Task::map, M::inputs, 1, M::flops};
  return kernel_of(name, meaning, use,
                   [=]<class T>(T number, const BenchRequest& request, RoofSource&) {
                     const auto functor = make(number);
                     using F = std::remove_const_t<decltype(functor)>;
                     return std::make_unique<MapCase<F, T>>(name, functor, request);
                   });
}

} // namespace

void add_lattice_kernels(std::vector<BenchKernel>& kernels) {
  const auto sum = [](auto) { return lattice::Sum{}; };
  const auto norm2 = [](auto) { return lattice::Norm2{}; };
  const auto inner = [](auto) { return lattice::InnerProduct{}; };
  const auto axpy_norm = []<class T>(T) {
    return lattice::AxpyNorm<T>{{}, static_cast<T>(coefficient)};
  };
  const auto axpy = []<class T>(T) { return lattice::Axpy<T>{static_cast<T>(coefficient)}; };
  const auto scale = []<class T>(T) { return lattice::Scale<T>{static_cast<T>(coefficient)}; };
  for (const BenchKernel& kernel : {
           reduction("lattice-sum", "the sum of a field of site tensors (--site)", sum),
           reduction("lattice-norm2", "the sum of the squares of a field", norm2),
           reduction("lattice-inner", "the inner product of two fields", inner),
           reduction("lattice-axpy-norm", "z = a x + y and the norm2 of z", axpy_norm),
           map("lattice-axpy", "z = a x + y", axpy),
           map("lattice-scale", "z = a x", scale),
           reduction("lattice-slice-sum", "a sum for each slice of the last dimension", sum, true),
           reduction("lattice-slice-norm2", "the same of norm2", norm2, true),
           reduction("lattice-slice-inner", "the same of the inner product", inner, true),
           reduction("lattice-sum-reproducible",
                     "the sum with the same bits on every device and under every schedule", sum,
                     false, true),
           reduction("lattice-norm2-reproducible", "norm2 likewise", norm2, false, true),
           reduction("lattice-inner-reproducible", "the inner product likewise", inner, false,
                     true),
       })
    kernels.push_back(kernel);
}

} // namespace ridge::lab
