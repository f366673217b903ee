#include <ridge/lattice/record.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::lattice {

std::string site_name(const SiteShape& shape) {
  if (!shape.complex) {
    return shape.components == 1 ? "real" : fmt::format("{} real numbers", shape.components);
  }
  switch (shape.components) {
  case 144:
    return "propagator";
  case 12:
    return "spinor";
  case 9:
    return "matrix";
  case 3:
    return "vector";
  case 1:
    return "complex";
  default:
    return fmt::format("{} complex numbers", shape.components);
  }
}

std::string site_name(const SiteShape& shape, const Geometry& g) {
  const int width = g.nsimd * shape.number_bytes();
  std::string name = site_name(shape);
  if (width != Lattice::default_width) name += fmt::format(", width {}", width);
  return name;
}

Work work_of(const Geometry& g, const SiteShape& shape, int read, int written, double flops) {
  const Bytes field{g.sites() * shape.site_bytes()};
  Work work;
  work.read = {read * field.value};
  work.written = {written * field.value};
  work.flops = flops * static_cast<double>(g.sites() * shape.components * shape.parts());
  work.items = g.sites();
  work.convention = fmt::format("bytes: {} of {} read once, {} written; {} {} numbers a site",
                                read == 1 ? "one field" : fmt::format("{} fields", read),
                                ridge::to_text(field), written > 0 ? "one" : "none",
                                shape.components, shape.complex ? "complex" : "real");
  return work;
}

Record record_of(const Device& device, const Geometry& g, const SiteShape& shape, Work work,
                 const Schedule& schedule, std::string_view kernel) {
  std::array<Index, max_rank> size{};
  for (int d = 0; d < g.rank; ++d)
    size[static_cast<std::size_t>(d)] = g.extent(d);
  Record record;
  record.pattern = "lattice";
  record.kernel = kernel;
  record.site = site_name(shape, g);
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = shape.real_bytes == 4 ? "fp32" : "fp64";
  record.size = Extents(size.data(), g.rank);
  record.schedule = to_text(schedule);
  record.work = std::move(work);
  record.in_cache =
      record.work.read.value + record.work.written.value <= device.facts().last_level_cache.value;
  return record;
}

void FieldsWork::add(Index& bytes, std::vector<const void*>& fields, const void* data,
                     std::size_t size) {
  if (std::find(fields.begin(), fields.end(), data) != fields.end()) return;
  fields.push_back(data);
  bytes += static_cast<Index>(size);
}

Work FieldsWork::work(double flops, std::string_view counted) const {
  Work work;
  work.read = {read_ * sites_};
  work.written = {written_ * sites_};
  work.flops = flops * static_cast<double>(sites_);
  work.items = sites_;
  work.convention = fmt::format("bytes: {} fields read once, {} a site, {} written, {} a site; {}",
                                read_fields_.size(), ridge::to_text(Bytes{read_}),
                                written_fields_.size(), ridge::to_text(Bytes{written_}), counted);
  return work;
}

} // namespace ridge::lattice
