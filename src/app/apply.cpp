#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/record/measure.hpp>

#include "apply_output.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "progress.hpp"
#include "spacing.hpp"
#include "transfer.hpp"

#include <fmt/core.h>

namespace ridge::app {

namespace {

/// Bytes that show what was never written, and what points near the edge hold in the end.
constexpr unsigned char poison = 0xff;
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
  std::string kernel;
  std::string input;
  std::string output;
  std::string spacing = "1";
  std::string device = "auto";
  std::string schedule = "auto";
  std::vector<std::string> settings;
  bool check = false;
  bool overwrite = false;
  bool json = false;

  void run() const {
    const bool in_file = lab::names_a_file(kernel);
    const lab::BuiltInStencil* const built_in =
        in_file ? nullptr : &lab::find_one_input_stencil(kernel);
    const InputDataset source(parse_dataset_name(input, "INPUT"));
    ApplyOutput result(parse_dataset_name(output, "OUTPUT"), source, file_of_kernel(kernel),
                       overwrite);
    const stencil::Spacing h = parse_spacing(spacing, source.extents().rank());
    const lab::StencilJob job =
        in_file ? job_of_file(source)
                : built_in->job(source.extents().rank(), source.element_bytes(), h);
    require_interior(job, source);
    const Device chosen(device == "auto" ? best_device() : parse_device(device));
    auto laid = stencil::parse_schedule(schedule, chosen, job.traits, source.extents().xyz());
    Queue queue(chosen);
    // Filled at once: on the host that is what takes the memory, so that the second of the two is
    // refused when there is too little, and each thread has its share near.
    const Memory in = filled(queue, source, "the input");
    const Memory out = filled(queue, source, "the output");
    result.require_room();
    const NotFinite odd = read_to_device(source, queue, in.data());
    report(odd, source);

    const std::string from = take_wisdom(laid, queue, job, source, in, out);
    Record record = compute(queue, job, source, laid, in, out);
    if (!from.empty()) record.details.push_back({lab::source_detail, 0, from});
    check_interrupt();
    result.write(record, h, job.traits.radius, queue, out.data());
    print(record, result);
  }

  /// Replaces the default by what tuning found, where it did, and says where the schedule is from;
  /// empty where the user gave one.
  [[nodiscard]] std::string take_wisdom(stencil::NamedSchedule& laid, Queue& queue,
                                        const lab::StencilJob& job, const InputDataset& source,
                                        const Memory& in, const Memory& out) const {
    if (schedule != "auto") return {};
    const Index3 n = source.extents().xyz();
    const tune::Choice choice = job.choose(queue, in.data(), out.data(), n);
    if (!choice.note.empty()) tune::say_once(choice.note);
    if (choice.source != tune::Choice::Source::standard) {
      laid = {"wisdom",
              stencil::parse_schedule(choice.schedule, queue.device(), job.traits, n).schedule};
    }
    return source_text(choice);
  }

  [[nodiscard]] lab::StencilJob job_of_file(const InputDataset& source) const {
    std::vector<lab::Setting> all;
    for (const std::string& text : settings)
      all.push_back(lab::parse_setting(text));
    const lab::UserKernel found = lab::load_user_kernel(kernel, all);
    if (!found.job) {
      throw UsageError(fmt::format("apply takes stencils of one input; {}: {}", kernel,
                                   found.no_job.empty() ? "it is none" : found.no_job));
    }
    return found.job(source.element_bytes());
  }

  static void require_interior(const lab::StencilJob& job, const InputDataset& source) {
    if (stencil::interior_points(job.traits, source.extents().xyz()) > 0) return;
    const stencil::Offset r = job.traits.radius;
    const Index least[3] = {2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1};
    throw UsageError(fmt::format("{} has {} points; {} needs at least {}", to_text(source.name()),
                                 to_text(source.extents()), job.name,
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
  [[nodiscard]] Record compute(Queue& queue, const lab::StencilJob& job, const InputDataset& source,
                               const stencil::NamedSchedule& laid, const Memory& in,
                               const Memory& out) const {
    Progress progress;
    progress.show(fmt::format("computing {}", job.name));
    const Index3 n = source.extents().xyz();
    const Program program = job.bind(queue, in.data(), out.data(), n, laid.schedule);
    check_interrupt();
    std::optional<Check> checked;
    if (check) {
      fill_bytes(queue, out.data(), poison, out.size());
      program.run();
      checked = job.check(queue, in.data(), out.data(), n);
      if (!checked->ok) {
        throw Failure(fmt::format("{} under '{}' failed its check, so nothing is written: {}",
                                  job.name, stencil::to_text(laid.schedule), checked->message));
      }
      fill_bytes(queue, out.data(), zero, out.size());
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
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own").require();
  command
      .add("INPUT", &o->input, "FILE.h5:/path: an HDF5 dataset of 1 to 3 dimensions, fp32 or fp64")
      .require();
  command
      .add("-o,--output", &o->output,
           "FILE.h5:/path: the result, of the input's shape and type, with FILE.xdmf beside "
           "it for ParaView")
      .require();
  command.add("--spacing", &o->spacing,
              "between points: XxYxZ, x first (HDF5's last dimension), or one number for "
              "all; 1 if not given");
  command.add_device(&o->device);
  command.add("--schedule", &o->schedule,
              "auto: what ridge tune found, else the default; a name; or fields such as 'tile=4 "
              "store=nontemporal'");
  command.add("--set", &o->settings,
              "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
  command.add("--check", &o->check, "compare the result with the reference before writing it");
  command.add("--overwrite", &o->overwrite, "replace output files that exist, whatever they hold");
  command.add("--json", &o->json, "print an array with the record");
  std::string kernels = "kernels:\n";
  for (const lab::BuiltInStencil& known : lab::built_in_stencils()) {
    if (known.job != nullptr)
      kernels += fmt::format("  {:<12} {}\n", known.bench.name, known.bench.meaning);
  }
  command.set_footer(kernels +
                     "\nPoints within the stencil's radius of an edge hold 0 in the result: the "
                     "stencil has no value there.\nNaN and infinite values pass through. An "
                     "earlier result of apply in the same place is replaced.\n");
  command.set_action([o] { o->run(); });
}

} // namespace ridge::app
