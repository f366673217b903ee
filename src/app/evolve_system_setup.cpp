// What a run of a system is: its arrays, step, walls, layers, sources and receivers, and its files.
#include <ridge/chain/system/on_arrays.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/source_digest.hpp>

#include "evolve_steps.hpp"
#include "evolve_system_command.hpp"
#include "kernel_options.hpp"
#include "spacing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::app {

namespace {

std::string exact(double number) {
  return fmt::format("{:a}", number);
}
double number_in(const SystemRun& run, const char* name) {
  const std::string& text = run.at(name);
  return std::strtod(text.c_str(), nullptr);
}
Index count_in(const SystemRun& run, const char* name) {
  return std::atoll(run.at(name).c_str());
}

std::string list_in(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words)
    all += (all.empty() ? "" : between) + word;
  return all;
}

} // namespace

SystemCommand::SystemCommand(const EvolveOptions& options, const SystemKernel& kernel)
    : o_(options), ranks_(comm::world()), kernel_(kernel), chain_(kernel.of_double),
      goes_on_(!options.restart.empty()), plan_(options.overwrite) {
  if (goes_on_) {
    begin_again();
  } else {
    begin_anew();
  }
  open_fields();
  choose_walls();
  divide();
  choose_step();
  choose_layers();
  read_probes();
  claim_traces();
  if (ranks_.rank() > 0) return; // the first one alone writes
  mark();
  claim();
}

void SystemCommand::begin_anew() {
  if (o_.input.empty())
    throw UsageError("an INPUT is needed: FILE.h5 with the arrays of the start");
  if (o_.output.empty()) throw UsageError("-o FILE.h5 is needed: where snapshots go");
  if (!o_.coefficients.empty() || !o_.before.empty() || o_.diffusivity || o_.speed) {
    throw UsageError(fmt::format("--coefficient, --before, --diffusivity and --speed are for "
                                 "stencils; {} takes its arrays from INPUT, by name",
                                 kernel_.name));
  }
  run_["kernel"] = o_.kernel;
  run_["folder"] = fs::current_path().string();
  run_["settings"] = list_in(o_.settings, " ");
  run_["input"] = o_.input;
  run_["boundary"] = o_.boundary;
  run_["absorb"] = o_.absorb;
  run_["absorb_width"] = fmt::format("{}", o_.absorb_width.value_or(usual_absorb_width));
  run_["source"] = o_.source;
  run_["wavelet"] = o_.wavelet;
  run_["receivers"] = o_.receivers;
  run_["by_step"] = list_in(o_.by_step, "\n");
  run_["storage"] = o_.store_as;
  if (o_.absorb_width && o_.absorb.empty()) throw UsageError("--absorb-width goes with --absorb");
  if (!o_.wavelet.empty() && o_.source.empty()) throw UsageError("--wavelet goes with --source");
  if (!o_.gather.empty() && o_.receivers.empty())
    throw UsageError("--gather goes with --receivers");
}

void SystemCommand::begin_again() {
  require_no_parameters(o_, {{!o_.source.empty(), "--source"},
                             {!o_.wavelet.empty(), "--wavelet"},
                             {!o_.receivers.empty(), "--receivers"},
                             {!o_.by_step.empty(), "--by-step"}});
  SystemRestart from = read_system_restart(o_.restart);
  run_ = std::move(from.run);
  snapshots_ = std::move(from.snapshots);
  if (!o_.gather.empty() && run_["receivers"].empty()) {
    throw UsageError(
        fmt::format("--gather is a picture of receivers, and the run in {} has none", o_.restart));
  }
  plan_.reads(o_.restart, "the run that goes on");
  setup_.first_step = snapshots_.back().step;
}

void SystemCommand::require_known(const DatasetName& group,
                                  const std::vector<std::string>& there) const {
  std::vector<std::string> known = names_;
  for (int a = 0; a < arrays(); ++a)
    known.emplace_back(name_of(a));
  known.insert(known.end(), kernel_.looks.begin(), kernel_.looks.end());
  std::vector<std::string> taken;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    taken.push_back(names_[i]);
    if (!fields_[i].data) missing.push_back(fmt::format("{} ({:g})", names_[i], fields_[i].value));
  }
  if (missing.empty()) return;
  const Handle file = open_hdf5(group.file);
  for (const std::string& name : there) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string path = group.path + "/" + name;
    const Handle data(H5Dopen2(file.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(data ? H5Dget_space(data.id()) : H5I_INVALID_HID, H5Sclose);
    if (!space || H5Sget_simple_extent_ndims(space.id()) != dimensions_) continue;
    throw UsageError(fmt::format(
        "{}: {} takes no dataset {}; it takes {}; missing are {}, which count as the numbers in "
        "brackets; rename {}, or keep it in another group",
        group.file.string(), kernel_.name, path, list_in(taken, ", "), list_in(missing, ", "),
        path));
  }
}

void SystemCommand::open_fields() {
  DatasetName group = parse_dataset_name(run_["input"], "INPUT");
  group.file = found(group.file);
  const std::vector<std::string> there = names_in(open_hdf5(group.file), group.path);
  std::string names;
  const InputDataset* first = nullptr;
  std::string first_name;
  for (const chain::SystemField& field : kernel_.given) {
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
    throw UsageError(fmt::format("{} has none of the datasets that {} takes: {} in {}",
                                 group.file.string(), kernel_.name, names,
                                 group.path.empty() ? "/" : group.path));
  }
  if (!goes_on_) require_known(group, there);
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

void SystemCommand::look_at_medium() {
  const bool has_speed = kernel_.speed && !kernel_.start;
  if (!has_speed && !kernel_.problem_at) return;
  for_each_point([&](const double* values, const Index3& at) {
    const auto refuse = [&](const std::string& what, double value, const char* right) {
      throw UsageError(fmt::format("{}: {} {:g} at point x={}, y={}, z={}, counted from 0; {} is "
                                   "right",
                                   run_["input"], what, value, at.x, at.y, at.z, right));
    };
    if (kernel_.problem_at) {
      if (const chain::FieldProblem found = kernel_.problem_at(values))
        refuse(fmt::format("'{}' is", found.field), found.value, found.right);
    }
    if (!has_speed) return;
    const double speed = kernel_.speed(values);
    if (!(speed >= 0) || !std::isfinite(speed))
      refuse("waves have a speed of", speed, "a finite one, 0 or more,");
    fastest_ = std::max(fastest_, speed);
  });
  fastest_ = ranks_.greatest(fastest_);
}

void SystemCommand::choose_step() {
  look_at_medium();
  const auto h = spacing_of_dimensions();
  const double stable = kernel_.stable_step && fastest_ > 0 ? kernel_.stable_step(h, fastest_) : 0;
  if (goes_on_) {
    setup_.dt = number_in(run_, "dt");
    dt_note_ = "as before";
    return;
  }
  const std::optional<double> asked = parse_dt(o_.dt);
  if (!kernel_.knows_step) {
    if (asked) throw UsageError(fmt::format("--dt: a step of {} counts as 1", kernel_.name));
    setup_.dt = 1;
    dt_note_ = "a step counts as 1";
  } else if (!asked) {
    if (stable <= 0) {
      throw UsageError(fmt::format("--dt: the largest stable step of {} is not known here; give a "
                                   "number",
                                   kernel_.name));
    }
    if (!std::isfinite(stable)) {
      throw UsageError(fmt::format(
          "--dt: any step of {} is stable on a single point; give a number", kernel_.name));
    }
    setup_.dt = part_of_stable * stable;
    dt_note_ = fmt::format("{:g} of the largest stable one, {:g}", part_of_stable, stable);
  } else {
    require_stable(*asked, stable, kernel_.name);
    setup_.dt = *asked;
    dt_note_ = stable > 0 ? fmt::format("the largest stable one is {:g}", stable) : "as given";
  }
  run_["dt"] = exact(setup_.dt);
}

std::array<double, 3> SystemCommand::spacing_of_dimensions() const {
  std::array<double, 3> h = setup_.spacing;
  const Index n[3] = {extents_.x, extents_.y, extents_.z};
  for (std::size_t d = 0; d < 3; ++d) {
    if (n[d] == 1) h[d] = std::numeric_limits<double>::infinity();
  }
  return h;
}

void SystemCommand::choose_walls() {
  std::vector<std::string> names;
  for (int a = 0; a < arrays(); ++a)
    names.emplace_back(name_of(a));
  std::string text = run_["boundary"];
  if (kernel_.only_periodic && text.empty()) text = "x=periodic,y=periodic,z=periodic";
  setup_.walls = chain::parse_walls(text, names);
  chain::require_axes(run_["boundary"], dimensions_);
  for (const auto& walls : setup_.walls) {
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t side = 0; side < 2; ++side) {
        const chain::Wall kind = walls[d][side].kind;
        const Index n = d == 0 ? extents_.x : d == 1 ? extents_.y : extents_.z;
        if (n > 1 && kernel_.only_periodic && kind != chain::Wall::periodic) {
          throw UsageError(fmt::format("--boundary: {} has periodic faces alone; walls are solid "
                                       "points of its start",
                                       kernel_.name));
        }
      }
    }
  }
  for (const auto& swap : kernel_.swaps)
    setup_.walls[static_cast<std::size_t>(swap[1])] =
        setup_.walls[static_cast<std::size_t>(swap[0])];
}

void SystemCommand::choose_layers() {
  if (run_["absorb"].empty()) return;
  if (!kernel_.absorbs)
    throw UsageError(fmt::format("--absorb is for waves about 0, and {} knows none", kernel_.name));
  if (fastest_ <= 0)
    throw UsageError(fmt::format("--absorb: {} says no speed of its waves", kernel_.name));
  setup_.layers.faces = parse_faces(run_["absorb"], dimensions_);
  setup_.layers.width = count_in(run_, "absorb_width");
  setup_.layers.speed = fastest_;
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (setup_.layers.faces[d][side] &&
          setup_.walls.front()[d][side].kind == chain::Wall::periodic) {
        throw UsageError(fmt::format("--absorb {}: {} is periodic; give it another boundary",
                                     run_["absorb"], "xyz"[d]));
      }
    }
  }
  if (!goes_on_) require_layers(setup_.layers.faces, setup_.layers.width, extents_);
}

void SystemCommand::choose_steps() {
  const std::optional<StepPlan> before =
      goes_on_ ? std::optional(StepPlan{count_in(run_, "target"), count_in(run_, "every")})
               : std::nullopt;
  const StepPlan plan = plan_steps(o_, setup_.first_step, before);
  target_ = plan.target;
  every_ = plan.every;
  run_["target"] = fmt::format("{}", target_);
  run_["every"] = fmt::format("{}", every_);
}

void SystemCommand::mark() {
  std::uint64_t hash = 0;
  const auto add = [&](double value) {
    hash = mix_bits(hash ^ std::bit_cast<std::uint64_t>(value));
  };
  std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
  for (std::size_t i = 0; i < fields_.size() && !kernel_.start; ++i) {
    if (!fields_[i].data || kernel_.is_state(array_of(names_[i]))) continue;
    for (Index z = 0; z < fields_[i].data->extents().xyz().z; ++z) {
      read_plane(fields_[i], z, plane);
      for (const double value : plane)
        add(value);
    }
  }
  for (const Places* places : {&sources_, &receivers_}) {
    for (const Places::Row& row : places->rows) {
      for (const double value : row.position)
        add(value);
      add(row.amplitude);
      for (const char c : row.array + row.wavelet)
        add(c);
    }
  }
  for (std::size_t i = 0; i < setup_.wavelets.size(); ++i) {
    if (file_of_wavelet(wavelets_[i]).empty()) continue; // Ricker's are as long as the run
    for (const double value : setup_.wavelets[i])
      add(value);
  }
  for (std::size_t i = 0; i < setup_.by_step.size(); ++i) {
    const std::string entry = words_in(run_["by_step"], '\n')[i];
    if (file_of_wavelet(entry.substr(entry.find('=') + 1)).empty()) continue;
    for (const double value : setup_.by_step[i].values)
      add(value);
  }
  require_same("checksum", fmt::format("{:016x}", hash),
               "the medium, sources, receivers or tables of the run in {} were changed since");
  if (!lab::names_a_file(run_["kernel"])) return;
  std::error_code failed;
  const fs::path there = fs::canonical(found(file_of_kernel(run_["kernel"])), failed);
  require_same("kernel_digest", failed ? std::string() : launch::source_digest(there.string()),
               "the kernel of the run in {} was changed since it began");
  plan_.reads(there, "the kernel's file");
}

void SystemCommand::require_same(const char* what, const std::string& now, const char* message) {
  if (goes_on_ && run_[what] != now)
    throw UsageError(fmt::format(fmt::runtime(message), o_.restart));
  run_[what] = now;
}

void SystemCommand::claim() {
  const fs::path& file = file_;
  output_.emplace(plan_, file, run_, continues() ? snapshots_ : std::vector<EvolveSnapshot>{});
  if (!setup_.receivers.empty()) {
    if (continues()) {
      plan_.continues(traces_file_, "the traces");
    } else {
      plan_.writes(traces_file_, "the traces");
    }
  }
  if (!o_.picture.empty()) plan_.writes_at_once(o_.picture, "the picture");
  if (!o_.gather.empty()) plan_.writes_at_once(o_.gather, "the picture of the gather");
  plan_.claim();
  if (!continues()) return;
  const SystemRestart now = read_system_restart(file);
  require_latest(now.snapshots == snapshots_, file);
}

} // namespace ridge::app
