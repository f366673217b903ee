#include "evolve_system.hpp"

#include <ridge/chain/system/stored.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/pattern/storage.hpp>

#include "app/commands.hpp"
#include "app/kernel_options.hpp"
#include "app/picture.hpp"
#include "app/run_device.hpp"
#include "app/stored_fields.hpp"
#include "evolve_system_command.hpp"
#include "io/file_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <chrono>
#include <cmath>
#include <tuple>

namespace ridge::app {

namespace {

chain::NumberValues numbers_of(const std::vector<std::string>& settings) {
  chain::NumberValues numbers;
  for (const lab::Setting& one : lab::parse_settings(settings))
    numbers.emplace_back(one.member, one.value);
  return numbers;
}

} // namespace

std::string exact(double number) {
  return fmt::format("{:a}", number);
}
double number_in(const SystemRun& run, const char* name) {
  return std::strtod(run.at(name).c_str(), nullptr);
}
Index count_in(const SystemRun& run, const char* name) {
  return std::atoll(run.at(name).c_str());
}
std::string list_in(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

void SystemCommand::execute() {
  queue_.emplace(
      device_of_run(comm::world(), o_.device, {o_.restart, run_["device"], run_["device_name"]}));
  // A schedule of ranks is that of the first one's part.
  const bool same = goes_on_ && to_text(queue_->device().id()) == run_["device"] && !setup_.part &&
                    run_.find("rank_grid") == run_.end();
  if (setup_.part) {
    run_["rank_grid"] = comm::to_text(setup_.part->grid.ranks());
  } else {
    run_.erase("rank_grid");
  }
  setup_.schedule = !o_.schedule.empty() ? o_.schedule : same ? run_["schedule"] : "auto";
  setup_.schedule = ranks_.gather_text(setup_.schedule)[0];
  setup_.schedule =
      chain::to_text(chain::parse_schedule(setup_.schedule, queue_->device(),
                                           kernel_.description(bytes_), setup_.extents)
                         .schedule);
  run_["device"] = to_text(queue_->device().id());
  run_["device_name"] = queue_->device().facts().name;
  run_["schedule"] = setup_.schedule;
  system_.emplace(*queue_, kernel_, setup_);
  fill();
  if (!kernel_.storage.empty()) sums_before_ = sums();
  say_begin();
  finite_ = kept_ = step();
  continues() ? ranks_.barrier() : keep();
  integrate();
  finish();
}

std::vector<SystemCommand::Sums> SystemCommand::sums() {
  std::vector<Sums> all;
  const auto add = [&](const std::string& name, Index planes, const auto& plane_of) {
    Sums one{name, {}};
    for (Index z = 0; z < planes; ++z) {
      for (const double value : plane_of(z))
        one.of.add(value);
    }
    all.push_back(one);
  };
  for (std::size_t i = 0; i < kernel_.looks.size(); ++i) {
    add(kernel_.looks[i], extents_.z, [&](Index z) {
      std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
      look_plane(i, z, plane.data());
      return plane;
    });
  }
  for (int a = 0; a < arrays() && kernel_.looks.empty(); ++a) {
    if (kernel_.is_state(a)) add(name_of(a), points_of(a).z, [&](Index z) { return get(a, z); });
  }
  return all;
}

/// Changes by rounding of what steps may conserve.
void SystemCommand::add_drifts(Record& record, const std::vector<Sums>& now) const {
  if (kernel_.wide != 0) record.details.push_back({"storage", 0, run_.at("storage")});
  for (std::size_t i = 0; i < now.size(); ++i) {
    const FieldSums& before = sums_before_[i].of;
    if (before.sizes != 0) add_drift(record, now[i].name + "_", before, now[i].of);
  }
}

/// Ends a run whose arrays are no longer finite, before another snapshot is written.
void SystemCommand::require_finite() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const double odd = ranks_.sum(static_cast<double>(system_->odd_numbers()));
  check_took_ = ranks_.greatest(std::chrono::duration<double>(Clock::now() - begin).count());
  checked_ = seconds();
  if (odd == 0) {
    finite_ = step();
    return;
  }
  progress_.clear();
  ranks_.barrier(); // the first to end ends all
  const std::string advice =
      !kernel_.storage.empty() ? fmt::format("they may be beyond the range of {}", kernel_.storage)
      : kernel_.knows_step
          ? fmt::format(
                "the step may be too large for what became of it: start anew from there with "
                "--dt {:.3g}, or less",
                (setup_.follows ? dt_ : setup_.dt) / 2)
          : "start anew from there with other numbers (--set)";
  throw Failure(
      fmt::format("stopped at step {}: {:.0f} values are NaN or infinite, and none was at "
                  "step {}; the last snapshot is {}; {}",
                  step(), odd, finite_, io::snapshot_beside(file_, kept_).string(), advice));
}

void SystemCommand::tell(const std::string& text) const {
  if (ranks_.rank() > 0) return;
  if (o_.json) {
    fmt::print(stderr, "ridge: {}\n", text);
  } else {
    fmt::print("{}\n", text);
  }
}

void SystemCommand::say_begin() const {
  if (o_.json) return;
  const Extents shown = dimensions_ == 1   ? Extents{extents_.x}
                        : dimensions_ == 2 ? Extents{extents_.x, extents_.y}
                                           : Extents{extents_.x, extents_.y, extents_.z};
  fmt::print("{} {} {} on {} ({}){}; dt {:g} ({}){}{}\n", run_.at("kernel"), to_text(shown),
             !kernel_.storage.empty() ? kernel_.storage
             : bytes_ == 4            ? "fp32"
                                      : "fp64",
             run_.at("device"), run_.at("device_name"),
             !setup_.part ? ""
                          : fmt::format("; {} ranks as {}", ranks_.ranks(),
                                        comm::to_text(setup_.part->grid.ranks())),
             setup_.dt, dt_note_,
             setup_.sources.empty() ? "" : fmt::format("; {} sources", setup_.sources.size()),
             setup_.receivers.empty() ? ""
                                      : fmt::format("; {} receivers", setup_.receivers.size()));
  std::fflush(stdout);
}

chain::PointFunctions SystemCommand::at_points() const {
  chain::NumberValues now;
  const Index steps = system_ ? system_->step() : setup_.first_step;
  for (const chain::StepTable& table : setup_.by_step) {
    const Index last = static_cast<Index>(table.values.size()) - 1;
    const Index step = std::clamp<Index>(steps - 1, 0, last);
    now.emplace_back(table.number, table.values[static_cast<std::size_t>(step)]);
  }
  return kernel_.at_points(now);
}

void SystemCommand::look_plane(std::size_t number, Index z, double* to) {
  const auto points = static_cast<std::size_t>(extents_.x * extents_.y);
  if (looked_z_ != z || looked_step_ != system_->step()) {
    looked_.assign(kernel_.looks.size(), std::vector<double>(points));
    std::vector<std::vector<double>> from;
    for (int a = 0; a < arrays(); ++a)
      from.push_back(kernel_.is_state(a) ? get(a, z) : std::vector<double>(points));
    std::vector<double> values(from.size());
    std::vector<double> seen(kernel_.looks.size());
    const auto look = at_points().look;
    for (std::size_t p = 0; p < points; ++p) {
      for (std::size_t a = 0; a < from.size(); ++a)
        values[a] = from[a][p];
      look(values.data(), seen.data());
      for (std::size_t i = 0; i < seen.size(); ++i)
        looked_[i][p] = seen[i];
    }
    looked_z_ = z;
    looked_step_ = system_->step();
  }
  std::copy(looked_[number].begin(), looked_[number].end(), to);
}

void SystemCommand::give(const std::vector<double>& plane, void* to) const {
  if (bytes_ == 8) {
    std::copy(plane.begin(), plane.end(), static_cast<double*>(to));
  } else {
    std::copy(plane.begin(), plane.end(), static_cast<float*>(to));
  }
}

void SystemCommand::add_medium(std::vector<SnapshotField>& fields) {
  if (starts_) return;
  std::string& home = run_["medium"]; // the snapshot that has it
  if (home.empty()) home = io::snapshot_beside(file_, system_->step()).filename().string();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const int a = array_of(names_[i]);
    if (!fields_[i].data || kernel_.is_state(a)) continue;
    const auto plane_of = [this, i](Index z, void* to) {
      std::vector<double> plane;
      read_plane(fields_[i], z, plane);
      give(plane, to);
    };
    fields.push_back({names_[i], points_of(a), dimensions_, plane_of, home});
  }
}

double SystemCommand::time_of(Index step) const {
  return setup_.follows ? times_.at(step) : static_cast<double>(step) * setup_.dt;
}

void SystemCommand::keep() {
  times_[step()] = time_;
  std::vector<SnapshotField> fields;
  for (std::size_t i = 0; i < kernel_.looks.size(); ++i) {
    fields.push_back({kernel_.looks[i], extents_, dimensions_, [this, i](Index z, void* to) {
                        std::vector<double> plane(
                            static_cast<std::size_t>(extents_.x * extents_.y));
                        look_plane(i, z, plane.data());
                        give(plane, to);
                      }});
  }
  for (int a = 0; a < arrays(); ++a) {
    if (!kernel_.is_state(a)) continue;
    fields.push_back(
        {name_of(a), points_of(a), dimensions_, [this, a](Index z, void* to) { bring(a, z, to); }});
  }
  if (output_) add_medium(fields);
  progress_.clear();
  write_all_traces();
  write_fields(fields);
  kept_ = step();
  if (!o_.json) say_step(kept_, time_of(kept_));
  ranks_.barrier(); // what rank 0 writes is none of the steps' time
}

void SystemCommand::write_fields(const std::vector<SnapshotField>& fields) {
  if (output_) {
    write(
        [&] {
          write_arrays(
              *output_, run_, step(), [this](Index n) { return time_of(n); }, setup_.spacing,
              fields, bytes_);
        },
        [kept = output_->kept("leads to")] { return kept; });
    return;
  }
  for (const SnapshotField& field : fields) { // as rank 0 asks for them
    std::vector<double> plane(static_cast<std::size_t>(field.points.x * field.points.y));
    for (Index z = 0; z < field.points.z; ++z)
      field.plane(z, plane.data());
  }
}

Index SystemCommand::advance(Index most) {
  if (setup_.follows) return follow();
  system_->run(most);
  queue_->wait();
  return most;
}

/// Now and then: the check must not take much of the run.
void SystemCommand::passed() {
  constexpr double part_of_checks = 0.05;
  if ((seconds() - checked_) * part_of_checks > check_took_) look();
}

void SystemCommand::look() {
  if (!begins_odd_ && finite_ != step()) require_finite();
}

void SystemCommand::finish() {
  if (!o_.picture.empty()) draw();
  if (!o_.gather.empty()) {
    const auto all = all_traces();
    if (output_) write_gather(plan_, o_.gather, all);
  }
  Record record = system_->record();
  const double launches = ranks_.sum(system_->bytes_of_launches());
  std::vector<Sums> now;
  if (!kernel_.storage.empty()) now = sums();
  if (!output_) return;
  add_ranks(record);
  record.schedule = setup_.schedule;
  const Seconds each{seconds() / static_cast<double>(taken())};
  const auto sites = static_cast<double>(extents_.x * extents_.y * extents_.z);
  add_steps(record, taken(), seconds(), setup_.follows ? dt_ : setup_.dt);
  record.details.push_back({"site_updates_per_second", sites / each.value, ""});
  record.details.push_back({"bytes_of_launches", launches, ""});
  if (!kernel_.storage.empty()) add_drifts(record, now);
  if (o_.json) {
    fmt::print("{}\n", to_json(std::vector{record}));
    return;
  }
  fmt::print(
      "{} steps in {}, {} a step, {:.3g} points a second; wrote {} and {}{}{}{}\n", taken(),
      to_text(Seconds{seconds()}), to_text(each), sites / each.value, output_->file().string(),
      output_->xdmf().string(), !has_traces() ? "" : " and " + traces_file_.string(),
      o_.picture.empty() ? "" : " and " + o_.picture, o_.gather.empty() ? "" : " and " + o_.gather);
}

void SystemCommand::draw() {
  const Index z = extents_.z / 2;
  std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
  Index3 n = extents_;
  const auto look = std::find(kernel_.looks.begin(), kernel_.looks.end(), o_.shown);
  if (!kernel_.looks.empty() && (o_.shown.empty() || look != kernel_.looks.end())) {
    look_plane(o_.shown.empty() ? 0 : static_cast<std::size_t>(look - kernel_.looks.begin()), z,
               plane.data());
  } else {
    const int a = array_named(o_.shown, "--show");
    n = points_of(a);
    plane = get(a, z);
  }
  if (!output_) return;
  write_picture(plan_, o_.picture, plane, n.x, n.y,
                setup_.spacing[1] * static_cast<double>(n.y) /
                    (setup_.spacing[0] * static_cast<double>(n.x)));
}

namespace {

std::optional<SystemKernel> find_named(const SystemOptions& o, std::string& storage) {
  std::string name = o.kernel;
  std::vector<std::string> settings = o.settings;
  fs::path folder;
  bool by_step = !o.by_step.empty();
  if (!o.restart.empty()) {
    if (!is_system_run(o.restart)) return std::nullopt;
    SystemRestart from = read_system_restart(o.restart);
    name = from.run["kernel"];
    settings = words_in(from.run["settings"], ' ');
    folder = from.run["folder"];
    storage = from.run["storage"];
    by_step = !from.run["by_step"].empty();
  }
  if (const lab::EvolvingSystem* known = lab::find_evolving_system(name))
    return known->make(numbers_of(settings), by_step);
  if (!lab::names_a_file(name)) return std::nullopt;
  std::error_code failed;
  if (!folder.empty() && fs::exists(folder / file_of_kernel(name), failed))
    name = (folder / name).string();
  const std::vector<lab::Setting> all = lab::parse_settings(settings);
  const lab::UserKernel loaded = lab::load_user_kernel(name, all, lab::Use::evolution);
  const auto* const system = std::any_cast<lab::EvolvingSystem>(&loaded.product);
  return system ? std::optional(system->make({}, by_step)) : std::nullopt;
}

} // namespace

std::optional<SystemKernel> find_system(const SystemOptions& o) {
  std::string storage = o.store_as;
  std::optional<SystemKernel> found = find_named(o, storage);
  if (!found || storage.empty()) return found;
  unsigned wide = 0;
  if (storage.find('=') != std::string::npos) {
    std::vector<lab::SystemArray> arrays;
    for (int a = 0; a < found->arrays(); ++a) {
      const chain::Array& array = found->of_double.arrays[static_cast<std::size_t>(a)];
      if (found->is_state(a) || (array.role == chain::Role::input && !found->start))
        arrays.push_back({array.name, a, found->is_state(a)});
    }
    std::tie(storage, wide) = parse_system_storage(storage, arrays);
  }
  check_storage(storage);
  return chain::stored_system(std::move(*found), storage, wide);
}

void evolve_system(const SystemOptions& options, const SystemKernel& kernel) {
  if (!options.gradients.empty()) return evolve_gradient(options, kernel);
  if (!options.observed.empty() || !options.memory.empty() || options.check)
    throw UsageError("--observed, --memory and --check go with --gradient");
  SystemCommand(options, kernel).execute();
}

} // namespace ridge::app
