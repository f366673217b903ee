#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/demand.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/launch/process.hpp>

#include "cache.hpp"
#include "compilers.hpp"
#include "image.hpp"
#include "included.hpp"
#include "make.hpp"
#include "prelude.hpp"
#include "report.hpp"
#include "wait.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
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

/// The user's files that a rule of make, as compilers write it, names; not Ridge's and the
/// system's.
std::vector<std::string> files_of_rule(const std::string& rule_file) {
  std::ifstream in(rule_file);
  std::vector<std::string> files;
  const std::string ours = headers_folder() + "/";
  std::string word;
  while (in >> word) {
    if (word == "\\" || word.back() == ':' || !word.starts_with("/")) continue;
    if (word.starts_with(ours) || word.starts_with("/usr/")) continue;
    files.push_back(word);
  }
  return files;
}

/// A source to compile.
struct Job {
  const Compiler& compiler;
  std::string text;
  std::string file;                 ///< the user's, by which errors are named
  std::vector<std::string> options; ///< flags and libraries beside the compiler's own
  std::string what;                 ///< for people who wait: "heat for cpu"
  std::string prelude{};            ///< the header that comes first
};

/// Compiles the text to a shared object in `folder`.
Product compile(const std::string& folder, const Job& job) {
  const std::string source = folder + "/kernel" + job.compiler.suffix;
  Product product{folder + "/kernel.so", {}};
  const std::string rule = folder + "/kernel.d";
  write_source(source, job.text);
  std::vector<std::string> command = job.compiler.command;
  command.push_back("-I" + headers_folder());
  for (const std::string& option : prelude_options(job.compiler, job.prelude, folder))
    command.push_back(option);
  command.insert(command.end(), {"-MD", "-MF", rule, source, "-o", product.object});
  command.insert(command.end(), job.options.begin(), job.options.end());
  command.push_back(job.compiler.link + library_file());
  Wait wait(fmt::format("{} with {}", job.what, program_name(job.compiler)),
            job.compiler.usual_seconds);
  const Finished finished = run_command(command, folder, wait.tick());
  if (finished.status != 0) refuse(finished, command.front(), job.file, source);
  for (const std::string& file : files_of_rule(rule)) {
    if (!file.starts_with(folder)) product.files.push_back(file);
  }
  return product;
}

/// Modules that this process has loaded, by key.
struct Loaded {
  std::mutex guard;
  std::unordered_map<std::string, std::vector<Offered>> modules;
};
Loaded& loaded() {
  static auto* const all = new Loaded;
  return *all;
}

std::vector<Offered> load(const std::string& object) {
  const OfferCollector offers;
  if (dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    throw Failure(fmt::format("what was compiled cannot be loaded: {}", dlerror()));
  return offers.offers();
}

/// The job's object from the cache, or compiled into it. `name` tells jobs apart.
Made object_of(const Job& job, const std::string& name) {
  return make(job.compiler.identity + "\n" + name,
              [&](const std::string& folder) { return compile(folder, job); });
}

Job job_of(const Device& device, const Compiler& compiler, const Demand& d) {
  return {compiler,
          source_text(d),
          d.source,
          words_of(d.flags),
          fmt::format("{} for {}", kernel_name(d.source), to_text(device.id())),
          "ridge/launch/prelude.hpp"};
}

/// What a job offers, from this process, the cache or the compiler.
struct Offers {
  const std::vector<Offered>& all;
  Origin origin;
};

/// `name` tells jobs of this process apart, within which headers and compilers do not change;
/// `make_job` is asked only for those that are not loaded yet.
template <class MakeJob>
Offers obtain(const std::string& name, const MakeJob& make_job) {
  Loaded& all = loaded();
  const std::lock_guard lock(all.guard);
  if (const auto known = all.modules.find(name); known != all.modules.end())
    return {known->second, Origin::cached};
  const Made made = object_of(make_job(), name);
  return {all.modules.emplace(name, load(made.file)).first->second, made.origin};
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
  return name;
}

/// Whether the executor's kernels are to be images that it finds when it is bound. Sources that
/// instantiate executors have host code, which the compilers of images do not take. Where the
/// toolkit's compiler is here it takes both: longer, but such images have not run on a GPU yet, and
/// some take more registers (docs/decisions/0078).
bool takes_images(const Device& device, const Demand& d) {
  return !d.bodies.empty() && !d.source.ends_with(".cpp") && compiles_images(device) &&
         !has_compiler(device.kind()) && has_host_compiler();
}

Offers obtain_executor(const Device& device, const Demand& demand, CompilerOf* compiler_of) {
  std::optional<Compiler> compiler;
  return obtain(name_of(device, demand, compiler_of), [&] {
    compiler = compiler_of(device);
    return job_of(device, *compiler, demand);
  });
}

Bound bind_offered(const Offers& offers, Queue& queue, const std::type_info& call_type,
                   const void* call, const void* schedule) {
  for (const Offered& o : offers.all) {
    if (std::string_view(o.name) != call_type.name()) continue;
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

std::vector<Offered> load_description(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& libraries,
                                      const std::string& prelude) {
  const std::string name = "host\n" + text + content_of(file);
  std::optional<Compiler> compiler;
  return obtain(name,
                [&] {
                  compiler = compiler_for_host();
                  return Job{*compiler, text, file, libraries, kernel_name(file), prelude};
                })
      .all;
}

} // namespace ridge::launch
