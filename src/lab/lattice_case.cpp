#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/kernels/lattice_stored.hpp>
#include <ridge/lab/lattice_kernel.hpp>
#include <ridge/record/measure.hpp>

#include "cub_sum.hpp"
#include "kernels/lattice_stored_case.hpp"

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
                          request.options.get("width", lattice::Lattice::default_width));
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
  const Timing timing = measure(queue, [&] { sum.run(); }, request.measure);
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

StoredPart stored_share(const std::string& kernel, const BenchRequest& request, bool halves) {
  if (!request.world) return {request.size, halves};
  const comm::Communicator& ranks = *request.world.ranks;
  const Extents grid = request.world.grid.empty()
                           ? lattice::choose_stored_ranks(ranks.ranks(), request.size, halves)
                           : shares_grid(request.world, request.size, kernel);
  return {request.size, grid, ranks.rank(), halves};
}

int link_reals(const std::string& kernel, const BenchRequest& request, int otherwise) {
  if (request.options.has("width"))
    throw UsageError(fmt::format("--width is for fields in boxes; {} has other fields", kernel));
  const std::string site = request.options.get("site", "");
  if (site == "links18") return 18;
  if (site == "links12") return 12;
  if (site.empty()) return otherwise;
  throw UsageError(fmt::format(
      "--site of {} is links18 or links12, the numbers of a link, not '{}'", kernel, site));
}

} // namespace ridge::lab
