#include "evolve_setup.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/source_digest.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include "../core/refuse.hpp"
#include "evolve_fields.hpp"
#include "evolve_steps.hpp"
#include "kernel_options.hpp"
#include "spacing.hpp"
#include "stored_fields.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::app {

namespace {

using stencil::Boundary;
using stencil::Condition;

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : std::string(1, separator)) + part;
  return text;
}

void require_axes(const stencil::Boundaries& boundaries, const InputDataset& input) {
  constexpr const char* axes[] = {"x", "x and y", "x, y and z"};
  const int rank = input.extents().rank();
  for (int axis = rank; axis < 3; ++axis) {
    for (const Condition& c : boundaries.faces[static_cast<std::size_t>(axis)]) {
      if (c.kind == Boundary::untouched) continue;
      throw UsageError(fmt::format("--boundary {}: {} has no axis {}, only {}", to_text(boundaries),
                                   to_text(input.name()), "xyz"[axis], axes[rank - 1]));
    }
  }
}

/// Makes a setup step by step.
class Maker {
public:
  Maker(const EvolveOptions& options, comm::Communicator& ranks) : o_(options), ranks_(ranks) {}

  EvolveSetup make() {
    if (o_.restart.empty()) {
      begin_anew();
    } else {
      begin_again();
    }
    const bool file = lab::names_a_file(run().kernel);
    dt_ = o_.restart.empty() ? parse_dt(o_.dt) : std::optional(run().dt);
    if (!file) (void)lab::find_evolving_kernel(run().kernel);
    open(input_name_, "INPUT");
    const InputDataset& first = *setup_.inputs.front();
    const int rank = first.extents().rank();
    if (o_.restart.empty())
      run().spacing = parse_spacing(o_.spacing.empty() ? "1" : o_.spacing, rank);
    setup_.boundaries = stencil::parse_boundaries(run().boundary);
    setup_.boundaries.spacing = run().spacing;
    require_axes(setup_.boundaries, first);
    if (!run().absorb.empty()) close_layers(parse_faces(run().absorb, rank));
    find_face_fields();
    read_face_fields(setup_.boundaries, first.extents());
    if (file) {
      take_file_kernel();
    } else {
      take_built_in();
    }
    open_others();
    store();
    stencil::require_fit(setup_.boundaries, setup_.kernel.traits.radius,
                         setup_.inputs.front()->extents().xyz());
    require_alike();
    mark();
    if (run().kernel == "diffusion" && run().implicit.empty())
      let_k_flow_in(setup_.boundaries, *setup_.inputs.back());
    return std::move(setup_);
  }

private:
  EvolveRun& run() { return setup_.run; }

  void begin_anew() {
    refuse_if(o_.kernel.empty() || o_.input.empty(),
              "nothing to start from: give KERNEL INPUT.h5:/path, or --restart FILE.h5");
    if (o_.output.empty()) throw UsageError("-o FILE.h5 is needed: where snapshots go");
    run().kernel = o_.kernel;
    run().field = o_.field;
    run().folder = std::filesystem::current_path().string();
    run().settings = join(o_.settings, ' ');
    run().input = o_.input;
    run().coefficients = join(o_.coefficients, '\n');
    run().boundary = o_.boundary.empty() ? "untouched" : o_.boundary;
    run().absorb = o_.absorb;
    if (o_.store_as.find('=') != std::string::npos) {
      run().stored = o_.store_as;
    } else {
      if (!o_.store_as.empty()) check_storage(o_.store_as);
      run().storage = o_.store_as;
    }
    refuse_if(o_.absorb_width && o_.absorb.empty(), "--absorb-width goes with --absorb");
    run().absorb_width = o_.absorb_width.value_or(usual_absorb_width);
    begin_implicit();
    input_name_ = parse_dataset_name(o_.input, "INPUT");
    if (!o_.before.empty()) before_name_ = parse_dataset_name(o_.before, "--before");
  }

  /// Fields in 16 bits, where they are asked for.
  void store() {
    if (!run().stored.empty()) store_differently();
    const std::string& storage = run().storage;
    if (storage.empty()) return;
    const InputDataset& first = *setup_.inputs.front();
    refuse_if(first.element_bytes() != 4, "--store-as {} computes in fp32; {} is fp64", storage,
              to_text(first.name()));
    refuse_if(!run().implicit.empty(), "--store-as is for explicit steps, not for --implicit");
    setup_.kernel = lab::stored_evolution(setup_.kernel, storage, setup_.wide);
  }

  /// Finds what the storage of each field means, and the inputs that stay fp32. Fields have the
  /// names of their datasets.
  void store_differently() {
    const auto levels = static_cast<std::size_t>(setup_.kernel.levels);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < setup_.inputs.size(); ++i) {
      if (i > 0 && i < levels) continue; // stored as the newest
      const std::string path = i == 0             ? parse_dataset_name(run().input, "INPUT").path
                               : setup_.inputs[i] ? setup_.inputs[i]->name().path
                                                  : "friction";
      names.push_back(path.substr(path.rfind('/') + 1));
    }
    const FieldStorage fields = parse_field_storage(run().stored, names);
    run().storage = fields.storage;
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (std::find(fields.wide.begin(), fields.wide.end(), names[i]) == fields.wide.end())
        continue;
      const std::size_t input = levels + i - 1;
      stencil::require_at_point(setup_.kernel.traits, input, names[i], run().kernel);
      setup_.wide |= 1U << input;
    }
  }

  void begin_implicit() {
    run().implicit = o_.implicit;
    if (o_.implicit.empty()) {
      if (o_.tolerance) throw UsageError("--tol goes with --implicit");
      refuse_if(o_.reproducible, "--reproducible goes with --implicit; explicit steps have the "
                                 "same bits on any number of ranks");
      return;
    }
    refuse_if(run().kernel != "heat" && run().kernel != "diffusion",
              "--implicit is for heat and diffusion, not for {}", run().kernel);
    refuse_if(o_.implicit != "backward-euler" && o_.implicit != "crank-nicolson",
              "--implicit is backward-euler or crank-nicolson, not '{}'", o_.implicit);
    refuse_if(o_.dt.empty() || o_.dt == "auto",
              "--implicit needs --dt: any step is stable, and its accuracy is yours to choose");
    run().tolerance = o_.tolerance.value_or(0);
    run().reproducible = o_.reproducible;
    if (o_.tolerance && !(*o_.tolerance > 0 && *o_.tolerance < 1))
      throw UsageError(fmt::format("--tol is between 0 and 1, not {:g}", *o_.tolerance));
  }

  /// What implicit steps do not take.
  void require_implicit() {
    if (!o_.schedule.empty()) throw UsageError("--schedule is for explicit steps");
    if (run().tolerance == 0)
      run().tolerance = setup_.inputs.front()->element_bytes() == 4 ? 1e-5 : 1e-10;
  }

  void begin_again() {
    require_no_parameters(o_, {{!o_.before.empty(), "--before"},
                               {!o_.coefficients.empty(), "--coefficient"},
                               {!o_.implicit.empty(), "--implicit"},
                               {o_.tolerance.has_value(), "--tol"},
                               {o_.reproducible, "--reproducible"},
                               {o_.diffusivity.has_value(), "--diffusivity"},
                               {o_.speed.has_value(), "--speed"}});
    EvolveRestart from = read_evolve_restart(o_.restart);
    setup_.run = std::move(from.run);
    if (!o_.field.empty()) run().field = o_.field;
    setup_.snapshots_there = std::move(from.snapshots);
    setup_.files.push_back({o_.restart, "the run that goes on"});
    input_name_ = from.levels.front();
    if (from.levels.size() > 1) before_name_ = from.levels[1];
  }

  /// Where a file of the run is: beside where it was started, if it is still there, else as it is
  /// named.
  [[nodiscard]] std::filesystem::path found(const std::filesystem::path& file) const {
    const std::filesystem::path there = std::filesystem::path(setup_.run.folder) / file;
    std::error_code failed;
    return !o_.restart.empty() && std::filesystem::exists(there, failed) ? there.lexically_normal()
                                                                         : file;
  }
  [[nodiscard]] DatasetName found(const std::string& name, const char* what) const {
    DatasetName dataset = parse_dataset_name(name, what);
    dataset.file = found(dataset.file);
    return dataset;
  }

  void note(const InputDataset& dataset, const std::string& what) {
    for (const std::filesystem::path& file : dataset.files())
      setup_.files.push_back({file, what == "INPUT" ? "the input" : "the file of " + what});
  }

  /// Boundary fields are where the run's other files are.
  void find_face_fields() {
    for (auto& faces : setup_.boundaries.faces) {
      for (Condition& c : faces) {
        if (c.field.empty()) continue;
        const DatasetName name = found(c.field, "--boundary");
        c.field = to_text(name);
        note(InputDataset(name), "--boundary");
      }
    }
  }

  InputDataset& open(const DatasetName& name, const char* what) {
    setup_.inputs.emplace_back(InputDataset(name));
    note(*setup_.inputs.back(), what);
    InputDataset& opened = *setup_.inputs.back();
    const InputDataset& first = *setup_.inputs.front();
    refuse_if(opened.extents() != first.extents() ||
                  opened.element_bytes() != first.element_bytes(),
              "{} {} has {} numbers of {} bytes, {} has {} of {}; they must be alike", what,
              to_text(opened.name()), to_text(opened.extents()), opened.element_bytes(),
              to_text(first.name()), to_text(first.extents()), first.element_bytes());
    if (run().field.empty()) {
      const std::string& path = opened.name().path;
      run().field = path.substr(path.rfind('/') + 1);
    }
    return opened;
  }

  /// What comes out of a layer must not come back: its face is held at 0.
  void close_layers(const Faces& faces) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t side = 0; side < 2; ++side) {
        Condition& c = setup_.boundaries.faces[axis][side];
        if (!faces[axis][side]) continue;
        refuse_if(c.kind == Boundary::periodic,
                  "--absorb {}: the face {} is periodic; give it another boundary", run().absorb,
                  stencil::face_name(static_cast<int>(axis), static_cast<int>(side)));
        if (c.kind == Boundary::untouched) c = {Boundary::dirichlet, 0};
      }
    }
  }

  /// Refuses a step that is too large; takes a part of the largest stable one for `auto`.
  void choose_dt() {
    if (!dt_) {
      run().dt = part_of_stable * setup_.stable;
      setup_.dt_note =
          fmt::format("{:g} of the largest stable one, {:g}", part_of_stable, setup_.stable);
      return;
    }
    run().dt = *dt_;
    if (!run().implicit.empty()) {
      setup_.dt_note = fmt::format("{} to {:g}, {:.3g} of the largest explicit one", run().implicit,
                                   run().tolerance, *dt_ / setup_.stable);
      return;
    }
    require_stable(*dt_, setup_.stable, run().kernel);
    setup_.dt_note = setup_.stable > 0
                         ? fmt::format("the largest stable one is {:g}", setup_.stable)
                         : "as given";
  }

  void take_built_in() {
    const lab::EvolvingKernel& known = lab::find_evolving_kernel(run().kernel);
    refuse_if(!o_.settings.empty(), "--set is for kernels in files; {} is built in", run().kernel);
    const auto refuse = [&](bool given, const char* option, const char* whose) {
      refuse_if(given, "{} is for {}, not for {}", option, whose, run().kernel);
    };
    refuse(o_.diffusivity && known.value != "diffusivity", "--diffusivity", "heat");
    refuse(o_.speed && known.value != "speed", "--speed", "wave");
    refuse(!run().absorb.empty() && !known.absorbs, "--absorb", "wave");
    refuse(!o_.before.empty() && known.at_rest == nullptr, "--before", "wave");
    const InputDataset& first = *setup_.inputs.front();
    lab::EvolutionRequest request{
        run().kernel,         first.extents().rank(), first.element_bytes(), run().spacing, 1,
        !run().absorb.empty()};
    if (o_.restart.empty()) {
      run().value = o_.diffusivity.value_or(o_.speed.value_or(1));
      if (known.value == "coefficient") run().value = largest_coefficient();
    }
    request.value = run().value;
    setup_.stable = lab::stable_step(request);
    if (!run().implicit.empty()) require_implicit();
    choose_dt();
    setup_.kernel = lab::make_evolution(
        request, run().implicit.empty() ? run().dt : part_of_stable * setup_.stable);
    if (known.at_rest != nullptr) setup_.at_rest = known.at_rest(request, run().dt);
    if (request.absorbing) {
      const Faces faces = parse_faces(run().absorb, request.rank);
      if (o_.restart.empty()) require_layers(faces, run().absorb_width, first.extents().xyz());
      setup_.friction = Friction{faces,         run().absorb_width, first.extents(),
                                 run().spacing, request.value,      run().dt};
    }
  }

  double largest_coefficient() {
    refuse_if(o_.coefficients.size() != 1,
              "{} takes one coefficient field: --coefficient FILE.h5:/path", run().kernel);
    const InputDataset field(found(o_.coefficients.front(), "--coefficient"));
    double largest = 0;
    for (const double k : ranks_.rank() > 0 ? std::vector<double>{} : read_all(field)) {
      refuse_if(!(k >= 0) || !std::isfinite(k),
                "{} holds {}; a coefficient of diffusion is finite and not negative",
                to_text(field.name()), k);
      largest = std::max(largest, k);
    }
    largest = ranks_.from(0, largest);
    refuse_if(largest == 0, "{} is 0 everywhere: nothing diffuses", to_text(field.name()));
    return largest;
  }

  void take_file_kernel() {
    refuse_if(!run().absorb.empty() || o_.diffusivity || o_.speed,
              "--absorb, --diffusivity and --speed are for built-in kernels; a kernel in a file "
              "has its own members, set by --set");
    const std::vector<lab::Setting> settings = lab::parse_settings(words_in(run().settings, ' '));
    const int bytes = setup_.inputs.front()->element_bytes();
    const std::string name = file_of_kernel(run().kernel);
    const std::string file = found(name).string();
    setup_.files.push_back({file, "the kernel's file"});
    mark_kernel(file);
    const lab::UserKernel loaded = lab::load_user_kernel(file + run().kernel.substr(name.size()),
                                                         settings, lab::Use::evolution);
    refuse_if(!loaded.evolution, "evolve takes stencils, and {} is none", run().kernel);
    setup_.kernel = loaded.evolution(bytes, std::nullopt);
    setup_.stable = setup_.kernel.stable_step;
    const std::optional<double> own = setup_.kernel.dt;
    if (!o_.restart.empty()) {
      if (own) setup_.kernel = loaded.evolution(bytes, run().dt);
      setup_.dt_note = "as before";
    } else if (dt_ || (own && setup_.stable > 0)) {
      choose_dt();
      setup_.kernel = loaded.evolution(bytes, run().dt);
    } else if (!own && o_.dt != "auto") {
      run().dt = 1;
      setup_.dt_note = "of a kernel that knows no time";
    } else if (own && *own > 0 && o_.dt != "auto") {
      run().dt = *own;
      setup_.dt_note = "the kernel's own";
    } else {
      throw UsageError(fmt::format("--dt: {} states no `double stable_step() const`, so auto is "
                                   "not known; give a number for its member dt",
                                   run().kernel));
    }
  }

  /// A run goes on with the kernel that it began with.
  void mark_kernel(const std::string& file) {
    std::error_code failed;
    const std::filesystem::path there = std::filesystem::canonical(file, failed);
    const std::string mine =
        ranks_.rank() > 0 || failed ? std::string() : launch::source_digest(there.string());
    const std::string now = ranks_.gather_text(mine)[0];
    const std::string& before = run().kernel_digest;
    if (!o_.restart.empty() && before.empty() && ranks_.rank() == 0) {
      fmt::print(stderr,
                 "ridge: the run in {} is of an earlier ridge, which kept no digest of its kernel: "
                 "{} is taken as it is\n",
                 o_.restart, file);
    }
    refuse_if(!o_.restart.empty() && !before.empty() && !now.empty() && before != now,
              "the kernel {} was changed since the run in {} began; to compute with another "
              "kernel, start anew from a snapshot",
              file, o_.restart);
    run().kernel_digest = now;
  }

  /// A snapshot has the level before beside its field.
  void tell_of_before() const {
    const DatasetName before{input_name_.file, input_name_.path + "_before"};
    const Handle file = open_hdf5(before.file);
    if (H5Lexists(file.id(), before.path.c_str(), H5P_DEFAULT) <= 0) return;
    fmt::print(stderr,
               "ridge: the run starts at rest, and {} is passed over; --before {} goes on with the "
               "motion of the field\n",
               to_text(before), to_text(before));
  }

  /// The fields beside the newest.
  void open_others() {
    const lab::Evolution& kernel = setup_.kernel;
    run().levels = kernel.levels;
    for (int level = 1; level < kernel.levels; ++level) {
      if (level == 1 && before_name_) {
        open(*before_name_, "--before");
      } else {
        setup_.inputs.emplace_back();
        refuse_if(!setup_.at_rest && level == 1,
                  "{} takes {} time levels: give the one before by --before FILE.h5:/path",
                  run().kernel, kernel.levels);
        if (level == 1 && ranks_.rank() == 0) tell_of_before();
      }
    }
    const std::vector<std::string> given = words_in(run().coefficients, '\n');
    for (const std::string& name : given)
      open(found(name, "--coefficient"), "--coefficient");
    const auto wanted = static_cast<std::size_t>(kernel.traits.inputs() - kernel.levels) -
                        (setup_.friction ? 1 : 0);
    refuse_if(given.size() != wanted,
              "{} takes {} coefficient field{}, and {} --coefficient {} given", run().kernel,
              wanted, wanted == 1 ? "" : "s", given.size(), given.size() == 1 ? "is" : "are");
    if (setup_.friction) setup_.inputs.emplace_back();
  }

  /// Ranks on machines that see other files would compute nonsense.
  void require_alike() {
    const InputDataset& first = *setup_.inputs.front();
    const auto all =
        ranks_.gather_text(fmt::format("{} with {} numbers of {} bytes", to_text(first.name()),
                                       to_text(first.extents()), first.element_bytes()));
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (all[rank] == all[0]) continue;
      throw UsageError(
          fmt::format("rank {} sees {}, rank 0 {}: all ranks of a run read the same files", rank,
                      all[rank], all[0]));
    }
  }

  /// Fields that are read again where the run goes on must be what they were.
  void mark() {
    const std::string text = fmt::format(
        "{:016x}", ranks_.from(0, ranks_.rank() > 0 ? std::uint64_t{0} : hash_of_fields()));
    refuse_if(!o_.restart.empty() && run().checksum != text,
              "the coefficient or boundary fields of the run in {} were changed since: their "
              "checksum differs",
              o_.restart);
    run().checksum = text;
  }

  [[nodiscard]] std::uint64_t hash_of_fields() const {
    std::uint64_t hash = 0;
    const auto add = [&](const std::vector<double>& values) {
      for (const double value : values)
        hash = mix_bits(hash ^ std::bit_cast<std::uint64_t>(value));
    };
    for (const auto& faces : setup_.boundaries.faces) {
      for (const Condition& c : faces)
        add(c.values);
    }
    for (auto i = static_cast<std::size_t>(setup_.run.levels); i < setup_.inputs.size(); ++i)
      if (setup_.inputs[i]) add(read_all(*setup_.inputs[i]));
    return hash;
  }

  const EvolveOptions& o_;
  comm::Communicator& ranks_;
  EvolveSetup setup_;
  DatasetName input_name_;
  std::optional<DatasetName> before_name_;
  std::optional<double> dt_;
};

} // namespace

std::vector<std::string> words_in(const std::string& text, char separator) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

EvolveSetup make_setup(const EvolveOptions& options, comm::Communicator& ranks) {
  return Maker(options, ranks).make();
}

} // namespace ridge::app
