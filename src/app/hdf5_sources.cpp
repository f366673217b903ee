// Where the values of a dataset lie: its own file, external files, the sources of a virtual one.
#include "../core/refuse.hpp"
#include "hdf5_input.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>

namespace ridge::app {

namespace fs = std::filesystem;

namespace {

/// Sources may be virtual themselves.
constexpr int deepest = 16;

/// Text of a function of the library that fills a buffer: read(buffer, size) returns its length.
template <class Read>
std::string text_from(const Read& read) {
  const auto length = read(nullptr, std::size_t{0});
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (!text.empty()) (void)read(text.data(), text.size() + 1);
  return text;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "${ORIGIN}" in a prefix is the folder of the dataset's own file.
fs::path expanded(const std::string& prefix, const fs::path& own_file) {
  constexpr std::string_view origin = "${ORIGIN}";
  if (!prefix.starts_with(origin)) return prefix;
  return own_file.parent_path() / fs::path(prefix.substr(origin.size())).relative_path();
}

std::vector<hsize_t> extents_of(const Handle& space) {
  std::vector<hsize_t> sizes(
      static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.id()), 0)));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return sizes;
}

/// What a mapping takes of its source.
struct Taken {
  std::vector<hsize_t> extents; ///< at least; none of all of it, and where it grows with the source
  std::optional<hsize_t> all;   ///< so many values, where it takes all
};

Taken taken_by(const Handle& made, std::size_t mapping) {
  const Handle source(H5Pget_virtual_srcspace(made.id(), mapping), H5Sclose);
  const Handle target(H5Pget_virtual_vspace(made.id(), mapping), H5Sclose);
  if (H5Sget_select_type(source.id()) == H5S_SEL_ALL)
    return {{}, static_cast<hsize_t>(H5Sget_select_npoints(target.id()))};
  std::vector<hsize_t> last = extents_of(source);
  std::vector<hsize_t> first(last.size());
  if (H5Sget_select_bounds(source.id(), first.data(), last.data()) < 0) return {};
  for (hsize_t& size : last)
    ++size;
  return {last, std::nullopt};
}

/// Nothing where a source of these extents has what is taken; else how much that is.
std::string too_much(const Taken& taken, const std::vector<hsize_t>& there) {
  if (taken.all) {
    const hsize_t count =
        std::accumulate(there.begin(), there.end(), hsize_t{1}, std::multiplies<>());
    return count == *taken.all ? "" : std::to_string(*taken.all);
  }
  const bool holds = taken.extents.empty() ||
                     (there.size() == taken.extents.size() &&
                      std::equal(taken.extents.begin(), taken.extents.end(), there.begin(),
                                 [](hsize_t a, hsize_t b) { return a <= b; }));
  return holds ? "" : fmt::format("{}", fmt::join(taken.extents, "x"));
}

/// A name with the number of a block for its "%b", as the library reads it: "%%" is a percent sign.
std::string of_block(const std::string& pattern, unsigned long long block) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '%' && next == '%') {
      name += '%';
      ++i;
    } else if (pattern[i] == '%' && next == 'b') {
      name += std::to_string(block);
      ++i;
    } else {
      name += pattern[i];
    }
  }
  return name;
}

/// Looks at a dataset and at all that it is made of.
class Sources {
public:
  void look(const Handle& file, const std::string& path, const std::string& called, int depth) {
    refuse_if(depth > deepest, "{} is made of virtual datasets, more than {} one in another",
              called, int{deepest});
    const Handle dataset(H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) return; // who reads it says why
    const fs::path own =
        text_from([&](char* to, std::size_t size) { return H5Fget_name(dataset.id(), to, size); });
    add(own);
    const Handle made(H5Dget_create_plist(dataset.id()), H5Pclose);
    const Handle access(H5Dget_access_plist(dataset.id()), H5Pclose);
    if (H5Pget_layout(made.id()) == H5D_VIRTUAL) {
      look_at_mappings(made, access, own, called, depth);
    } else if (H5Pget_external_count(made.id()) > 0) {
      look_at_external(dataset, made, access, own, called);
    }
  }

  [[nodiscard]] const std::vector<fs::path>& files() const { return files_; }

private:
  void add(const fs::path& file) {
    if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
  }

  void look_at_external(const Handle& dataset, const Handle& made, const Handle& access,
                        const fs::path& own, const std::string& called) {
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const Handle type(H5Dget_type(dataset.id()), H5Tclose);
    auto rest = static_cast<std::uintmax_t>(H5Sget_simple_extent_npoints(space.id())) *
                H5Tget_size(type.id());
    const auto given = text_from(
        [&](char* to, std::size_t size) { return H5Pget_efile_prefix(access.id(), to, size); });
    const std::string chosen = variable("HDF5_EXTFILE_PREFIX");
    const fs::path prefix = expanded(chosen.empty() ? given : chosen, own);
    const int count = H5Pget_external_count(made.id());
    for (int i = 0; i < count && rest > 0; ++i) {
      std::string name(4096, '\0');
      off_t begin = 0;
      hsize_t size = 0;
      if (H5Pget_external(made.id(), static_cast<unsigned>(i), name.size() - 1, name.data(), &begin,
                          &size) < 0)
        return; // who reads it says why
      const fs::path file = prefix / name.c_str();
      const std::uintmax_t taken = std::min<std::uintmax_t>(size, rest);
      const std::uintmax_t needed = static_cast<std::uintmax_t>(begin) + taken;
      std::error_code failed;
      const std::uintmax_t there = fs::file_size(file, failed);
      refuse_if(static_cast<bool>(failed),
                "{} has its values in the external file {}, which cannot be read: {}", called,
                file.string(), failed.message());
      refuse_if(there < needed,
                "{} takes {} bytes of the external file {}, which has {}: the rest would be read "
                "as zeros",
                called, needed, file.string(), there);
      add(file);
      rest -= taken;
    }
  }

  void look_at_mappings(const Handle& made, const Handle& access, const fs::path& own,
                        const std::string& called, int depth) {
    std::size_t count = 0;
    H5Pget_virtual_count(made.id(), &count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto text = [&](auto* get) {
        return text_from([&](char* to, std::size_t size) { return get(made.id(), i, to, size); });
      };
      const std::string file = text(&H5Pget_virtual_filename);
      const std::string path = text(&H5Pget_virtual_dsetname);
      const Taken taken = taken_by(made, i);
      const bool blocks =
          of_block(file, 0) != of_block(file, 1) || of_block(path, 0) != of_block(path, 1);
      // Of numbered blocks there are as many as are there; a gap is seen by the extents.
      for (unsigned long long block = 0;; ++block) {
        const bool there = look_at_source(of_block(file, block), of_block(path, block), access, own,
                                          called, taken, depth, !blocks);
        if (!blocks || !there) break;
      }
    }
  }

  /// False where it is not there, unless it must be.
  bool look_at_source(const std::string& file, const std::string& path, const Handle& access,
                      const fs::path& own, const std::string& called, const Taken& taken, int depth,
                      bool needed) {
    const Handle opened = open_source(file, access, own);
    const Handle dataset(opened ? H5Dopen2(opened.id(), path.c_str(), H5P_DEFAULT) : -1, H5Dclose);
    if (!dataset && !needed) return false;
    refuse_if(
        !dataset,
        "{} is a virtual dataset, and its source {}:{} {}: HDF5 would read the fill value there",
        called, file, path, opened ? "is not in that file" : "cannot be opened");
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const std::vector<hsize_t> there = extents_of(space);
    const std::string more = too_much(taken, there);
    refuse_if(!more.empty(),
              "{} is a virtual dataset that takes {} values of its source {}:{}, which has {}",
              called, more, file, path, fmt::join(there, "x"));
    look(opened, path, fmt::format("{}:{}", file, path), depth + 1);
    return true;
  }

  /// As the library looks for it: by prefixes, beside the virtual dataset's file, here.
  static Handle open_source(const std::string& file, const Handle& access, const fs::path& own) {
    if (file == ".") return {H5Fopen(own.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
    fs::path name = file;
    std::vector<fs::path> places;
    if (name.is_absolute()) {
      places.push_back(name);
      name = name.filename();
    }
    const std::string prefixes = variable("HDF5_VDS_PREFIX");
    for (std::size_t begin = 0; begin < prefixes.size();) {
      const std::size_t end = std::min(prefixes.find(':', begin), prefixes.size());
      places.push_back(expanded(prefixes.substr(begin, end - begin), own) / name);
      begin = end + 1;
    }
    const auto prefix = text_from(
        [&](char* to, std::size_t size) { return H5Pget_virtual_prefix(access.id(), to, size); });
    if (!prefix.empty()) places.push_back(expanded(prefix, own) / name);
    std::error_code failed;
    places.push_back(own.parent_path() / name);
    places.push_back(name);
    places.push_back(fs::weakly_canonical(own, failed).parent_path() / name);
    for (const fs::path& place : places) {
      if (!fs::exists(place, failed)) continue;
      Handle opened(H5Fopen(place.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
      if (opened) return opened;
    }
    return {};
  }

  std::vector<fs::path> files_;
};

/// Of a virtual dataset that grows with its sources: all that any source has, or what all have.
std::vector<hsize_t> extents_by(const Handle& file, const std::string& path, H5D_vds_view_t view) {
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_virtual_view(access.id(), view);
  const Handle dataset(H5Dopen2(file.id(), path.c_str(), access.id()), H5Dclose);
  const Handle space(H5Dget_space(dataset.id()), H5Sclose);
  return extents_of(space);
}

} // namespace

std::vector<fs::path> sources_of(const Handle& file, const DatasetName& name) {
  Sources sources;
  sources.look(file, name.path, to_text(name), 0);
  const auto most = extents_by(file, name.path, H5D_VDS_LAST_AVAILABLE);
  const auto common = extents_by(file, name.path, H5D_VDS_FIRST_MISSING);
  refuse_if(most != common,
            "{} is a virtual dataset of {} values, of which its sources have {} without a gap: "
            "HDF5 would read the fill value in the rest",
            to_text(name), fmt::join(most, "x"), fmt::join(common, "x"));
  return sources.files();
}

} // namespace ridge::app
