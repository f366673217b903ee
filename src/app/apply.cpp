#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/tune_case.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/record/measure.hpp>

#include "../core/refuse.hpp"
#include "apply_output.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "progress.hpp"
#include "spacing.hpp"
#include "stored_fields.hpp"
#include "transfer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace ridge::app {

namespace {

/// Fields on a grid, so many read and one written.
bool takes(const lab::BenchKernel& kernel, std::size_t inputs) {
  return kernel.on_arrays.on_grid && kernel.on_arrays.inputs == inputs;
}

/// What points near the edge hold in the end.
constexpr unsigned char zero = 0;

/// A launch after the first, which pays for loading code and waking threads. An emulated GPU is too
/// slow to ask twice.
Record timed(const Program& program) {
  Queue& queue = program.queue();
  Record record = program.record();
  if (facts_of(queue.device()).is_emulated) {
    Event begin(queue.device());
    Event end(queue.device());
    begin.record(queue);
    program.run();
    end.record(queue);
    const Seconds once = begin.until(end);
    record.timing = Timing{once, once, once, 1};
    return record;
  }
  MeasureOptions options;
  options.warm_up = 1;
  options.repeats = 3;
  options.between = check_interrupt;
  record.timing = measure(
      queue, [&] { program.run(); }, options);
  return record;
}

struct ApplyCommand {
  std::string kernel, input, output, store_as;
  std::string spacing = "1", device = "auto", schedule = "auto";
  std::vector<std::string> settings, coefficients;
  bool check = false, overwrite = false, json = false;

  void run() const {
    const lab::BenchKernel chosen = find();
    const InputDataset source(parse_dataset_name(input, "INPUT"));
    const std::vector<InputDataset> others = open_others(source);
    std::vector<std::filesystem::path> files;
    for (const InputDataset& other : others)
      files.insert(files.end(), other.files().begin(), other.files().end());
    ApplyOutput result(parse_dataset_name(output, "OUTPUT"), source, file_of_kernel(kernel),
                       overwrite, files);
    const stencil::Spacing h = parse_spacing(spacing, source.extents().rank());
    Queue queue(Device(device == "auto" ? best_device() : parse_device(device)));
    // Checked before there is any memory.
    const bool is_fp32 = source.element_bytes() == 4;
    std::vector<const InputDataset*> read{&source};
    for (const InputDataset& other : others)
      read.push_back(&other);
    const Storing storing = how_stored(read);
    const auto menu = chosen.make_menu(
        {queue.device(), source.extents(), is_fp32 ? "fp32" : "fp64", schedule, {}},
        Place{queue.device()});
    const Index3 radius = menu->halo()->radius;
    require_interior(chosen, radius, source);
    (void)menu->parse(schedule);
    lab::RoofSource roof(queue.device());
    std::vector<lab::Array> arrays(read.size() + 1, packed(source));
    const lab::Arguments arguments{chosen.name, arrays, {}, lab::ShapeOrder::x_first, h};
    const auto in_fp32 = chosen.on_arrays.make(queue, roof, arguments);
    if (storing.wide != 0) require_at_point(*in_fp32, storing.wide, storing.names);
    // Filled at once: on the host that is what takes the memory, so that the last one is refused
    // when there is too little, and each thread has its share near.
    std::vector<Memory> in;
    for (std::size_t i = 0; i < read.size(); ++i)
      in.push_back(filled(queue, source, i == 0 ? "the input" : "a coefficient"));
    const Memory out = filled(queue, source, "the output");
    result.require_room();
    for (std::size_t i = 0; i < read.size(); ++i) {
      report(read_to_device(*read[i], queue, in[i].data()), *read[i]);
      arrays[i].data = in[i].data();
    }
    arrays.back().data = out.data();
    auto job = chosen.on_arrays.make(queue, roof, arguments);
    std::optional<StoredFields> stored;
    if (!storing.storage.empty()) {
      stored.emplace(queue, storing.storage, source.extents().count());
      for (std::size_t i = 0; i < in.size(); ++i)
        stored->take(in[i].data(), (storing.wide >> i & 1U) != 0);
      job = stored_on(*job, storing.storage, stored->in(), stored->out(), storing.wide);
    }
    std::string from;
    const auto laid = lab::schedules_by_wisdom(*job, schedule, &from);
    refuse_if(laid.size() != 1, "--schedule {}: apply takes one schedule", schedule);
    Record record =
        compute(*job, chosen.name, source, laid.front(), stored ? stored->memory_of_result() : out);
    if (stored) {
      if (storing.wide != 0) record.details.push_back({"storage", 0, store_as});
      stored->give(out.data());
    }
    if (!from.empty()) record.details.push_back({lab::source_detail, 0, from});
    check_interrupt();
    result.write(
        record, h,
        {static_cast<int>(radius.x), static_cast<int>(radius.y), static_cast<int>(radius.z)}, queue,
        out.data());
    print(record, result);
  }

  [[nodiscard]] lab::BenchKernel find() const {
    if (!lab::names_a_file(kernel)) {
      refuse_if(!coefficients.empty(), "--coefficient is for kernels in files; {} is built in",
                kernel);
      return lab::find_one_input_kernel(kernel);
    }
    const std::vector<lab::Setting> all = lab::parse_settings(settings);
    const lab::UserKernel found = lab::load_user_kernel(kernel, all);
    const lab::OnArrays& on = found.bench.on_arrays;
    refuse_if(!on.on_grid, "apply takes stencils; {}: {}", kernel,
              found.no_job.empty() ? "it is none" : found.no_job);
    refuse_if(!takes(found.bench, coefficients.size() + 1),
              "{} takes {} inputs: INPUT and {} --coefficient, not {}", kernel, on.inputs,
              on.inputs - 1, coefficients.size());
    return found.bench;
  }

  /// What is read beside INPUT.
  [[nodiscard]] std::vector<InputDataset> open_others(const InputDataset& source) const {
    std::vector<InputDataset> all;
    for (const std::string& name : coefficients) {
      const InputDataset& other = all.emplace_back(parse_dataset_name(name, "--coefficient"));
      if (other.extents() == source.extents() && other.element_bytes() == source.element_bytes())
        continue;
      const auto shown = [](const InputDataset& d) {
        return fmt::format("{} {} in {}", to_text(d.name()), to_text(d.extents()),
                           d.element_bytes() == 4 ? "fp32" : "fp64");
      };
      throw UsageError(fmt::format("{} is not like {}; all fields have one size and precision",
                                   shown(other), shown(source)));
    }
    return all;
  }

  /// How the inputs are held on the device.
  struct Storing {
    std::string storage; ///< fp16 or bf16; empty: as they are
    unsigned wide = 0;   ///< bits of those that stay fp32
    std::vector<std::string> names;
  };
  [[nodiscard]] Storing how_stored(const std::vector<const InputDataset*>& read) const {
    Storing made;
    if (store_as.empty()) return made;
    for (const InputDataset* const one : read) {
      const std::string& path = one->name().path;
      made.names.push_back(path.substr(path.rfind('/') + 1));
    }
    if (store_as.find('=') == std::string::npos) {
      check_storage(store_as);
      made.storage = store_as;
    } else {
      const FieldStorage fields = parse_field_storage(store_as, made.names);
      made.storage = fields.storage;
      for (std::size_t i = 0; i < read.size(); ++i) {
        const bool stays = std::count(fields.wide.begin(), fields.wide.end(), made.names[i]) > 0;
        if (stays) made.wide |= 1U << i;
      }
    }
    refuse_if(read.front()->element_bytes() != 4, "--store-as {} computes in fp32; {} is fp64",
              store_as, to_text(read.front()->name()));
    return made;
  }

  /// One of the input's shape and type, without memory.
  static lab::Array packed(const InputDataset& source) {
    const Extents& n = source.extents();
    lab::Array made;
    made.rank = n.rank();
    made.element_bytes = source.element_bytes();
    Index stride = 1;
    for (int d = 0; d < n.rank(); ++d) {
      made.extents[static_cast<std::size_t>(d)] = n[d];
      made.strides[static_cast<std::size_t>(d)] = stride;
      stride *= n[d];
    }
    return made;
  }

  static void require_interior(const lab::BenchKernel& chosen, Index3 r,
                               const InputDataset& source) {
    const Index3 n = source.extents().xyz();
    if (n.x > 2 * r.x && n.y > 2 * r.y && n.z > 2 * r.z) return;
    const Index least[3] = {2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1};
    throw UsageError(fmt::format("{} has {} points; {} needs at least {}", to_text(source.name()),
                                 to_text(source.extents()), chosen.name,
                                 to_text(Extents(least, source.extents().rank()))));
  }

  static Memory filled(Queue& queue, const InputDataset& source, const char* what) {
    const Bytes bytes{source.extents().count() * source.element_bytes()};
    Memory memory(queue.device(), bytes, fmt::format("{} ({})", what, to_text(source.extents())));
    fill_bytes(queue, memory.data(), zero, bytes);
    return memory;
  }

  static void report(const NotFinite& odd, const InputDataset& source) {
    if (odd.count() == 0) return;
    const Index nx = source.extents()[0];
    const Index ny = source.extents()[1];
    const Index at[3] = {odd.first % nx, odd.first / nx % ny, odd.first / nx / ny};
    std::string where;
    for (int d = 0; d < source.extents().rank(); ++d)
      where += fmt::format("{}{}={}", d > 0 ? " " : "", axis_name(d), at[d]);
    fmt::print(stderr,
               "ridge: {} holds {} NaN and {} infinite values, the first at {}; they pass "
               "through\n",
               to_text(source.name()), odd.nan, odd.infinite, where);
  }

  /// Points near the edge are 0 afterwards.
  [[nodiscard]] Record compute(lab::Case& job, const std::string& name, const InputDataset& source,
                               const NamedText& laid, const Memory& out) const {
    Progress progress;
    progress.show(fmt::format("computing {}", name));
    const Program program = job.bind(laid);
    check_interrupt();
    std::optional<Check> checked;
    if (check) {
      job.poison();
      program.run();
      checked = job.check();
      if (!checked->ok) {
        throw Failure(fmt::format("{} under '{}' failed its check, so nothing is written: {}", name,
                                  laid.text, checked->message));
      }
      fill_bytes(job.queue(), out.data(), zero, out.size());
    }
    Record record = timed(program);
    record.size = source.extents();
    record.schedule_name = laid.name;
    record.check = checked;
    const double bytes = static_cast<double>(record.work.read.value + record.work.written.value);
    record.achieved = Achievement{bytes / record.timing->median.value, "B/s", 0, ""};
    return record;
  }

  void print(const Record& record, const ApplyOutput& result) const {
    if (json) {
      fmt::print("{}\n", to_json(std::vector{record}));
      return;
    }
    const bool no_gpu = device == "auto" && !facts_of(record.device.kind).is_gpu();
    fmt::print("{} {} {} on {} ({}{}): {}, {}{}; wrote {}\n", record.kernel,
               ridge::to_text(record.size), record.precision, ridge::to_text(record.device),
               record.device_name, no_gpu ? ", no GPU here" : "",
               ridge::to_text(record.timing->median),
               quantity(record.achieved->rate, record.achieved->unit),
               record.check ? fmt::format(", check ok {:.1e}", record.check->max_error) : "",
               result.text());
  }
};

} // namespace

void add_apply(CommandLine& line) {
  const Command command =
      line.add_command("apply", "run a kernel on a dataset of yours and write the result");
  auto o = std::make_shared<ApplyCommand>();
  command.add({
      required("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own"),
      required("INPUT", &o->input,
               "FILE.h5:/path: an HDF5 dataset of 1 to 3 dimensions, fp32 or fp64"),
      required("-o,--output", &o->output,
               "FILE.h5:/path: the result, of the input's shape and type, with FILE.xdmf beside it "
               "for ParaView"),
      {"--spacing", &o->spacing,
       "between points: XxYxZ, x first (HDF5's last dimension), or one number for all; 1 if not "
       "given"},
      device_row(&o->device),
      {"--schedule", &o->schedule,
       "auto: what ridge tune found, else the default; a name; or fields such as 'tile=4 "
       "store=nontemporal'"},
      {"--store-as", &o->store_as,
       "fp16 or bf16: hold the fields of an fp32 INPUT in 16 bits on the device, and compute in "
       "fp32; FIELD=fp16,...: these, by their datasets' names; coefficients not named stay fp32"},
      {"--coefficient", &o->coefficients,
       "FILE.h5:/path: a field that the kernel reads beside INPUT; may be repeated"},
      {"--set", &o->settings,
       "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated"},
      {"--check", &o->check, "compare the result with the reference before writing it"},
      {"--overwrite", &o->overwrite, "replace output files that exist, whatever they hold"},
      {"--json", &o->json, "print an array with the record"},
  });
  std::string kernels = "kernels:\n";
  for (const lab::BenchKernel& known : lab::bench_kernels()) {
    if (takes(known, 1)) kernels += fmt::format("  {:<12} {}\n", known.name, known.meaning);
  }
  command.set_footer(kernels +
                     "\nPoints within the stencil's radius of an edge hold 0 in the result: the "
                     "stencil has no value there.\nNaN and infinite values pass through. An "
                     "earlier result of apply in the same place is replaced.\n");
  command.set_action([o] {
    const WithinLaunches are_given_up;
    o->run();
  });
}

} // namespace ridge::app
