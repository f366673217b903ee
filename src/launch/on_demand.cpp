#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/demand.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/launch/process.hpp>

#include "agreement.hpp"
#include "cache.hpp"
#include "compilers.hpp"
#include "image.hpp"
#include "included.hpp"
#include "make.hpp"
#include "prelude.hpp"
#include "report.hpp"
#include "search_folders.hpp"
#include "source_reading.hpp"
#include "wait.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace ridge::launch {

namespace {

/// The text to compile. A kernel source that is compiled ahead instantiates its executors itself.
void append_source(std::string& text, const Demand& d) {
  text.append(d.definitions);
  text.append("#include <").append(d.executor).append(">\n");
  text.append("#include \"").append(d.source).append("\"\n");
  if (!d.source.ends_with(".cpp")) text.append(d.instantiation).append("\n");
}
std::string source_text(const Demand& d) {
  std::string text;
  append_source(text, d);
  return text;
}

/// A source to compile.
struct Job {
  const Compiler& compiler;
  std::string text;
  std::string file;               ///< the user's, by which errors are named
  std::vector<std::string> flags; ///< beside the compiler's own
  std::string header;             ///< of the library's, that the text begins with
  std::string what;               ///< for people who wait: "heat for cpu"
  std::string prelude{};          ///< the header that comes first, compiled beforehand
  std::vector<std::string> libraries{};
};

/// Whether files of the user's go into it, which may be changed at any time.
bool has_users_files(const Job& job) {
  return job.file.starts_with("/") && !Cache::here().is_kept_source(job.file);
}

/// Writes the job's text into the folder, and what it takes beside it.
SourceInFolder source_of(const Job& job, const std::string& folder) {
  SourceInFolder source{job.compiler, folder, "kernel" + job.compiler.suffix, job.file, {}};
  write_source(folder + "/" + source.name, job.text);
  source.options.push_back("-I" + headers_folder());
  for (const std::string& option : prelude_options(job.compiler, job.prelude, folder))
    source.options.push_back(option);
  source.options.insert(source.options.end(), job.flags.begin(), job.flags.end());
  for (const std::string& option : environment_options())
    source.options.push_back(option);
  return source;
}

/// Where the compiler does not even take the library's own header, says so. Headers compiled
/// beforehand it takes.
void require_headers(const Job& job, const SourceInFolder& source) {
  if (job.header == job.prelude && std::ranges::count(source.options, "-include") > 0) return;
  const std::string name = "headers" + job.compiler.suffix;
  write_source(source.folder + "/" + name, fmt::format("#include <{}>\n", job.header));
  std::vector<std::string> command = job.compiler.command;
  command.insert(command.end(), {"-I" + headers_folder(), name});
  if (job.compiler.takes_text) {
    command.emplace_back("-fsyntax-only");
  } else {
    command.insert(command.end(), {"-c", "-o", "headers.o"});
  }
  const Finished finished =
      run_watched(fmt::format("Ridge's headers with {}", program_name(job.compiler)), 3, command,
                  source.folder);
  const std::string error = first_error(finished.report);
  if (finished.status == 0 || error.empty()) return;
  throw Failure(fmt::format("{} does not compile Ridge's headers ({}): name another compiler by "
                            "RIDGE_CXX, such as g++ 12 or clang++-19",
                            command.front(), error));
}

/// Runs the compiler on `name` in the folder, to an object there.
std::string run_compiler(const Job& job, const SourceInFolder& source, const std::string& name,
                         const std::vector<std::string>& options) {
  std::string object = source.folder + "/kernel.so";
  std::vector<std::string> command = job.compiler.command;
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {name, "-o", object});
  command.insert(command.end(), job.libraries.begin(), job.libraries.end());
  command.push_back(job.compiler.link + library_file());
  Wait wait(fmt::format("{} with {}", job.what, program_name(job.compiler)),
            job.compiler.usual_seconds);
  const Finished finished = run_command(command, source.folder, wait.tick());
  if (finished.status == 0) return object;
  const bool of_users = finished.report.find(job.file + ":") != std::string::npos;
  if (!of_users && !job.header.empty()) require_headers(job, source);
  refuse(finished, command.front(), job.file, source.name);
}

/// Compiles the job to a shared object in `folder`.
Product compile(const std::string& folder, const Job& job) {
  const SourceInFolder source = source_of(job, folder);
  const Trace before = trace_before(source);
  const std::time_t moment = std::time(nullptr);
  const std::string rule = folder + "/kernel.d";
  std::vector<std::string> options = source.options;
  options.insert(options.end(), {"-MD", "-MF", rule});
  std::string object = run_compiler(job, source, source.name, options);
  return {std::move(object), trace_after(source, rule, before, moment)};
}

/// Modules that this process has loaded, by key.
struct Loaded {
  std::mutex guard;
  std::unordered_map<std::string, std::vector<Offered>> modules;
  /// By file: another device may ask for the one that is loaded, which then offers nothing anew.
  std::unordered_map<std::string, std::vector<Offered>> files;
};
Loaded& loaded() {
  static auto* const all = new Loaded;
  return *all;
}

const std::vector<Offered>& load(Loaded& all, const std::string& object) {
  if (const auto known = all.files.find(object); known != all.files.end()) return known->second;
  const OfferCollector offers;
  if (dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    throw Failure(fmt::format("what was compiled cannot be loaded: {}", dlerror()));
  return all.files.emplace(object, offers.offers()).first->second;
}

/// The job's object from the cache, or compiled into it. `name` tells jobs apart.
Made object_of(const Job& job, const std::string& name) {
  const bool may_change = has_users_files(job) || !compiler_environment().empty();
  if (!may_change || !job.compiler.takes_text) {
    return make(job.compiler.identity + "\n" + name,
                [&](const std::string& folder) { return compile(folder, job); });
  }
  constexpr const char* text = "kernel.ii";
  std::optional<SourceInFolder> source;
  return make(
      job.compiler.identity, name,
      [&](const std::string& folder) {
        source.emplace(source_of(job, folder));
        return preprocess(*source, text);
      },
      [&](const std::string&) { return run_compiler(job, *source, text, job.flags); });
}

Job job_of(const Device& device, const Compiler& compiler, const Demand& d) {
  return {compiler,
          source_text(d),
          d.source,
          flags_of(d.flags),
          d.executor,
          fmt::format("{} for {}", kernel_name(d.source), to_text(device.id())),
          "ridge/launch/prelude.hpp"};
}

/// What a job offers, from this process, the cache or the compiler.
struct Offers {
  const std::vector<Offered>& all;
  Origin origin;
};

/// `name` tells jobs of this process apart, within which the library's headers and compilers do not
/// change; `make_job` is asked only for those that are not loaded yet, `accept` with the trace of
/// what it was made from.
template <class MakeJob, class Accept>
Offers obtain(const std::string& name, const MakeJob& make_job, const Accept& accept) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.guard);
  if (const auto known = all.modules.find(name); known != all.modules.end())
    return {known->second, Origin::cached};
  const Made made = object_of(make_job(), name);
  accept(made.trace);
  return {all.modules.emplace(name, load(all, made.file)).first->second, made.origin};
}

/// Who compiles an executor: the device's compiler with its kernels, or the host's without.
using CompilerOf = Compiler(const Device&);

/// What tells a demand of a device apart within a process.
std::string name_of(const Device& device, const Demand& demand, CompilerOf* compiler_of) {
  // Put together without formatting: it is asked for whenever a launch is bound again.
  std::string name;
  name.reserve(1000);
  name.append(to_text(device.id())).append(" ").append(demand.flags);
  name.append(compiler_of == compiler_for ? "\n" : " images\n");
  append_source(name, demand);
  name.append(content_of(demand.source));
  const int generation = demand.source.starts_with('/') ? generation_of(demand.source) : 0;
  if (generation > 0) name.append("\ngeneration ").append(std::to_string(generation));
  return name;
}

/// Whether the executor's kernels are to be images that it finds when it is bound. Sources that
/// instantiate executors have host code, which the compilers of images do not take. Where the
/// toolkit's compiler is here it takes both: longer, but such images have not run on a GPU yet, and
/// some take more registers (docs/design/launches.md).
bool takes_images(const Device& device, const Demand& d) {
  return !d.bodies.empty() && !d.source.ends_with(".cpp") && compiles_images(device) &&
         !has_compiler(device.kind()) && has_host_compiler();
}

Offers obtain_executor(const Device& device, const Demand& demand, CompilerOf* compiler_of) {
  std::optional<Compiler> compiler;
  return obtain(
      name_of(device, demand, compiler_of),
      [&] {
        compiler = compiler_of(device);
        return job_of(device, *compiler, demand);
      },
      [&](const std::string& trace) { require_agreement(demand.source, trace); });
}

/// A type's name without the numbers of lambdas in it: g++ counts those that a source has before,
/// and a description of a kernel has others than the source of a launch.
std::string without_counts(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    text += name[i];
    if (!text.ends_with('E') && !text.ends_with("$_")) continue;
    std::size_t end = i + 1;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9')
      ++end;
    if (text.ends_with("$_") || (end < name.size() && name[end] == '_')) i = end - 1;
  }
  return text;
}

/// Whether two names are those of one type, of which each source has one alone.
bool name_one_type(std::string_view a, std::string_view b) {
  return a == b || ((a.find("Ul") != a.npos || a.find("$_") != a.npos) &&
                    without_counts(a) == without_counts(b));
}

Bound bind_offered(const Offers& offers, Queue& queue, const std::type_info& call_type,
                   const void* call, const void* schedule) {
  for (const Offered& o : offers.all) {
    if (!name_one_type(o.name, call_type.name())) continue;
    if (Bound bound = reinterpret_cast<Bind*>(o.function)(queue, call, schedule)) return bound;
  }
  throw Failure("what was compiled on demand is not what was asked for; please report this");
}

} // namespace

void prepare(const Device& device, const std::vector<Demand>& demands) {
  struct Wanted {
    const Demand* demand;
    CompilerOf* compiler_of;
  };
  std::map<std::string, Wanted> wanted; // each once
  for (const Demand& d : demands) {
    if (d.image && compiles_images(device)) continue; // which takes no time worth sharing
    CompilerOf* const of = takes_images(device, d) ? compiler_for_launches : compiler_for;
    wanted.emplace(name_of(device, d, of), Wanted{&d, of});
  }
  auto next = wanted.begin();
  std::mutex guard;
  std::condition_variable ended;
  std::atomic<bool> stop = false;
  const auto work = [&] {
    while (!stop) {
      std::unique_lock lock(guard);
      if (next == wanted.end()) return;
      const auto& [name, job] = *next++;
      lock.unlock();
      try {
        const Compiler compiler = job.compiler_of(device);
        (void)object_of(job_of(device, compiler, *job.demand), name);
      } catch (const Error&) { // binding tries again, and says it
      }
    }
  };
  if (wanted.size() < 2) return work();
  std::size_t at_work = std::min(static_cast<std::size_t>(cpu::default_threads()), wanted.size());
  Wait wait(fmt::format("{} kernels for {}", wanted.size(), to_text(device.id())), 0);
  const auto tick = wait.tick();
  std::vector<std::jthread> threads;
  for (std::size_t i = at_work; i > 0; --i) {
    threads.emplace_back([&] {
      const Helping helping(stop);
      work();
      const std::lock_guard lock(guard);
      --at_work;
      ended.notify_one();
    });
  }
  std::unique_lock lock(guard);
  while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return at_work == 0; })) {
    if (!tick) continue;
    lock.unlock();
    try {
      tick();
    } catch (...) {
      stop = true;
      throw;
    }
    lock.lock();
  }
}

Binding bind_on_demand(Queue& queue, const std::type_info& call_type, const void* call,
                       const void* schedule, const Demand& demand) {
  const Device& device = queue.device();
  if (demand.image) {
    if (Binding binding = bind_image(queue, call, schedule, demand); binding.bound) return binding;
  }
  if (takes_images(device, demand)) {
    try {
      const Offers offers = obtain_executor(device, demand, compiler_for_launches);
      const DemandedImages images(device, demand);
      Bound bound = bind_offered(offers, queue, call_type, call, schedule);
      return {std::move(bound), images.compiled() ? Origin::compiled : offers.origin};
    } catch (const Refused&) { // by the library; nvcc or clang may take it
    }
  }
  const Offers offers = obtain_executor(device, demand, compiler_for);
  return {bind_offered(offers, queue, call_type, call, schedule), offers.origin};
}

std::string keep_source(const std::string& file_name, const std::string& text) {
  return Cache::here().keep_source(file_name, text);
}

namespace {

/// The header of the library's that a text begins with, or an empty one.
std::string first_header(const std::string& text) {
  constexpr std::string_view include = "#include <ridge/";
  if (!text.starts_with(include)) return {};
  const std::size_t begin = include.find('<') + 1;
  return text.substr(begin, text.find('>') - begin);
}

} // namespace

std::vector<Offered> load_description(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& libraries,
                                      const std::string& prelude) {
  struct Known {
    std::string trace;
    int changes = 0;
  };
  static std::mutex guard;
  static auto* const descriptions = new std::unordered_map<std::string, Known>;
  std::string name = "host\n" + text + content_of(file);
  const std::lock_guard lock(guard);
  Known& known = (*descriptions)[name];
  if (!holds(known.trace)) ++known.changes; // a file that it includes
  if (known.changes > 0) name += "\nchange " + std::to_string(known.changes);
  std::optional<Compiler> compiler;
  return obtain(
             name,
             [&] {
               compiler = compiler_for_host();
               return Job{*compiler,
                          text,
                          file,
                          {},
                          prelude,
                          kernel_name(file),
                          prelude.empty() ? first_header(text) : prelude,
                          libraries};
             },
             [&](const std::string& trace) {
               known.trace = trace;
               note_description(file, trace);
             })
      .all;
}

} // namespace ridge::launch
