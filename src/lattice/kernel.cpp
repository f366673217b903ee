#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/kernel.hpp>
#include <ridge/record/measure.hpp>

#include "cub_sum.hpp"

#include <fmt/format.h>

namespace ridge::lattice {

SiteShape find_site(const std::string& name, int real_bytes) {
  std::string names;
  for (const SiteShape& site : {SiteShape{144, true, real_bytes}, SiteShape{12, true, real_bytes},
                                SiteShape{9, true, real_bytes}, SiteShape{3, true, real_bytes},
                                SiteShape{1, true, real_bytes}, SiteShape{1, false, real_bytes}}) {
    const std::string known = site_name(site);
    if (name.empty() || name == known) return site;
    names += (names.empty() ? "" : ", ") + known;
  }
  throw UsageError(fmt::format("unknown site type '{}'; the site types are {}", name, names));
}

Lattice lattice_for(const BenchRequest& request) {
  return Lattice(request.size, request.options.get("width", Lattice::default_width));
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
  const Timing timing = measure(
      queue, [&] { sum.run(); }, request.measure);
  record.timing = timing;
  Achievement reached;
  reached.rate =
      static_cast<double>(record.work.read.value + record.work.written.value) / timing.median.value;
  reached.unit = "B/s";
  reached.roof_name = "read";
  reached.roof = ceiling != nullptr ? ceiling->value : 0;
  record.achieved = reached;
  return record;
}

template std::optional<Record> vendor_sum(Queue&, const Span<const float>&, const Span<float>&,
                                          const BenchRequest&, RoofSource&, Record);
template std::optional<Record> vendor_sum(Queue&, const Span<const double>&, const Span<double>&,
                                          const BenchRequest&, RoofSource&, Record);

} // namespace ridge::lattice
