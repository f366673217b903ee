#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/pattern/storage.hpp>

#include "../core/refuse.hpp"
#include "bench_ranks.hpp"
#include "bodies_input.hpp"
#include "commands.hpp"
#include "counting.hpp"
#include "energy.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "level_options.hpp"
#include "stored_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace ridge::app {

namespace {

struct BenchCommand {
  KernelOptions launch{.device = "auto"};
  std::string store_as;
  std::string ranks;
  int repeat = 15;
  bool scaling = false;
  LevelOptions levels;
  bool counters = false;
  bool energy = false;
  bool no_roof = false;
  bool json = false;

  void run() const {
    comm::Communicator& world = comm::world();
    const bool over_ranks = world.ranks() > 1 || !ranks.empty();
    const std::string& size = launch.size;
    const std::string named = levels.kernel(launch.kernel);
    // An adjoint is made of the kernel as one rank has it.
    const lab::Use use = over_ranks && !launch.adjoint ? lab::Use::ranks : lab::Use::launches;
    const lab::BenchKernel chosen = launch.chosen(lab::find_kernel(named, launch.settings, use));
    lab::BenchRequest request{
        comm::device_of_rank(world, launch.device),
        is_size_range(size) && !levels.levels ? chosen.default_size
                                              : levels.size(named, size, chosen.default_size),
        launch.precision.empty() ? chosen.default_precision : launch.precision,
        launch.schedule,
        {}};
    request.options = launch.options(chosen);
    choose_storage(chosen, request);
    request.measure.repeats = repeat;
    request.wisdom = true;
    request.roof = !no_roof;
    request.measure.between = check_interrupt;
    refuse_if(scaling && world.ranks() == 1,
              "--scaling compares several ranks with one; start them with mpirun -n N");
    if (over_ranks) {
      if (is_size_range(size)) (void)parse_extents(size, "--size over ranks");
      request.world = {&world, ranks, scaling};
      bench_over_ranks(chosen, request, json);
      return;
    }
    std::vector<Record> records;
    const std::string missed = run_sizes(chosen, request, records);
    if (json) {
      fmt::print("{}\n", to_json(records));
    } else if (const std::string busy = lab::busy_text(records); !busy.empty()) {
      fmt::print("{}\n", busy);
    }
    for (const Record& record : records) {
      if (record.check && !record.check->ok) {
        throw Failure(fmt::format("{}{} under '{}': {}", record.kernel,
                                  is_size_range(size) ? " " + to_text(record.size) : "",
                                  record.schedule, record.check->message));
      }
    }
    if (!missed.empty()) throw Failure(missed);
  }

private:
  /// Storage in 16 bits is a precision of the fields alone.
  void choose_storage(const lab::BenchKernel& chosen, lab::BenchRequest& request) const {
    (void)asked_precision(chosen, launch.kernel, launch.precision);
    if (store_as.empty()) return;
    const bool listed = store_as.find('=') != std::string::npos &&
                        (chosen.on_arrays.on_grid || !chosen.arrays.empty());
    if (!listed) check_storage(store_as);
    const bool takes = takes_storage(chosen, launch.kernel);
    refuse_if(!takes, "--store-as is for stencils and systems; {} is of {}", launch.kernel,
              chosen.pattern);
    refuse_if(!launch.precision.empty() && launch.precision != "fp32",
              "--store-as {} computes in fp32, not {}", store_as, launch.precision);
    request.precision = store_as;
    if (listed) std::tie(request.precision, request.wide) = of_inputs(chosen);
  }

  /// How a list has the inputs stored, which are called 1, 2 and so on: the storage in 16 bits, and
  /// the inputs that stay fp32.
  [[nodiscard]] std::pair<std::string, unsigned> of_inputs(const lab::BenchKernel& chosen) const {
    if (!chosen.arrays.empty()) return parse_system_storage(store_as, chosen.arrays);
    std::vector<std::string> called;
    for (std::size_t i = 1; i <= chosen.on_arrays.inputs; ++i)
      called.push_back(std::to_string(i));
    const FieldStorage fields = parse_field_storage(store_as, called);
    unsigned wide = 0;
    for (std::size_t i = 0; i < called.size(); ++i) {
      const bool stays = std::count(fields.wide.begin(), fields.wide.end(), called[i]) > 0;
      if (stays) wide |= 1U << i;
    }
    return {fields.storage, wide};
  }

  /// Runs all sizes. Of a range, a size that cannot run (too little memory) does not keep the
  /// others from running: returns what to say of it in the end.
  [[nodiscard]] std::string run_sizes(const lab::BenchKernel& chosen, lab::BenchRequest request,
                                      std::vector<Record>& records) const {
    lab::RoofSource roof(request.device, false, request.roof);
    const bool several = launch.schedule == "all" || launch.schedule == "space";
    Counting counting(chosen);
    std::optional<Energy> joules;
    if (energy) joules.emplace(request.device);
    const std::vector<Extents> sizes =
        levels.levels ? std::vector{request.size} : launch.sizes(chosen);
    std::size_t failed = 0;
    std::string why;
    for (const Extents& one : sizes) {
      request.size = one;
      try {
        const bool sorted = chosen.pattern == "tree" || !request.options.all.empty(); // of bodies
        if (chosen.of_bodies && one.rank() == 1) require_room(one.count(), sorted);
        const auto the_case = chosen.make_case(request, roof);
        lab::bench_case(*the_case, request, roof, [&](const Record& record) {
          check_interrupt();
          records.push_back(record);
          if (counters) {
            KernelOptions counted = launch;
            counted.kernel = levels.kernel(launch.kernel);
            counted.device = to_text(record.device);
            counted.size = to_text(record.size);
            counted.precision = record.precision;
            counted.schedule = record.schedule;
            records.back().counters = counting.of(counted);
          }
          if (joules) joules->add_to(records.back(), *the_case);
          if (!json)
            print_line(records.back(), several, records.size() == 1, is_size_range(launch.size));
        });
      } catch (const Failure& failure) {
        check_interrupt();
        if (sizes.size() == 1) throw;
        if (++failed == 1) why = fmt::format("{}: {}", to_text(one), failure.what());
      }
    }
    if (failed == 0) return "";
    return fmt::format("{} of {} sizes did not run; {}", failed, sizes.size(), why);
  }

  /// Room for a rate, and for the operations beside a rate of interactions.
  static constexpr int size_width = 15;
  static int rate_width(const Record& r) {
    return r.achieved && r.achieved->unit == "interactions/s" ? 22 : 10;
  }

  /// In the units that others use: GB/s, updates of points or sites a second; of several sweeps,
  /// the bytes that their passes over memory move at least; of operators that users count in
  /// operations, these a second.
  static std::string rates_beside(const Record& r) {
    std::string text = lab::updates_text(r);
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (r.achieved && r.achieved->unit == "B/s" && r.achieved->rate >= 1e12)
      add(fmt::format("{:.1f} GB/s", r.achieved->rate / 1e9));
    for (const Detail& detail : r.details) {
      if (detail.name == flop_rate_detail) add(quantity(detail.number, "flop/s"));
      if (detail.name == lab::launch_cost_detail)
        add("launches alone " + to_text(Seconds{detail.number}));
      if (detail.name == "least_bytes") add(quantity(detail.number, "B") + " at least");
    }
    if (const std::string joules = energy_text(r); !joules.empty()) add(joules);
    return text.empty() ? "" : "  (" + text + ")";
  }

  /// What the lines below are of. Those of several sizes begin with theirs.
  static void print_head(const Record& r, bool range) {
    const std::string head =
        fmt::format("{} {}{} on {} ({}); {}", r.kernel, range ? "" : to_text(r.size) + " ",
                    r.precision, to_text(r.device), r.device_name, r.work.convention);
    fmt::print("{}\n", lab::within_columns(head, 2));
    if (!range) {
      for (const Detail& d : r.details) {
        if (d.name == lab::source_detail) fmt::print("schedule: {}\n", d.text);
      }
      if (r.in_cache) fmt::print("the data fit the last-level cache: fractions may exceed 1\n");
    }
    fmt::print("{}{:>9}  {:>{}}  {:>15}  {:>8}  {:>14}  {:>10}  {}\n",
               range ? fmt::format("{:>{}}  ", "size", size_width) : "", "time", "achieved",
               rate_width(r), "roof", "fraction", "interval", "check", "schedule");
  }

  static void print_line(const Record& r, bool several, bool first, bool range) {
    if (first) print_head(r, range);
    const std::string size =
        range ? fmt::format("{:>{}}  ", to_text(r.size), size_width) : std::string();
    const std::string check = !r.check      ? "-"
                              : r.check->ok ? fmt::format("ok {:.1e}", r.check->max_error)
                                            : "FAILED";
    const std::string fraction =
        r.achieved && r.achieved->roof > 0 ? fmt::format("{:.3f}", r.achieved->fraction()) : "-";
    const std::string interval =
        r.achieved && r.achieved->fraction_high > 0
            ? fmt::format("{:.3f} to {:.3f}", r.achieved->fraction_low, r.achieved->fraction_high)
            : "-";
    const std::string roof = lab::roof_text(r);
    const std::string name =
        several && !r.schedule_name.empty() ? fmt::format("{:<20}", r.schedule_name) : "";
    const std::string line = fmt::format(
        "{}{:>9}  {:>{}}  {:>15}  {:>8}  {:>14}  {:>10}  {}{}{}{}", size, to_text(r.timing->median),
        lab::rate_text(r), rate_width(r), roof, fraction, interval, check, name, r.schedule,
        rates_beside(r), range && r.in_cache ? "  (in cache)" : "");
    fmt::print("{}\n", lab::within_columns(line));
    if (r.counters) {
      fmt::print("{:>9}  read {}, written {} ({})\n", "", quantity(r.counters->bytes_read, "B"),
                 r.counters->bytes_written ? quantity(*r.counters->bytes_written, "B") : "-",
                 r.counters->source);
    }
    std::fflush(stdout);
  }
};

std::string kernel_list() {
  std::string list = "built-in kernels:\n";
  for (const auto& k : lab::bench_kernels()) {
    list += fmt::format("  {:<26} {}: {}\n", k.name, k.pattern, k.meaning);
  }
  return list;
}

} // namespace

void add_bench(CommandLine& line) {
  const Command command =
      line.add_command("bench", "run a kernel, check it, and print a record for each schedule");
  auto o = std::make_shared<BenchCommand>();
  command.add("KERNEL", &o->launch.kernel, "a built-in kernel, or FILE.hpp:Name of your own")
      .require();
  command.add_device(&o->launch.device);
  command.add("--size", &o->launch.size, sizes_too);
  command.add("--precision", &o->launch.precision,
              "fp32, fp64 or mixed; each kernel has its own default");
  command.add("--store-as", &o->store_as,
              "fp16 or bf16: fields of stencils and systems in 16 bits, computed with in fp32; "
              "1=fp16,2=fp32: inputs of a stencil that are read at the point may stay fp32; "
              "p=fp16,rho=fp32: arrays of a system that are only read may");
  command.add("--schedule", &o->launch.schedule,
              "auto: what ridge tune found, else the default; all: those with names and the "
              "default; space: every combination; a "
              "name; or fields such as 'tile=4 store=nontemporal'; several with ; between them");
  o->levels.add_to(command);
  o->launch.add_of_pattern(command, KernelOption::bench);
  command.add("--repeat", &o->repeat, "timed launches").require_between(1, 100000);
  command.add(
      "--ranks", &o->ranks,
      "PxQxR: the ranks along each dimension, as many as mpirun started; the grid with least "
      "exchange if not given");
  command.add("--scaling", &o->scaling, "over ranks: also one rank alone, for the efficiencies");
  command.add("--counters", &o->counters,
              "count the bytes from and to memory, of one more launch; modelled where that cannot "
              "be");
  command.add(
      "--energy", &o->energy,
      "joules of a launch, from launches of one second more; where the device has a counter");
  command.add(
      "--no-roof", &o->no_roof,
      "measure no ceiling: a check and a time, without a fraction, seconds sooner on a cpu");
  command.add("--json", &o->json, "print an array of records");
  command.set_footer(kernel_list());
  command.set_action(
      [o] {
        const WithinLaunches are_given_up;
        o->run();
      },
      Ranks::several);
}

} // namespace ridge::app
