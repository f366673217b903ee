#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/record/measure.hpp>

#include "account.hpp"
#include "asked_schedules.hpp"
#include "cub_sum.hpp"
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

lattice::Lattice lattice_for(const BenchRequest& request) {
  return lattice::Lattice(request.size,
                          request.width == 0 ? lattice::Lattice::default_width : request.width);
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
  if (find_offer(kind, typeid(CubSum<T>)) == nullptr) return {};
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

void require_lattice_precision(const std::string& name, const std::string& precision) {
  if (precision == "fp32" || precision == "fp64") return;
  throw UsageError(fmt::format("unknown precision '{}'; {} has fp32 and fp64", precision, name));
}

namespace {
constexpr double coefficient = 0.75;
}

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
           reduction_kernel("lattice-sum", "the sum of a field of site tensors (--site)", sum),
           reduction_kernel("lattice-norm2", "the sum of the squares of a field", norm2),
           reduction_kernel("lattice-inner", "the inner product of two fields", inner),
           reduction_kernel("lattice-axpy-norm", "z = a x + y and the norm2 of z", axpy_norm),
           map_kernel("lattice-axpy", "z = a x + y", axpy),
           map_kernel("lattice-scale", "z = a x", scale),
           reduction_kernel("lattice-slice-sum", "a sum for each slice of the last dimension", sum,
                            true),
           reduction_kernel("lattice-slice-norm2", "the same of norm2", norm2, true),
           reduction_kernel("lattice-slice-inner", "the same of the inner product", inner, true),
           reduction_kernel("lattice-sum-reproducible",
                            "the sum with the same bits on every device and under every schedule",
                            sum, false, true),
           reduction_kernel("lattice-norm2-reproducible", "norm2 likewise", norm2, false, true),
           reduction_kernel("lattice-inner-reproducible", "the inner product likewise", inner,
                            false, true),
       })
    kernels.push_back(kernel);
}

} // namespace ridge::lab
