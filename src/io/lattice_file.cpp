#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/io/lattice_file.hpp>

#include "../core/refuse.hpp"
#include "hdf5_error.hpp"
#include "hdf5_handle.hpp"
#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace ridge::io {

namespace {

constexpr const char* checksum_name = "ridge_checksum";

/// The HDF5 dimensions of a field: slowest first, then components, then parts.
std::vector<hsize_t> dimensions(const SiteData& sites) {
  std::vector<hsize_t> all;
  for (int d = sites.extents.rank() - 1; d >= 0; --d)
    all.push_back(static_cast<hsize_t>(sites.extents[d]));
  all.push_back(static_cast<hsize_t>(sites.shape.components));
  all.push_back(static_cast<hsize_t>(sites.shape.parts()));
  return all;
}

std::string to_text(const std::vector<hsize_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}

hid_t real_type(const SiteData& sites) {
  return sites.shape.real_bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

[[noreturn]] void fail(const std::string& doing, const std::filesystem::path& file) {
  throw Failure(fmt::format("{} {}: {}", doing, file.string(), hdf5_reason()));
}

/// Removes a file that was not finished.
class Unfinished {
public:
  explicit Unfinished(const std::filesystem::path& target)
      : path_(target.string() + fmt::format(".{}.partial", ::getpid())) {}
  ~Unfinished() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void become(const std::filesystem::path& target) {
    sync_file(path_, target);
    std::error_code error;
    std::filesystem::rename(path_, target, error);
    if (error) {
      throw Failure(fmt::format("writing {}: {}", target.string(), error.message()));
    }
    path_.clear();
    sync_folder_of(target);
  }

private:
  std::filesystem::path path_;
};

/// Throws UsageError unless the dataset is of the extents, components and precision expected.
void check_shape(const std::filesystem::path& file, const std::string& name, const Handle& dataset,
                 const SiteData& sites) {
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> there(static_cast<std::size_t>(std::max(rank, 0)));
  H5Sget_simple_extent_dims(space.id(), there.data(), nullptr);
  refuse_if(there != dimensions(sites),
            "{}:{} has dimensions {}; a field of {} {} numbers on lattice {} has {}", file.string(),
            name, to_text(there), sites.shape.components, sites.shape.complex ? "complex" : "real",
            ridge::to_text(sites.extents), to_text(dimensions(sites)));
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  refuse_if(H5Tget_class(type.id()) != H5T_FLOAT ||
                H5Tget_size(type.id()) != static_cast<std::size_t>(sites.shape.real_bytes),
            "{}:{} is not of {}-byte floating-point numbers", file.string(), name,
            sites.shape.real_bytes);
}

/// What a dataset says its checksum is; nothing where it has no such number.
std::optional<std::uint64_t> stated_checksum(const Handle& dataset) {
  if (H5Aexists(dataset.id(), checksum_name) <= 0) return {};
  const Handle attribute(H5Aopen(dataset.id(), checksum_name, H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  std::uint64_t stated = 0;
  if (H5Sget_simple_extent_npoints(space.id()) != 1 ||
      H5Aread(attribute.id(), H5T_NATIVE_UINT64, &stated) < 0)
    return {};
  return stated;
}

} // namespace

std::uint64_t checksum(const SiteData& sites) {
  const Index count = sites.extents.count() * sites.shape.components * sites.shape.parts();
  std::atomic<std::uint64_t> total{0};
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(count, thread, threads);
    std::uint64_t sum = 0;
    for (Index i = mine.begin; i < mine.end; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, static_cast<const char*>(sites.reals) + i * sites.shape.real_bytes,
                  static_cast<std::size_t>(sites.shape.real_bytes));
      sum += mix_bits(bits ^ mix_bits(static_cast<std::uint64_t>(i)));
    }
    total += sum;
  });
  return total;
}

void save_sites(const std::filesystem::path& target, const std::string& name,
                const SiteData& sites) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Unfinished unfinished(target);
  Handle file(H5Fcreate(unfinished.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              H5Fclose);
  if (!file) fail("writing", target);
  const auto sizes = dimensions(sites);
  const Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                     H5Sclose);
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups.id(), 1);
  Handle dataset(H5Dcreate2(file.id(), name.c_str(), real_type(sites), space.id(), groups.id(),
                            H5P_DEFAULT, H5P_DEFAULT),
                 H5Dclose);
  if (!dataset ||
      H5Dwrite(dataset.id(), real_type(sites), H5S_ALL, H5S_ALL, H5P_DEFAULT, sites.reals) < 0) {
    fail("writing", target);
  }
  const std::uint64_t sum = checksum(sites);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  Handle attribute(
      H5Acreate2(dataset.id(), checksum_name, H5T_STD_U64LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute || H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &sum) < 0 || !attribute.close() ||
      !dataset.close() || !file.close()) {
    fail("writing", target);
  }
  unfinished.become(target);
}

SitesChecksum read_sites(const std::filesystem::path& path, const std::string& name,
                         const SiteData& sites) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  refuse_if(!std::filesystem::exists(path), "there is no file {}", path.string());
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) fail("reading", path);
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  refuse_if(!dataset, "there is no dataset {} in {}", name, path.string());
  check_shape(path, name, dataset, sites);
  SitesChecksum sum{stated_checksum(dataset), 0};
  if (H5Dread(dataset.id(), real_type(sites), H5S_ALL, H5S_ALL, H5P_DEFAULT, sites.reals) < 0) {
    fail("reading", path);
  }
  sum.found = checksum(sites);
  return sum;
}

void load_sites(const std::filesystem::path& path, const std::string& name, const SiteData& sites) {
  const SitesChecksum sum = read_sites(path, name, sites);
  refuse_if(!sum.stated, "{}:{} has no checksum; it is not a field that ridge saved", path.string(),
            name);
  if (sum.found != *sum.stated) {
    throw Failure(fmt::format("{}:{} is damaged: its checksum is {:016x} instead of {:016x}",
                              path.string(), name, sum.found, *sum.stated));
  }
}

} // namespace ridge::io
