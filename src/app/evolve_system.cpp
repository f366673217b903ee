#include "evolve_system.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/source_digest.hpp>

#include "../io/file_names.hpp"
#include "commands.hpp"
#include "hdf5_describe.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "run_device.hpp"
#include "spacing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>

namespace ridge::app {

namespace {

namespace fs = std::filesystem;
using chain::SystemKernel;

constexpr double part_taken = 0.9;
constexpr Index usual_layer = 20;
constexpr double waited = 0.2; ///< seconds until progress shows and Ctrl-C is heard

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
std::vector<std::string> words_in(const std::string& text, char separator) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

lab::SystemNumbers numbers_of(const std::vector<std::string>& settings) {
  lab::SystemNumbers numbers;
  for (const std::string& text : settings) {
    const lab::Setting one = lab::parse_setting(text);
    numbers.emplace_back(one.member, one.value);
  }
  return numbers;
}

/// A field of the start: a dataset, or one number everywhere.
struct StartField {
  std::optional<InputDataset> data;
  double value = 0;
};

/// From the options, or the run that goes on, to the last step.
class SystemCommand {
public:
  SystemCommand(const EvolveOptions& options, const SystemKernel& kernel)
      : o_(options), kernel_(kernel), chain_(kernel.of_double), goes_on_(!options.restart.empty()),
        plan_(options.overwrite) {
    if (!o_.ranks.empty() || comm::world().ranks() > 1)
      throw UsageError("systems run on one rank; start ridge without mpirun");
    if (goes_on_) {
      begin_again();
    } else {
      begin_anew();
    }
    open_fields();
    choose_step();
    choose_walls();
    choose_layers();
    read_probes();
    mark();
    claim();
  }

  void execute() {
    queue_.emplace(
        device_of_run(comm::world(), o_.device, {o_.restart, run_["device"], run_["device_name"]}));
    const bool same = goes_on_ && to_text(queue_->device().id()) == run_["device"];
    setup_.schedule = !o_.schedule.empty() ? o_.schedule : same ? run_["schedule"] : "auto";
    setup_.schedule = chain::to_text(chain::parse_schedule(setup_.schedule, queue_->device(),
                                                           kernel_.description(bytes_), extents_)
                                         .schedule);
    run_["device"] = to_text(queue_->device().id());
    run_["device_name"] = queue_->device().facts().name;
    run_["schedule"] = setup_.schedule;
    system_.emplace(*queue_, kernel_, setup_);
    fill();
    say_begin();
    if (!continues()) keep();
    integrate();
    finish();
  }

private:
  [[nodiscard]] bool continues() const { return goes_on_ && o_.output.empty(); }
  [[nodiscard]] int arrays() const { return static_cast<int>(chain_.arrays.size()); }
  [[nodiscard]] const char* name_of(int a) const {
    return chain_.arrays[static_cast<std::size_t>(a)].name;
  }

  void begin_anew() {
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
    run_["absorb_width"] = fmt::format("{}", o_.absorb_width.value_or(usual_layer));
    run_["source"] = o_.source;
    run_["wavelet"] = o_.wavelet;
    run_["receivers"] = o_.receivers;
    if (o_.absorb_width && o_.absorb.empty()) throw UsageError("--absorb-width goes with --absorb");
    if (!o_.wavelet.empty() && o_.source.empty()) throw UsageError("--wavelet goes with --source");
    if (!o_.gather.empty() && o_.receivers.empty())
      throw UsageError("--gather goes with --receivers");
  }

  void begin_again() {
    const std::pair<bool, const char*> given[] = {
        {!o_.kernel.empty() || !o_.input.empty(), "KERNEL INPUT"},
        {!o_.dt.empty(), "--dt"},
        {!o_.boundary.empty(), "--boundary"},
        {!o_.spacing.empty(), "--spacing"},
        {!o_.absorb.empty(), "--absorb"},
        {!o_.settings.empty(), "--set"},
        {!o_.source.empty(), "--source"},
        {!o_.wavelet.empty(), "--wavelet"},
        {!o_.receivers.empty(), "--receivers"}};
    for (const auto& [is_given, name] : given) {
      if (is_given)
        throw UsageError(fmt::format("{} cannot be given with --restart: the run goes on with its "
                                     "own; to change it, start anew from a snapshot",
                                     name));
    }
    SystemRestart from = read_system_restart(o_.restart);
    run_ = std::move(from.run);
    snapshots_ = std::move(from.snapshots);
    plan_.reads(o_.restart, "the run that goes on");
    setup_.first_step = snapshots_.back().step;
  }

  /// Where a file of the run is.
  [[nodiscard]] fs::path found(const fs::path& file) const {
    if (!goes_on_ || file.is_absolute()) return file;
    const fs::path there = fs::path(run_.at("folder")) / file;
    std::error_code failed;
    return fs::exists(there, failed) ? there.lexically_normal() : file;
  }

  /// The dataset of that name in the start's group, if it is there.
  [[nodiscard]] std::optional<InputDataset> open(const DatasetName& group,
                                                 const std::string& name) {
    const std::string path = group.path + "/" + name;
    const std::vector<std::string> there = datasets_in(open_hdf5(group.file));
    if (std::find(there.begin(), there.end(), path) == there.end()) return std::nullopt;
    std::optional<InputDataset> data;
    data.emplace(DatasetName{group.file, path});
    return data;
  }

  /// What the dataset's name says that it has: points of the range, and more of some arrays.
  [[nodiscard]] chain::Offset extra_of(const std::string& name) const {
    for (int a = 0; !kernel_.start && a < arrays(); ++a) {
      if (name_of(a) == name) return chain_.arrays[static_cast<std::size_t>(a)].extra;
    }
    return {};
  }

  void open_fields() {
    DatasetName group = parse_dataset_name(run_["input"], "INPUT");
    group.file = found(group.file);
    std::string names;
    const InputDataset* first = nullptr;
    std::string first_name;
    for (const chain::SystemField& field : kernel_.given) {
      StartField one{open(group, field.name), field.value};
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
    if (dimensions_ > kernel_.dimensions()) {
      throw UsageError(fmt::format("{} has {} dimensions, and '{}' has {}", kernel_.name,
                                   kernel_.dimensions(), first_name, dimensions_));
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

  /// Plane z of a field of the start as doubles.
  void read_plane(const StartField& field, Index z, std::vector<double>& to) const {
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

  /// Calls f(values at a point) with all arrays' values of the start, by the chain's numbers.
  /// Arrays with more points than the range count at the range's.
  template <class F>
  void for_each_point(const F& f) const {
    std::vector<std::vector<double>> planes(fields_.size());
    std::vector<int> array_of;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      planes[i].resize(static_cast<std::size_t>(extents_.x * extents_.y));
      int found_array = 0;
      while (name_of(found_array) != names_[i])
        ++found_array;
      array_of.push_back(found_array);
    }
    std::vector<double> values(static_cast<std::size_t>(arrays()));
    for (Index z = 0; z < extents_.z; ++z) {
      for (std::size_t i = 0; i < fields_.size(); ++i)
        read_plane(fields_[i], z, planes[i]);
      for (Index y = 0; y < extents_.y; ++y) {
        for (Index x = 0; x < extents_.x; ++x) {
          for (std::size_t i = 0; i < fields_.size(); ++i) {
            const Index row = extents_.x + extra_of(names_[i]).x;
            values[static_cast<std::size_t>(array_of[i])] =
                planes[i][static_cast<std::size_t>(x + (fields_[i].data ? row : extents_.x) * y)];
          }
          f(values.data());
        }
      }
    }
  }

  void choose_step() {
    fastest_ = 0;
    if (kernel_.speed && !kernel_.start) {
      for_each_point([&](const double* values) {
        const double speed = kernel_.speed(values);
        if (!(speed >= 0) || !std::isfinite(speed)) {
          throw UsageError(fmt::format("{}: somewhere waves have a speed of {}; fields of a medium "
                                       "are finite and positive",
                                       run_["input"], speed));
        }
        fastest_ = std::max(fastest_, speed);
      });
    }
    const auto h = spacing_of_dimensions();
    const double stable =
        kernel_.stable_step && fastest_ > 0 ? kernel_.stable_step(h, fastest_) : 0;
    if (goes_on_) {
      setup_.dt = number_in(run_, "dt");
      dt_note_ = "as before";
      return;
    }
    const bool automatic = o_.dt.empty() || o_.dt == "auto";
    if (!kernel_.knows_step) {
      if (!automatic) throw UsageError(fmt::format("--dt: a step of {} counts as 1", kernel_.name));
      setup_.dt = 1;
      dt_note_ = "a step counts as 1";
    } else if (automatic) {
      if (stable <= 0) {
        throw UsageError(
            fmt::format("--dt: the largest stable step of {} is not known here; give a "
                        "number",
                        kernel_.name));
      }
      setup_.dt = part_taken * stable;
      dt_note_ = fmt::format("{:g} of the largest stable one, {:g}", part_taken, stable);
    } else {
      double dt = 0;
      const auto [end, status] = std::from_chars(o_.dt.data(), o_.dt.data() + o_.dt.size(), dt);
      if (status != std::errc{} || end != o_.dt.data() + o_.dt.size() || !(dt > 0) ||
          !std::isfinite(dt))
        throw UsageError(fmt::format("--dt '{}': a positive number or auto is right", o_.dt));
      if (stable > 0 && dt > stable * (1 + 1e-12)) {
        throw UsageError(fmt::format("--dt {:g} is not stable; the largest stable step of {} here "
                                     "is {:.9g}",
                                     dt, kernel_.name, stable));
      }
      setup_.dt = dt;
      dt_note_ = stable > 0 ? fmt::format("the largest stable one is {:g}", stable) : "as given";
    }
    run_["dt"] = exact(setup_.dt);
  }

  /// Nothing changes along dimensions of one item.
  [[nodiscard]] std::array<double, 3> spacing_of_dimensions() const {
    std::array<double, 3> h = setup_.spacing;
    const Index n[3] = {extents_.x, extents_.y, extents_.z};
    for (std::size_t d = 0; d < 3; ++d) {
      if (n[d] == 1) h[d] = std::numeric_limits<double>::infinity();
    }
    return h;
  }

  void choose_walls() {
    std::vector<std::string> names;
    for (int a = 0; a < arrays(); ++a)
      names.emplace_back(name_of(a));
    std::string text = run_["boundary"];
    if (kernel_.only_periodic && text.empty()) text = "x=periodic,y=periodic,z=periodic";
    setup_.walls = chain::parse_walls(text, names);
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
          if (static_cast<int>(d) >= dimensions_ && kind != chain::Wall::mirror &&
              !run_["boundary"].empty() && kind != chain::Wall::periodic) {
            throw UsageError(fmt::format("--boundary {}: the arrays have no axis {}",
                                         run_["boundary"], "xyz"[d]));
          }
        }
      }
    }
    for (const auto& swap : kernel_.swaps)
      setup_.walls[static_cast<std::size_t>(swap[1])] =
          setup_.walls[static_cast<std::size_t>(swap[0])];
  }

  void choose_layers() {
    if (run_["absorb"].empty()) return;
    if (!kernel_.absorbs)
      throw UsageError(
          fmt::format("--absorb is for waves about 0, and {} knows none", kernel_.name));
    if (fastest_ <= 0)
      throw UsageError(fmt::format("--absorb: {} says no speed of its waves", kernel_.name));
    setup_.layers.faces = parse_faces(run_["absorb"], dimensions_);
    setup_.layers.width = count_in(run_, "absorb_width");
    setup_.layers.speed = fastest_;
    if (setup_.layers.width < 1)
      throw UsageError(fmt::format("--absorb-width {}: at least 1 is needed", setup_.layers.width));
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (setup_.layers.faces[d][side] &&
            setup_.walls.front()[d][side].kind == chain::Wall::periodic) {
          throw UsageError(fmt::format("--absorb {}: {} is periodic; give it another boundary",
                                       run_["absorb"], "xyz"[d]));
        }
      }
    }
  }

  [[nodiscard]] int array_named(const std::string& name, const std::string& where) const {
    std::string known;
    for (int a = 0; a < arrays(); ++a) {
      if (!kernel_.is_state(a)) continue;
      if (name.empty() || name == name_of(a)) return a;
      known += (known.empty() ? "" : ", ") + std::string(name_of(a));
    }
    throw UsageError(fmt::format("{}: {} changes no array '{}'; it changes {}", where, kernel_.name,
                                 name, known));
  }

  void read_probes() {
    choose_steps();
    const auto where = [](const Places& places, const Places::Row& row) {
      return fmt::format("{}, line {}", places.file, row.line);
    };
    if (!run_["source"].empty()) {
      sources_ = read_places(found(run_["source"]), dimensions_, "--source");
      plan_.reads(sources_.file, "the file of --source");
      std::map<std::string, std::size_t> wavelets;
      for (const Places::Row& row : sources_.rows) {
        const std::string& text = row.wavelet.empty() ? run_["wavelet"] : row.wavelet;
        if (text.empty())
          throw UsageError("--source: give --wavelet ricker:FREQUENCY or a file of numbers, one a "
                           "step");
        auto known = wavelets.find(text);
        if (known == wavelets.end()) {
          known = wavelets.emplace(text, setup_.wavelets.size()).first;
          const fs::path folder = goes_on_ ? fs::path(run_["folder"]) : fs::path();
          setup_.wavelets.push_back(read_wavelet(text, folder, setup_.dt, target_));
          const std::string file = file_of_wavelet(text);
          if (!file.empty()) plan_.reads(folder / file, "the file of --wavelet");
          const auto length = static_cast<Index>(setup_.wavelets.back().size());
          if (length < target_) {
            fmt::print(stderr,
                       "ridge: the wavelet {} has {} values, and the run {} steps: it is 0 after "
                       "them\n",
                       text, length, target_);
          }
        }
        setup_.sources.push_back({array_named(row.array, where(sources_, row)), row.position,
                                  row.amplitude, known->second});
      }
    }
    if (run_["receivers"].empty()) return;
    receivers_ = read_places(found(run_["receivers"]), dimensions_, "--receivers");
    plan_.reads(receivers_.file, "the file of --receivers");
    std::map<std::pair<int, std::array<double, 3>>, Index> lines;
    for (const Places::Row& row : receivers_.rows) {
      const int array = array_named(row.array, where(receivers_, row));
      const auto [before, is_new] = lines.emplace(std::pair{array, row.position}, row.line);
      if (!is_new) {
        throw UsageError(fmt::format("--receivers {}: lines {} and {} are one place; give each "
                                     "receiver its own",
                                     receivers_.file, before->second, row.line));
      }
      setup_.receivers.push_back({array, row.position});
    }
  }

  void choose_steps() {
    const Index step = setup_.first_step;
    if (o_.steps && *o_.steps < 1)
      throw UsageError(fmt::format("--steps {}: at least 1 is needed", *o_.steps));
    if (o_.every && *o_.every < 1)
      throw UsageError(fmt::format("--every {}: at least 1 is needed", *o_.every));
    target_ = o_.steps ? step + *o_.steps : goes_on_ ? count_in(run_, "target") : 1000;
    if (target_ <= step) {
      throw UsageError(fmt::format("the run in {} has all its {} steps; give --steps to go further",
                                   o_.restart, step));
    }
    every_ = o_.every   ? *o_.every
             : goes_on_ ? count_in(run_, "every")
                        : std::max<Index>(1, target_ / 10);
    run_["target"] = fmt::format("{}", target_);
    run_["every"] = fmt::format("{}", every_);
  }

  /// What is read again where the run goes on must be what it was: the medium, the places, and a
  /// kernel in a file.
  void mark() {
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
      }
    }
    for (std::size_t i = 0; i < setup_.wavelets.size(); ++i) {
      // Ricker's are as long as the run.
      if (!file_of_wavelet(run_["wavelet"]).empty()) {
        for (const double value : setup_.wavelets[i])
          add(value);
      }
    }
    require_same("checksum", fmt::format("{:016x}", hash),
                 "the medium, sources or receivers of the run in {} were changed since");
    if (!lab::names_a_file(run_["kernel"])) return;
    std::error_code failed;
    const fs::path there = fs::canonical(found(file_of_kernel(run_["kernel"])), failed);
    require_same("kernel_digest", failed ? std::string() : launch::source_digest(there.string()),
                 "the kernel of the run in {} was changed since it began");
    plan_.reads(there, "the kernel's file");
  }
  void require_same(const char* what, const std::string& now, const char* message) {
    if (goes_on_ && run_[what] != now)
      throw UsageError(fmt::format(fmt::runtime(message), o_.restart));
    run_[what] = now;
  }
  [[nodiscard]] int array_of(const std::string& name) const {
    int a = 0;
    while (name_of(a) != name)
      ++a;
    return a;
  }

  void claim() {
    const fs::path file = o_.output.empty() ? o_.restart : o_.output;
    if (continues()) {
      output_.emplace(plan_, file, snapshots_);
    } else {
      output_.emplace(plan_, file, std::vector<EvolveSnapshot>{});
    }
    if (!setup_.receivers.empty()) {
      traces_file_ = io::beside(file, ".traces.h5");
      if (goes_on_)
        traces_before_ = read_traces(io::beside(o_.restart, ".traces.h5"), setup_.first_step);
      if (continues()) {
        plan_.continues(traces_file_, "the traces");
      } else {
        plan_.writes(traces_file_, "the traces");
      }
    }
    if (!o_.picture.empty()) plan_.writes_at_once(o_.picture, "the picture");
    if (!o_.gather.empty()) plan_.writes_at_once(o_.gather, "the picture of the gather");
    plan_.claim();
  }

  /// Writes planes of doubles to an array.
  void put(int array, Index z, const std::vector<double>& plane) {
    const Index3 n = system_->points(array);
    const chain::SystemBox box{{0, 0, z}, {n.x, n.y, 1}};
    if (bytes_ == 8) {
      system_->write(array, box, plane.data());
    } else {
      const std::vector<float> narrow(plane.begin(), plane.end());
      system_->write(array, box, narrow.data());
    }
  }
  [[nodiscard]] std::vector<double> get(int array, Index z) {
    const Index3 n = system_->points(array);
    const chain::SystemBox box{{0, 0, z}, {n.x, n.y, 1}};
    std::vector<double> plane(static_cast<std::size_t>(n.x * n.y));
    if (bytes_ == 8) {
      system_->read(array, box, plane.data());
      return plane;
    }
    std::vector<float> narrow(plane.size());
    system_->read(array, box, narrow.data());
    std::copy(narrow.begin(), narrow.end(), plane.begin());
    return plane;
  }

  void fill() {
    if (kernel_.start && !goes_on_) {
      fill_by_start();
    } else if (!kernel_.start) {
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        const int a = array_of(names_[i]);
        if (goes_on_ && kernel_.is_state(a)) continue;
        const Index3 n = system_->points(a);
        std::vector<double> plane(static_cast<std::size_t>(n.x * n.y));
        for (Index z = 0; z < n.z; ++z) {
          read_plane(fields_[i], z, plane);
          if (kernel_.is_state(a)) count_odd(plane);
          put(a, z, plane);
        }
      }
    }
    if (goes_on_) fill_from_snapshot();
    if (odd_ > 0)
      fmt::print(stderr,
                 "ridge: the start holds {} values that are not finite; they pass through\n", odd_);
    system_->started();
  }
  void count_odd(const std::vector<double>& plane) {
    odd_ += std::count_if(plane.begin(), plane.end(), [](double v) { return !std::isfinite(v); });
  }

  void fill_by_start() {
    const auto points = static_cast<std::size_t>(extents_.x * extents_.y);
    std::vector<std::vector<double>> from(fields_.size(), std::vector<double>(points));
    std::vector<std::vector<double>> to(static_cast<std::size_t>(arrays()),
                                        std::vector<double>(points));
    std::vector<double> given(fields_.size());
    std::vector<double> made(static_cast<std::size_t>(arrays()));
    for (Index z = 0; z < extents_.z; ++z) {
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        read_plane(fields_[i], z, from[i]);
        count_odd(from[i]);
      }
      for (std::size_t p = 0; p < points; ++p) {
        for (std::size_t i = 0; i < from.size(); ++i)
          given[i] = from[i][p];
        kernel_.start(given.data(), made.data());
        for (std::size_t a = 0; a < made.size(); ++a)
          to[a][p] = made[a];
      }
      for (int a = 0; a < arrays(); ++a) {
        if (kernel_.is_state(a)) put(a, z, to[static_cast<std::size_t>(a)]);
      }
    }
  }

  void fill_from_snapshot() {
    const fs::path file = fs::path(o_.restart).parent_path() / snapshots_.back().file;
    plan_.reads(file, "the snapshot");
    for (int a = 0; a < arrays(); ++a) {
      if (!kernel_.is_state(a)) continue;
      const StartField field{InputDataset({file, std::string("/") + name_of(a)}), 0};
      const Index3 n = system_->points(a);
      if (field.data->extents().xyz() != n || field.data->element_bytes() != bytes_)
        throw UsageError(fmt::format("{} does not fit the run's input", file.string()));
      std::vector<double> plane(static_cast<std::size_t>(n.x * n.y));
      for (Index z = 0; z < n.z; ++z) {
        read_plane(field, z, plane);
        put(a, z, plane);
      }
    }
  }

  void say_begin() const {
    if (o_.json) return;
    const Extents shown = dimensions_ == 1   ? Extents{extents_.x}
                          : dimensions_ == 2 ? Extents{extents_.x, extents_.y}
                                             : Extents{extents_.x, extents_.y, extents_.z};
    fmt::print(
        "{} {} {} on {} ({}); dt {:g} ({}){}{}\n", run_.at("kernel"), to_text(shown),
        bytes_ == 4 ? "fp32" : "fp64", run_.at("device"), run_.at("device_name"), setup_.dt,
        dt_note_, setup_.sources.empty() ? "" : fmt::format("; {} sources", setup_.sources.size()),
        setup_.receivers.empty() ? "" : fmt::format("; {} receivers", setup_.receivers.size()));
    std::fflush(stdout);
  }

  /// Plane z of what the system lets users look at.
  void look_plane(std::size_t number, Index z, double* to) {
    const auto points = static_cast<std::size_t>(extents_.x * extents_.y);
    if (looked_z_ != z || looked_step_ != system_->step()) {
      looked_.assign(kernel_.looks.size(), std::vector<double>(points));
      std::vector<std::vector<double>> from;
      for (int a = 0; a < arrays(); ++a)
        from.push_back(kernel_.is_state(a) ? get(a, z) : std::vector<double>(points));
      std::vector<double> values(from.size());
      std::vector<double> seen(kernel_.looks.size());
      for (std::size_t p = 0; p < points; ++p) {
        for (std::size_t a = 0; a < from.size(); ++a)
          values[a] = from[a][p];
        kernel_.look(values.data(), seen.data());
        for (std::size_t i = 0; i < seen.size(); ++i)
          looked_[i][p] = seen[i];
      }
      looked_z_ = z;
      looked_step_ = system_->step();
    }
    std::copy(looked_[number].begin(), looked_[number].end(), to);
  }

  void keep() {
    std::vector<SnapshotField> fields;
    for (std::size_t i = 0; i < kernel_.looks.size(); ++i) {
      fields.push_back({kernel_.looks[i], extents_, dimensions_, [this, i](Index z, void* to) {
                          std::vector<double> plane(
                              static_cast<std::size_t>(extents_.x * extents_.y));
                          look_plane(i, z, plane.data());
                          if (bytes_ == 8) {
                            std::copy(plane.begin(), plane.end(), static_cast<double*>(to));
                          } else {
                            std::copy(plane.begin(), plane.end(), static_cast<float*>(to));
                          }
                        }});
    }
    for (int a = 0; a < arrays(); ++a) {
      if (!kernel_.is_state(a)) continue;
      const Index3 n = system_->points(a);
      fields.push_back({name_of(a), n, dimensions_, [this, a, n](Index z, void* to) {
                          system_->read(a, {{0, 0, z}, {n.x, n.y, 1}}, to);
                        }});
    }
    const Index step = system_->step();
    progress_.clear();
    write_all_traces();
    output_->write(run_, step, static_cast<double>(step) * setup_.dt, setup_.spacing, fields,
                   bytes_);
    if (!o_.json) {
      fmt::print("step {:>10}  time {:g}\n", step, static_cast<double>(step) * setup_.dt);
      std::fflush(stdout);
    }
  }

  [[nodiscard]] std::vector<std::vector<double>> all_traces() const {
    std::vector<std::vector<double>> all = traces_before_;
    all.resize(setup_.receivers.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
      const auto& more = system_->traces()[r];
      all[r].insert(all[r].end(), more.begin(), more.end());
    }
    return all;
  }
  void write_all_traces() {
    if (setup_.receivers.empty()) return;
    write_traces(plan_, traces_file_, all_traces(), receivers_, setup_.dt, bytes_);
  }

  void integrate() {
    using Clock = std::chrono::steady_clock;
    Index batch = 1;
    const Index first = setup_.first_step;
    while (system_->step() < target_) {
      const Index step = system_->step();
      const Index next = (step / every_ + 1) * every_;
      const Index steps = std::min({target_, next, step + batch}) - step;
      const auto begin = Clock::now();
      system_->run(steps);
      queue_->wait();
      const double took = std::chrono::duration<double>(Clock::now() - begin).count();
      seconds_ += took;
      if (took < waited / 2 && steps == batch) batch *= 2;
      if (took > waited) batch = std::max<Index>(1, batch / 2);
      const Index now = system_->step();
      const bool due = now % every_ == 0 || now == target_;
      if (due) keep();
      progress_.show(fmt::format("step {} of {}", now, target_),
                     static_cast<double>(now - first) / static_cast<double>(target_ - first));
      if (now == target_ || !interrupt_seen()) continue;
      if (!due) keep();
      throw Failure(
          fmt::format("interrupted at step {} of {}; {} leads to it: go on with --restart", now,
                      target_, output_->file().string()));
    }
    progress_.clear();
  }

  void finish() {
    if (!o_.picture.empty()) draw();
    if (!o_.gather.empty()) write_gather(plan_, o_.gather, all_traces());
    Record record = system_->record();
    record.schedule = setup_.schedule;
    const auto steps = static_cast<double>(target_ - setup_.first_step);
    const Seconds each{seconds_ / steps};
    record.timing = Timing{each, each, each, static_cast<int>(std::min(steps, 2e9))};
    const auto sites = static_cast<double>(extents_.x * extents_.y * extents_.z);
    const double bytes = static_cast<double>(record.work.read.value + record.work.written.value);
    record.achieved = Achievement{bytes / each.value, "B/s", 0, ""};
    record.details.push_back({"steps", steps, ""});
    record.details.push_back({"dt", setup_.dt, ""});
    record.details.push_back({"site_updates_per_second", sites / each.value, ""});
    record.details.push_back({"bytes_of_launches", system_->bytes_of_launches(), ""});
    if (o_.json) {
      fmt::print("{}\n", to_json(std::vector{record}));
      return;
    }
    fmt::print("{} steps in {}, {} a step, {:.3g} points a second; wrote {} and {}{}{}{}\n",
               target_ - setup_.first_step, to_text(Seconds{seconds_}), to_text(each),
               sites / each.value, output_->file().string(), output_->xdmf().string(),
               setup_.receivers.empty() ? "" : " and " + traces_file_.string(),
               o_.picture.empty() ? "" : " and " + o_.picture,
               o_.gather.empty() ? "" : " and " + o_.gather);
  }

  /// The plane in the middle of z, of the field that is asked for, or the first.
  void draw() {
    const Index z = extents_.z / 2;
    std::vector<double> plane(static_cast<std::size_t>(extents_.x * extents_.y));
    Index3 n = extents_;
    const auto look = std::find(kernel_.looks.begin(), kernel_.looks.end(), o_.shown);
    if (!kernel_.looks.empty() && (o_.shown.empty() || look != kernel_.looks.end())) {
      look_plane(o_.shown.empty() ? 0 : static_cast<std::size_t>(look - kernel_.looks.begin()), z,
                 plane.data());
    } else {
      const int a = array_named(o_.shown, "--show");
      n = system_->points(a);
      plane = get(a, z);
    }
    write_picture(plan_, o_.picture, plane, n.x, n.y,
                  setup_.spacing[1] * static_cast<double>(n.y) /
                      (setup_.spacing[0] * static_cast<double>(n.x)));
  }

  const EvolveOptions& o_;
  const SystemKernel& kernel_;
  const chain::Description& chain_;
  bool goes_on_;
  SystemRun run_;
  std::vector<EvolveSnapshot> snapshots_;
  chain::SystemSetup setup_;
  std::vector<StartField> fields_; ///< as the kernel lists what is given
  std::vector<std::string> names_;
  Index3 extents_;
  int bytes_ = 8, dimensions_ = 3;
  double fastest_ = 0;
  std::string dt_note_;
  Index target_ = 0, every_ = 0, odd_ = 0;
  Places sources_, receivers_;
  fs::path traces_file_;
  std::vector<std::vector<double>> traces_before_;
  io::OutputPlan plan_;
  std::optional<SystemOutput> output_;
  std::optional<Queue> queue_;
  std::optional<chain::System> system_;
  std::vector<std::vector<double>> looked_;
  Index looked_z_ = -1, looked_step_ = -1;
  Progress progress_;
  double seconds_ = 0;
};

} // namespace

std::optional<SystemKernel> find_system(const EvolveOptions& o) {
  std::string name = o.kernel;
  std::vector<std::string> settings = o.settings;
  fs::path folder;
  if (!o.restart.empty()) {
    if (!is_system_run(o.restart)) return std::nullopt;
    SystemRestart from = read_system_restart(o.restart);
    name = from.run["kernel"];
    settings = words_in(from.run["settings"], ' ');
    folder = from.run["folder"];
  }
  if (const lab::EvolvingSystem* known = lab::find_evolving_system(name))
    return known->make(numbers_of(settings));
  if (!lab::names_a_file(name)) return std::nullopt;
  std::error_code failed;
  if (!folder.empty() && fs::exists(folder / file_of_kernel(name), failed))
    name = (folder / name).string();
  std::vector<lab::Setting> all;
  for (const std::string& text : settings)
    all.push_back(lab::parse_setting(text));
  const lab::UserKernel loaded = lab::load_user_kernel(name, all, lab::Use::evolution);
  return loaded.system ? std::optional(loaded.system->make({})) : std::nullopt;
}

void evolve_system(const EvolveOptions& options, const SystemKernel& kernel) {
  SystemCommand(options, kernel).execute();
}

} // namespace ridge::app
