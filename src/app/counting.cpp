#include "counting.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/launch/process.hpp>
#include <ridge/record/cpu_counters.hpp>
#include <ridge/record/ncu_report.hpp>
#include <ridge/record/profile.hpp>

#include "../core/refuse.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ridge::app {

namespace {

namespace fs = std::filesystem;

/// A folder that vanishes with what is in it.
class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "ridge-count-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Failure("no temporary folder can be made in " + fs::temp_directory_path().string());
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

private:
  fs::path path_;
};

std::string find_ncu() {
  const char* const given = std::getenv("RIDGE_NCU");
  if (given != nullptr) {
    std::string found = launch::find_program(given);
    fail_if(found.empty(), "RIDGE_NCU={}: no such program", given);
    return found;
  }
  const char* const home = std::getenv("CUDA_HOME");
  for (const std::string& name :
       {std::string("ncu"),
        fmt::format("{}/bin/ncu", home != nullptr ? home : "/usr/local/cuda")}) {
    std::string found = launch::find_program(name);
    if (!found.empty()) return found;
  }
  throw Failure("counting on an NVIDIA GPU takes ncu (Nsight Compute), which is not in PATH; "
                "install it, or set RIDGE_NCU to it");
}

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// This command once more, to run the launch inside of a profiler.
void add_inside(std::vector<std::string>& command, const KernelOptions& o) {
  command.insert(command.end(), {fs::read_symlink("/proc/self/exe").string(), "count", o.kernel,
                                 "--inside", "--schedule", o.schedule});
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) command.insert(command.end(), {option, value});
  };
  add("--device", o.device);
  add("--size", o.size);
  add("--precision", o.precision);
  KernelOptions inside = o;
  inside.command = KernelOption::count;
  for (const auto& [name, value] : inside.options(inside.find()).all)
    add("--" + name, std::visit([](const auto& held) { return fmt::format("{}", *held); }, value));
  for (const std::string& setting : o.settings)
    add("--set", setting);
}

/// What a profiler's report says, or else what the launch inside failed of.
template <class F>
Counters counted_by(const launch::Finished& done, const F& read) {
  try {
    return read();
  } catch (const Error&) {
    const auto own = done.report.find("ridge: ");
    if (own == std::string::npos) throw;
    throw Failure(done.report.substr(own + 7, done.report.find('\n', own) - own - 7));
  }
}

/// The text that ncu wrote, and what the launch inside printed.
std::pair<std::string, launch::Finished> under_ncu(const KernelOptions& o,
                                                   const std::vector<std::string>& words) {
  const Folder folder;
  const std::string log = folder.file("report.csv");
  std::vector<std::string> command{
      find_ncu(), "--profile-from-start", "off",  "--csv",      "--page",
      "raw",      "--print-units",        "base", "--log-file", log};
  command.insert(command.end(), words.begin(), words.end());
  add_inside(command, o);
  launch::Finished done = launch::run_command(command, fs::current_path().string());
  return {content_of(log), std::move(done)};
}

Counters count_under_ncu(const KernelOptions& o) {
  const auto [report, done] = under_ncu(o, {"--metrics", ncu_metrics()});
  return counted_by(done, [&] { return parse_ncu_report(report + done.report); });
}

/// AMD's profilers: rocprofv3, or rocprof where only that is there.
Counters count_under_rocprof(const KernelOptions& o, const char* why_not) {
  const Folder folder;
  std::vector<std::string> command;
  const std::string v3 = launch::find_program("rocprofv3");
  if (!v3.empty()) {
    command = {v3,    "--pmc", "FETCH_SIZE",    "WRITE_SIZE", "L2CacheHit", "--output-format",
               "csv", "-d",    folder.file(""), "-o",         "counted",    "--"};
  } else if (const std::string old = launch::find_program("rocprof"); !old.empty()) {
    std::ofstream(folder.file("input.txt")) << rocprof_input({});
    command = {old, "-i", folder.file("input.txt"), "-o", folder.file("counted.csv")};
  } else {
    throw Failure(why_not);
  }
  add_inside(command, o);
  const launch::Finished done = launch::run_command(command, fs::current_path().string());
  return counted_by(done, [&] {
    for (const auto& entry : fs::recursive_directory_iterator(folder.file(""))) {
      const std::string name = entry.path().filename().string();
      if (name == "counted.csv" || name.ends_with("counter_collection.csv"))
        return counted_since_fill(content_of(entry.path().string()));
    }
    throw Failure("AMD's profiler left no counters: " + done.report);
  });
}

/// Begins or ends what ncu counts. The driver is loaded when a GPU is in use.
void tell_profiler(const char* function) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) throw Failure("the NVIDIA driver (libcuda.so.1) is not here");
  using Tell = int();
  auto* const tell = reinterpret_cast<Tell*>(dlsym(driver, function));
  fail_if(tell == nullptr || tell() != 0, "{} of the NVIDIA driver does not work here", function);
}

/// A case, and its one schedule.
struct Ready {
  std::unique_ptr<lab::Case> the_case;
  lab::AskedSchedule schedule;
};
Ready make_ready(const KernelOptions& o) {
  const lab::BenchKernel found = o.find();
  const lab::BenchRequest request = o.request(found);
  lab::RoofSource roof(request.device, true);
  Ready ready{found.make_case(request, roof), {}};
  const auto schedules = ready.the_case->menu().asked(o.schedule);
  refuse_if(schedules.size() != 1, "--schedule {} means {} schedules; one launch is counted",
            o.schedule, schedules.size());
  ready.schedule = schedules.front();
  return ready;
}

} // namespace

std::string ncu_report_of(const KernelOptions& o, const std::string& metrics) {
  return under_ncu(o, {"--metrics", metrics, "--clock-control", "none", "--cache-control", "none"})
      .first;
}

Counters count_on_cpu(lab::Case& the_case, const lab::AskedSchedule& schedule) {
  const Program program = the_case.bind(schedule);
  program.run(); // memory is touched, threads are there
  return ridge::count_on_cpu([&] {
    program.run();
    the_case.queue().wait();
  });
}

Counters count_launch(const KernelOptions& o) {
  const Device device = named_device(o.device);
  const KindFacts& kind = facts_of(device);
  refuse_if(kind.is_emulated,
            "an emulated GPU has no memory of its own to count; give --device cpu or a GPU");
  if (kind.counts == Counts::none) return count_under_rocprof(o, kind.why_not_counted);
  if (kind.counts == Counts::profiler) return count_under_ncu(o);
  const Ready ready = make_ready(o);
  return count_on_cpu(*ready.the_case, ready.schedule);
}

std::optional<Counters> Counting::of(const KernelOptions& o) {
  if (counts_) {
    try {
      return count_launch(o);
    } catch (const Error& error) {
      counts_ = false;
      fmt::print(stderr, "ridge: counters are modelled: {}\n", error.what());
    }
  }
  const Device device = named_device(o.device);
  if (!kernel_.make_menu || facts_of(device).is_emulated) return {};
  const Place place{device, model::description_of(device.facts(), device.kind())};
  const auto menu = kernel_.make_menu(o.request(kernel_), place);
  return model::modelled_counters(menu->predict(o.schedule).facts);
}

void run_counted(const KernelOptions& o) {
  const Ready ready = make_ready(o);
  const Program program = ready.the_case->bind(ready.schedule);
  Queue& queue = ready.the_case->queue();
  program.run();
  queue.wait();
  const bool tells = facts_of(queue.device()).counts == Counts::profiler;
  if (tells) {
    tell_profiler("cuProfilerStart");
  } else {
    ready.the_case->poison(); // a fill: what is counted begins behind it
  }
  program.run();
  queue.wait();
  if (tells) tell_profiler("cuProfilerStop");
}

} // namespace ridge::app
