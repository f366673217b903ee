#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/kernels/chain_systems.hpp>
#include <ridge/lab/storage.hpp>
#include <ridge/lab/table.hpp>
#include <ridge/lab/user_kernel.hpp>

#include "bench_ranks.hpp"
#include "commands.hpp"
#include "counting.hpp"
#include "energy.hpp"
#include "interrupt.hpp"
#include "kernel_options.hpp"
#include "level_options.hpp"
#include "nbody_input.hpp"
#include "near_options.hpp"
#include "stored_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace ridge::app {

namespace {

struct BenchCommand {
  std::string kernel;
  std::string device = "auto";
  std::string size;
  std::string precision;
  std::string store_as;
  std::string schedule = "auto";
  std::string site;
  std::vector<std::string> settings;
  std::string ranks;
  int repeat = 15;
  int width = 0;
  int operations = 10;
  int ls = 16;
  bool scaling = false;
  std::optional<Index> steps;
  std::optional<std::string> boundary;
  NearOptions within;
  std::optional<double> theta, error;
  std::optional<Index> degree, order;
  LevelOptions levels;
  bool counters = false;
  bool energy = false;
  bool no_roof = false;
  bool json = false;

  void run() const {
    comm::Communicator& world = comm::world();
    const bool over_ranks = world.ranks() > 1 || !ranks.empty();
    const std::string named = levels.kernel(kernel);
    const lab::BenchKernel chosen =
        lab::find_kernel(named, settings, over_ranks ? lab::Use::ranks : lab::Use::launches);
    lab::BenchRequest request{comm::device_of_rank(world, device),
                              is_size_range(size) && !levels.levels
                                  ? chosen.default_size
                                  : levels.size(named, size, chosen.default_size),
                              precision.empty() ? chosen.default_precision : precision,
                              schedule,
                              {}};
    if (!site.empty() && chosen.pattern != "lattice") {
      throw UsageError(fmt::format("--site is for lattice kernels; {} is not one", kernel));
    }
    request.site = site;
    choose_storage(chosen, request);
    if (width != 0 && chosen.pattern != "lattice") {
      throw UsageError(fmt::format("--width is for lattice kernels; {} is not one", kernel));
    }
    request.width = width;
    if (boundary && chosen.pattern == "solve") {
      request.boundary = *boundary;
    } else if ((steps || boundary) && chosen.pattern != "sweeps") {
      throw UsageError(
          fmt::format("--steps and --boundary are for heat and waves; {} is one launch", kernel));
    }
    if (steps) request.steps = *steps;
    if (boundary) request.boundary = *boundary;
    request.near = within.request(chosen, kernel);
    if (request.near && over_ranks) throw UsageError("--cutoff is for one rank");
    request.far = far(chosen);
    if (request.far && (over_ranks || request.near))
      throw UsageError(fmt::format("{} is for one rank and goes without --cutoff",
                                   theta ? "--theta" : "--error"));
    if (order && chosen.pattern != "tree")
      throw UsageError(fmt::format("--order is for gravity-tree; {} is none", kernel));
    request.theta = theta;
    request.error = error;
    if (order) request.order = static_cast<int>(std::clamp<Index>(*order, -99, 99));
    request.measure.repeats = repeat;
    request.operations = operations;
    request.ls = ls;
    request.wisdom = true;
    request.roof = !no_roof;
    request.measure.between = check_interrupt;
    if (scaling && world.ranks() == 1) {
      throw UsageError("--scaling compares several ranks with one; start them with mpirun -n N");
    }
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
    (void)asked_precision(chosen, kernel, precision);
    if (store_as.empty()) return;
    const bool listed = store_as.find('=') != std::string::npos &&
                        (chosen.on_arrays.on_grid || !chosen.arrays.empty());
    if (!listed) lab::check_storage(store_as);
    const bool takes = takes_storage(chosen, kernel);
    if (!takes) {
      throw UsageError(fmt::format("--store-as is for stencils and systems; {} is of {}", kernel,
                                   chosen.pattern));
    }
    if (!precision.empty() && precision != "fp32")
      throw UsageError(fmt::format("--store-as {} computes in fp32, not {}", store_as, precision));
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
    const bool several = schedule == "all" || schedule == "space";
    Counting counting(chosen);
    std::optional<Energy> joules;
    if (energy) joules.emplace(request.device);
    const std::vector<Extents> sizes =
        levels.levels ? std::vector{request.size} : sizes_of(size, chosen.default_size);
    std::size_t failed = 0;
    std::string why;
    for (const Extents& one : sizes) {
      request.size = one;
      try {
        const bool sorted = request.near || request.far || chosen.pattern == "tree";
        if ((sorted || chosen.among_bodies()) && one.rank() == 1) require_room(one.count(), sorted);
        const auto the_case = chosen.make_case(request, roof);
        lab::bench_case(*the_case, request, roof, [&](const Record& record) {
          check_interrupt();
          records.push_back(record);
          if (counters)
            records.back().counters =
                counting.of({levels.kernel(kernel), to_text(record.device), to_text(record.size),
                             record.precision, record.schedule, site, settings, operations, width});
          if (joules) joules->add_to(records.back(), *the_case);
          if (!json) print_line(records.back(), several, records.size() == 1, is_size_range(size));
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

  /// Interactions with far bodies by proxies, where they are asked for.
  [[nodiscard]] std::optional<lab::FarRequest> far(const lab::BenchKernel& chosen) const {
    const bool is_tree = chosen.pattern == "tree";
    if (degree && ((!theta && !error) || is_tree))
      throw UsageError("--degree goes with --theta or --error of an interaction: of its proxies");
    if ((!theta && !error) || is_tree) return {};
    if (!chosen.among_bodies()) {
      throw UsageError(fmt::format("{} is for interactions and trees; {} is none",
                                   theta ? "--theta" : "--error", kernel));
    }
    if (theta && error) throw UsageError("--theta and --error: give one of them");
    const Index asked = degree.value_or(error ? 0 : 4);
    return lab::FarRequest{theta.value_or(0), static_cast<int>(std::clamp<Index>(asked, -1, 99)),
                           error};
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
      if (detail.name == lab::flop_rate_detail) add(quantity(detail.number, "flop/s"));
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
  command.add("KERNEL", &o->kernel, "a built-in kernel, or FILE.hpp:Name of your own").require();
  command.add_device(&o->device);
  command.add("--size", &o->size, sizes_too);
  command.add("--precision", &o->precision, "fp32, fp64 or mixed; each kernel has its own default");
  command.add("--store-as", &o->store_as,
              "fp16 or bf16: fields of stencils and systems in 16 bits, computed with in fp32; "
              "1=fp16,2=fp32: inputs of a stencil that are read at the point may stay fp32; "
              "p=fp16,rho=fp32: arrays of a system that are only read may");
  command.add("--schedule", &o->schedule,
              "auto: what ridge tune found, else the default; all: those with names and the "
              "default; space: every combination; a "
              "name; or fields such as 'tile=4 store=nontemporal'; several with ; between them");
  command.add("--site", &o->site,
              "lattice kernels: propagator, spinor, matrix, vector, complex or real; of wilson and "
              "dwf links18 or links12, the numbers of a link");
  add_width(command, &o->width);
  command.add("--operations", &o->operations, "operations of a chain, 1 to 32");
  o->levels.add_to(command);
  command.add(
      "--ls,--rhs", &o->ls,
      "values a site: the fifth dimension's extent of dwf, right-hand sides of wilson-columns");
  command.add("--steps", &o->steps, "steps of a launch of heat and waves; 16 if not given");
  command.add(
      "--boundary", &o->boundary,
      "of heat and waves, such as x=periodic,y=dirichlet:0,z=neumann:0; untouched if not given; of "
      "multigrid, dirichlet:0 if not given");
  o->within.add_to(command);
  command.add(
      "--theta", &o->theta,
      "of gravity-tree: how wide a node may look; 0.5 if not given; interactions: far bodies "
      "by proxies, where their box is no wider than that, 0 to 1");
  command.add("--degree", &o->degree,
              "with --theta of an interaction: of the polynomials of proxies, 1 to 8; 4 if not "
              "given, or what "
              "--error chooses");
  command.add("--error", &o->error,
              "in place of --theta: the rms error, which chooses theta and order of gravity-tree, "
              "theta and degree of an interaction, checked on a sample against all pairs");
  command.add("--order", &o->order,
              "of gravity-tree: of the moments of nodes, 1 to 5; 2 if not given, or what --error "
              "chooses");
  command.add("--repeat", &o->repeat, "timed launches").require_between(1, 100000);
  command.add("--set", &o->settings,
              "MEMBER=NUMBER of a kernel in a file, such as rate=0.1; may be repeated");
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
  command.set_action([o] { o->run(); }, Ranks::several);
}

} // namespace ridge::app
