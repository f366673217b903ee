// What a run of a system begins with: datasets of its INPUT, or a snapshot.
#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>

#include "app/spacing.hpp"
#include "evolve_system_command.hpp"
#include "io/hdf5_attribute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::app {

void SystemCommand::require_known(const DatasetName& group,
                                  const std::vector<std::string>& there) const {
  std::vector<std::string> known = names_;
  known.insert(known.end(), kernel_.looks.begin(), kernel_.looks.end());
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].data) missing.push_back(fmt::format("{} ({:g})", names_[i], fields_[i].value));
  }
  const Handle file = open_hdf5(group.file);
  for (const std::string& name : there) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string path = group.path + "/" + name;
    const Handle data(H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(data ? H5Dget_space(data.id()) : H5I_INVALID_HID, H5Sclose);
    const std::string near = lab::nearest_word(name, names_);
    const bool alike = space && H5Sget_simple_extent_ndims(space.id()) == dimensions_;
    constexpr std::size_t telling = 4; // letters; coordinates have shorter names
    if (!space || (!alike && (near.empty() || name.size() < telling))) continue;
    const std::string meant =
        near.empty() ? "; it takes" : fmt::format("; did you mean {}? It takes", near);
    if (!missing.empty()) {
      throw UsageError(fmt::format("{}: {} takes no dataset {}{} {}; missing are {}, which count "
                                   "as the numbers in brackets; "
                                   "rename {}, or keep it in another group",
                                   group.file.string(), kernel_.name, path, meant,
                                   list_in(names_, ", "), list_in(missing, ", "), path));
    }
    tell(fmt::format("{}: {} takes no dataset {}, which counts for nothing", group.file.string(),
                     kernel_.name, path));
  }
}

void SystemCommand::require_medium(const DatasetName& group) const {
  const Handle file = open_hdf5(group.file);
  const Handle at(H5Oopen(file.id(), group.path.empty() ? "/" : group.path.c_str(), H5P_DEFAULT),
                  H5Oclose);
  Index step = 0;
  std::string medium;
  if (!at || !read_attribute(at, "step", step) || H5Aexists(at.id(), "time") <= 0 ||
      read_attribute(at, medium_attribute, medium))
    return;
  std::vector<std::string> missing;
  std::string first;
  for (std::size_t i = 0; i < fields_.size() && !starts_; ++i) {
    if (fields_[i].data || kernel_.is_state(array_of(names_[i]))) continue;
    missing.push_back(fmt::format("{} ({:g})", names_[i], fields_[i].value));
    if (first.empty()) first = names_[i];
  }
  if (missing.empty()) return;
  throw UsageError(fmt::format(
      "{} is a snapshot of an earlier ridge, which kept no medium in it; {} would count as the "
      "numbers in brackets; copy the datasets into it, such as by h5copy -i MEDIUM.h5 -o {} -s "
      "/{} -d {}/{}",
      to_text(group), list_in(missing, ", "), group.file.string(), first, group.path, first));
}

std::vector<chain::SystemField>
SystemCommand::choose_fields(const DatasetName& group, const std::vector<std::string>& there) {
  const auto is_there = [&](const std::string& name) {
    return std::find(there.begin(), there.end(), name) != there.end();
  };
  starts_ = static_cast<bool>(kernel_.start);
  if (!starts_) return kernel_.given;
  std::vector<chain::SystemField> states;
  std::vector<std::string> missing;
  for (int a = 0; a < arrays(); ++a) {
    if (!kernel_.is_state(a)) continue;
    states.push_back({name_of(a)});
    if (!is_there(name_of(a))) missing.emplace_back(name_of(a));
  }
  if (missing.size() == states.size()) return kernel_.given;
  const std::string range = fmt::format("{} to {}", states.front().name, states.back().name);
  if (!missing.empty()) {
    throw UsageError(fmt::format("{}: {} takes {} all together, or none of them; {} is not in {}",
                                 group.file.string(), kernel_.name, range, missing.front(),
                                 group.path.empty() ? "/" : group.path));
  }
  for (const chain::SystemField& field : kernel_.given) {
    const bool is_look =
        std::find(kernel_.looks.begin(), kernel_.looks.end(), field.name) != kernel_.looks.end();
    if (is_look || !is_there(field.name)) continue;
    throw UsageError(fmt::format("{}: '{}' is beside {}, which say it themselves; give it with {}, "
                                 "or leave it out",
                                 group.file.string(), field.name, range,
                                 fmt::join(kernel_.looks, ", ")));
  }
  starts_ = false;
  if (!goes_on_) {
    tell(fmt::format("{} has {}: the run begins with them, and {} beside them count for nothing",
                     group.file.string(), range, fmt::join(kernel_.looks, ", ")));
  }
  return states;
}

void SystemCommand::open_fields() {
  DatasetName group = parse_dataset_name(run_["input"], "INPUT");
  group.file = found(group.file);
  const std::vector<std::string> there = names_in(open_hdf5(group.file), group.path);
  std::string names;
  const InputDataset* first = nullptr;
  std::string first_name;
  for (const chain::SystemField& field : choose_fields(group, there)) {
    StartField one{{}, field.value};
    if (std::find(there.begin(), there.end(), field.name) != there.end())
      one.data.emplace(DatasetName{group.file, group.path + "/" + field.name});
    names += (names.empty() ? "" : ", ") + std::string(field.name);
    if (one.data) {
      for (const fs::path& file : one.data->files())
        plan_.reads(file, "the input");
    } else if (std::isnan(field.value)) {
      throw UsageError(fmt::format("{}: {} needs a dataset {}/{}", group.file.string(),
                                   kernel_.name, group.path, field.name));
    }
    fields_.push_back(std::move(one));
    names_.emplace_back(field.name);
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].data) continue;
    const InputDataset& data = *fields_[i].data;
    const Index3 n = data.extents().xyz();
    const chain::Offset extra = extra_of(names_[i]);
    const Index3 range{n.x - extra.x, n.y - extra.y, n.z - extra.z};
    if (first == nullptr) {
      first = &data;
      first_name = names_[i];
      extents_ = range;
      bytes_ = data.element_bytes();
      dimensions_ = data.extents().rank();
    }
    if (range != extents_ || data.element_bytes() != bytes_) {
      throw UsageError(fmt::format(
          "'{}' has {} numbers of {} bytes, and '{}' has {} of {}: their staggering does not "
          "fit; "
          "for a range of {}x{}x{}, '{}' has {}x{}x{}",
          names_[i], to_text(data.extents()), data.element_bytes(), first_name,
          to_text(first->extents()), first->element_bytes(), extents_.x, extents_.y, extents_.z,
          names_[i], extents_.x + extra.x, extents_.y + extra.y, extents_.z + extra.z));
    }
  }
  if (first == nullptr) {
    const bool has_snapshots = is_system_run(group.file);
    throw UsageError(
        fmt::format("{} has none of the datasets that {} takes: {} in {}{}", group.file.string(),
                    kernel_.name, names, group.path.empty() ? "/" : group.path,
                    !has_snapshots ? ""
                                   : "; its snapshots are groups, such as " + group.file.string() +
                                         ":/snapshots/0000000000"));
  }
  if (!goes_on_) {
    require_medium(group);
    require_known(group, there);
  }
  if (dimensions_ > kernel_.dimensions()) {
    throw UsageError(fmt::format("{} has {} dimensions, and '{}' has {}", kernel_.name,
                                 kernel_.dimensions(), first_name, dimensions_));
  }
  if (!kernel_.storage.empty() && bytes_ != 4) {
    throw UsageError(fmt::format("--store-as {} computes in fp32; {} is fp64", kernel_.storage,
                                 to_text(first->name())));
  }
  const std::string spacing = goes_on_ ? "" : o_.spacing.empty() ? "1" : o_.spacing;
  if (goes_on_) {
    setup_.spacing = {number_in(run_, "spacing_x"), number_in(run_, "spacing_y"),
                      number_in(run_, "spacing_z")};
  } else {
    const stencil::Spacing h = parse_spacing(spacing, dimensions_);
    setup_.spacing = {h.x, h.y, h.z};
    run_["spacing_x"] = exact(h.x);
    run_["spacing_y"] = exact(h.y);
    run_["spacing_z"] = exact(h.z);
  }
  setup_.extents = extents_;
  setup_.element_bytes = bytes_;
}

void SystemCommand::read_plane(const StartField& field, Index z, std::vector<double>& to) const {
  if (!field.data) {
    std::fill(to.begin(), to.end(), field.value);
    return;
  }
  const Index3 n = field.data->extents().xyz();
  to.resize(static_cast<std::size_t>(n.x * n.y));
  Piece piece;
  if (dimensions_ == 3) piece = {{z, 0, 0}, {1, n.y, n.x}, 0, n.x * n.y};
  if (dimensions_ == 2) piece = {{0, 0}, {n.y, n.x}, 0, n.x * n.y};
  if (dimensions_ == 1) piece = {{0}, {n.x}, 0, n.x};
  if (bytes_ == 8) {
    field.data->read(piece, to.data());
    return;
  }
  std::vector<float> narrow(to.size());
  field.data->read(piece, narrow.data());
  std::copy(narrow.begin(), narrow.end(), to.begin());
}

void SystemCommand::fill() {
  if (starts_ && !goes_on_) {
    fill_by_start();
  } else if (!starts_) {
    if (kernel_.has_bodies && !goes_on_) require_codes(fields_);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const int a = array_of(names_[i]);
      if (goes_on_ && kernel_.is_state(a)) continue;
      const Index3 n = points_of(a);
      const comm::Box own = own_points(a);
      std::vector<double> plane(static_cast<std::size_t>(n.x * n.y));
      for (Index z = own.begin.z; z < own.end.z; ++z) {
        read_plane(fields_[i], z, plane);
        if (kernel_.is_state(a)) count_odd(plane, n.x);
        put(a, z, plane);
      }
    }
  }
  if (goes_on_) fill_from_snapshot();
  odd_ = static_cast<Index>(ranks_.sum(static_cast<double>(odd_)));
  if (odd_ > 0 && ranks_.rank() == 0)
    fmt::print(stderr, "ridge: the start holds {} values that are not finite; they pass through\n",
               odd_);
  const auto beyond = static_cast<Index>(ranks_.sum(static_cast<double>(system_->beyond_range())));
  begins_odd_ = beyond > 0 || odd_ > 0;
  if (beyond > 0 && ranks_.rank() == 0)
    fmt::print(stderr,
               "ridge: {} values of the start are beyond the range of {} and count as infinite\n",
               beyond, kernel_.storage);
  system_->started();
}

std::vector<double> SystemCommand::started_plane(Index z) {
  const auto points = static_cast<std::size_t>(extents_.x * extents_.y);
  const auto all = static_cast<std::size_t>(arrays());
  std::vector<std::vector<double>> from(fields_.size(), std::vector<double>(points));
  for (std::size_t i = 0; i < fields_.size(); ++i)
    read_plane(fields_[i], z, from[i]);
  std::vector<double> given(fields_.size());
  std::vector<double> made(points * all);
  const auto start = at_points().start;
  for (std::size_t p = 0; p < points; ++p) {
    double* const here = made.data() + p * all;
    for (std::size_t i = 0; i < from.size(); ++i)
      given[i] = from[i][p];
    start(given.data(), here);
    // A value that counts for nothing, as in solids, is not told of.
    const bool counts =
        std::any_of(here, here + all, [](double value) { return !std::isfinite(value); });
    for (std::size_t i = 0; i < from.size() && !counts; ++i)
      from[i][p] = 0;
  }
  if (z >= own_.begin.z && z < own_.end.z && odd_planes_.insert(z).second) {
    for (const std::vector<double>& field : from)
      count_odd(field, extents_.x);
  }
  return made;
}

Index SystemCommand::plane_beside(Index i, int d, int by) const {
  const Index n = comm::along(extents_, d);
  const bool round =
      setup_.walls.front()[static_cast<std::size_t>(d)][0].kind == chain::Wall::periodic;
  return round ? (i + by + n) % n : std::clamp<Index>(i + by, 0, n - 1);
}

std::vector<double> SystemCommand::begun_plane(Index z, Planes& around) {
  const auto all = static_cast<std::size_t>(arrays());
  if (!starts_) { // the arrays themselves
    std::vector<double> made(static_cast<std::size_t>(extents_.x * extents_.y) * all);
    std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      read_plane(fields_[i], z, plane);
      const auto a = static_cast<std::size_t>(array_of(names_[i]));
      for (std::size_t p = 0; p < plane.size(); ++p)
        made[p * all + a] = plane[p];
    }
    return made;
  }
  if (!kernel_.start_beside) return started_plane(z);
  const Index needed[] = {plane_beside(z, 2, -1), z, plane_beside(z, 2, 1)};
  std::erase_if(around, [&](const auto& plane) {
    return std::find(std::begin(needed), std::end(needed), plane.first) == std::end(needed);
  });
  for (const Index one : needed) {
    if (!around.contains(one)) around.emplace(one, started_plane(one));
  }
  std::vector<double> made = around.at(z);
  Index3 at{0, 0, z};
  const chain::StartedBeside started = [&](const chain::Offset& by) {
    const Index x = plane_beside(at.x, 0, by.x);
    const Index y = plane_beside(at.y, 1, by.y);
    return around.at(plane_beside(at.z, 2, by.z)).data() +
           static_cast<std::size_t>(x + extents_.x * y) * all;
  };
  for (at.y = 0; at.y < extents_.y; ++at.y) {
    for (at.x = 0; at.x < extents_.x; ++at.x)
      kernel_.start_beside(started,
                           made.data() + static_cast<std::size_t>(at.x + extents_.x * at.y) * all);
  }
  return made;
}

void SystemCommand::fill_by_start() {
  const auto all = static_cast<std::size_t>(arrays());
  Planes around;
  std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
  for (Index z = own_.begin.z; z < own_.end.z; ++z) {
    const std::vector<double> made = begun_plane(z, around);
    for (std::size_t a = 0; a < all; ++a) {
      if (!kernel_.is_state(static_cast<int>(a))) continue;
      for (std::size_t p = 0; p < plane.size(); ++p)
        plane[p] = made[p * all + a];
      put(static_cast<int>(a), z, plane);
    }
  }
}

void SystemCommand::fill_from_snapshot() {
  const fs::path file = fs::path(o_.restart).parent_path() / snapshots_.back().file;
  plan_.reads(file, "the snapshot");
  if (kernel_.has_bodies) {
    std::vector<StartField> populations;
    for (int a = 0; a < 2; ++a)
      populations.push_back({InputDataset({file, std::string("/") + name_of(a)}), 0});
    require_codes(populations);
  }
  for (int a = 0; a < arrays(); ++a) {
    if (!kernel_.is_state(a)) continue;
    const StartField field{InputDataset({file, std::string("/") + name_of(a)}), 0};
    const Index3 n = points_of(a);
    const comm::Box own = own_points(a);
    if (field.data->extents().xyz() != n || field.data->element_bytes() != bytes_)
      throw UsageError(fmt::format("{} does not fit the run's input", file.string()));
    std::vector<double> plane(static_cast<std::size_t>(n.x * n.y));
    for (Index z = own.begin.z; z < own.end.z; ++z) {
      read_plane(field, z, plane);
      count_odd(plane, n.x);
      put(a, z, plane);
    }
  }
}

} // namespace ridge::app
