// Links in HDF5 files: the dataset /links of nt x nz x ny x nx x 36 x 2 numbers, mu slowest of the
// 36, with the checksum of lattice files, and the lines of a NERSC header as the attribute
// "header".
#include <ridge/core/error.hpp>
#include <ridge/io/lattice_file.hpp>

#include "../formats.hpp"
#include "io/hdf5_error.hpp"
#include "io/hdf5_handle.hpp"
#include "io/hdf5_text.hpp"

#include <fmt/format.h>

namespace ridge::io {

namespace {

namespace fs = std::filesystem;

constexpr const char* dataset_name = "/links";
constexpr const char* header_name = "header";
constexpr int components = 36;
/// Bytes of numbers that deflate makes one of, at most.
constexpr double most_compressed = 1100;

[[noreturn]] void fail(const char* doing, const fs::path& file) {
  throw Failure(fmt::format("{} {}: {}", doing, file.string(), hdf5_reason()));
}

GaugeCheck check_of(const SitesChecksum& sum) {
  const auto hexadecimal = [](std::uint64_t bits) { return fmt::format("{:016x}", bits); };
  return {"checksum", hexadecimal(sum.found),
          sum.stated ? hexadecimal(*sum.stated)
                     : "the attribute ridge_checksum of /links, which is not there",
          sum.stated == sum.found};
}

/// Throws Failure for extents of which the file can hold next to nothing: of a dataset in chunks
/// that were never written nothing is known but its extents, which memory may not hold.
void require_stored(const fs::path& path, const Handle& dataset, const Extents& extents,
                    const GaugeForm& form) {
  const Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return;
  const auto stored = H5Dget_storage_size(dataset.id());
  if (static_cast<double>(extents.count()) * static_cast<double>(bytes_of_site(form)) <=
      static_cast<double>(stored) * most_compressed)
    return;
  throw Failure(about(path, fmt::format("its /links of {} holds {} bytes: most of it was never "
                                        "written",
                                        ridge::to_text(extents), stored)));
}

/// What a file holds, as far as it says so.
struct Found {
  GaugeForm form{GaugeFormat::hdf5, 8, true, 3};
  GaugeConfiguration configuration;
};

Found look(const fs::path& path) {
  quiet_hdf5();
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) fail("reading", path);
  const Handle dataset(H5Dopen2(file.id(), dataset_name, H5P_DEFAULT), H5Dclose);
  if (!dataset) throw UsageError(about(path, "it has no dataset /links"));
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  constexpr int all = 6;
  hsize_t sizes[all] = {};
  if (H5Sget_simple_extent_ndims(space.id()) != all ||
      H5Sget_simple_extent_dims(space.id(), sizes, nullptr) != all || sizes[4] != components ||
      sizes[5] != 2)
    throw UsageError(about(path, "its /links is not of nt x nz x ny x nx x 36 x 2 numbers"));
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  Found found;
  found.form.real_bytes = static_cast<int>(H5Tget_size(type.id()));
  if (H5Tget_class(type.id()) != H5T_FLOAT ||
      (found.form.real_bytes != 4 && found.form.real_bytes != 8))
    throw UsageError(about(path, "its /links is not of fp32 or fp64 numbers"));
  Index extents[4];
  for (int d = 0; d < 4; ++d)
    extents[d] = static_cast<Index>(sizes[3 - d]);
  found.configuration.extents = Extents(extents, 4);
  require_stored(path, dataset, found.configuration.extents, found.form);
  if (H5Aexists(dataset.id(), header_name) > 0) {
    const auto header = text_attribute(dataset, header_name);
    if (!header)
      throw UsageError(about(path, "the attribute header of its /links is not one text"));
    found.configuration.header = parse_lines(path, *header);
  }
  return found;
}

SiteData site_data(const GaugeForm& form, const Extents& extents, void* reals) {
  return {{components, true, form.real_bytes}, extents, reals};
}

} // namespace

GaugeFile read_links_hdf5(const fs::path& file) {
  Found found = look(file);
  GaugeFile read;
  read.form = found.form;
  read.configuration = std::move(found.configuration);
  auto& links = read.configuration.links;
  links.resize(static_cast<std::size_t>(read.configuration.extents.count()) * 4);
  const auto sum_into = [&](void* reals) {
    return read_sites(file, dataset_name, site_data(read.form, read.configuration.extents, reals));
  };
  if (read.form.real_bytes == 4) {
    std::vector<float> reals(links.size() * 18);
    read.checks.push_back(check_of(sum_into(reals.data())));
    double* const to = &component(links.front(), 0).re;
    for (std::size_t i = 0; i < reals.size(); ++i)
      to[i] = static_cast<double>(reals[i]);
  } else {
    read.checks.push_back(check_of(sum_into(links.data())));
  }
  return read;
}

void write_links_hdf5(const fs::path& path, const GaugeForm& form, const GaugeConfiguration& c) {
  auto links = c.links; // what is saved is not const
  if (form.real_bytes == 4) {
    const double* const from = &component(links.front(), 0).re;
    std::vector<float> reals(from, from + links.size() * 18);
    save_sites(path, dataset_name, site_data(form, c.extents, reals.data()));
  } else {
    save_sites(path, dataset_name, site_data(form, c.extents, links.data()));
  }
  const std::string text = to_text(c.header);
  if (text.empty()) return;
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  Handle dataset(H5Dopen2(file.id(), dataset_name, H5P_DEFAULT), H5Dclose);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), text.size() + 1);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  Handle attribute(
      H5Acreate2(dataset.id(), header_name, type.id(), scalar.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute || H5Awrite(attribute.id(), type.id(), text.c_str()) < 0 || !attribute.close() ||
      !dataset.close() || !file.close())
    fail("writing", path);
}

} // namespace ridge::io
