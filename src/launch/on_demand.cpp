#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/demand.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/launch/process.hpp>

#include "cache.hpp"
#include "compilers.hpp"
#include "hash.hpp"
#include "headers.hpp"
#include "report.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

namespace ridge::launch {

namespace {

namespace fs = std::filesystem;

/// Counts in every key: raise it where what is generated or how it is called changes.
constexpr int schema = 1;
constexpr long long most_cached = 1'000'000'000;

/// The text to compile. A kernel source that is compiled ahead instantiates its executors itself.
std::string source_text(const Demand& d) {
  if (d.source.ends_with(".cpp"))
    return fmt::format("{}#include <{}>\n#include \"{}\"\n", d.definitions, d.executor, d.source);
  return fmt::format("{}#include <{}>\n#include \"{}\"\n{}\n", d.definitions, d.executor, d.source,
                     d.instantiation);
}

/// The content of a file of the user's, so that another is another key; Ridge's own headers have a
/// digest of all.
std::string content_of(const std::string& file) {
  if (!file.starts_with("/")) return {};
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UsageError(fmt::format("there is no kernel file {}", file));
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
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

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  std::string word;
  while (in >> word)
    words.push_back(word);
  return words;
}

/// A source to compile.
struct Job {
  const Compiler& compiler;
  std::string text;
  std::string file;                 ///< the user's, by which errors are named
  std::vector<std::string> options; ///< flags and libraries beside the compiler's own
};

/// Compiles the text and keeps the object.
std::string compile(const Cache::Workshop& shop, Cache& cache, const Job& job,
                    const std::string& key) {
  const std::string source = shop.folder() + "/kernel" + job.compiler.suffix;
  const std::string object = shop.folder() + "/kernel.so";
  const std::string rule = shop.folder() + "/kernel.d";
  if (!(std::ofstream(source) << job.text).flush())
    throw Failure(fmt::format("cannot write to the cache {}: is the disk full?", cache.folder()));
  std::vector<std::string> command = job.compiler.command;
  command.push_back("-I" + headers_folder());
  command.insert(command.end(), {"-MD", "-MF", rule, source, "-o", object});
  command.insert(command.end(), job.options.begin(), job.options.end());
  command.push_back(library_file());
  const Finished finished = run_command(command, shop.folder());
  if (finished.status != 0) refuse(finished, command.front(), job.file, source);
  std::vector<std::string> files;
  for (const std::string& file : files_of_rule(rule)) {
    if (!file.starts_with(shop.folder())) files.push_back(file);
  }
  return cache.keep(key, object, files);
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
  const Job job = make_job();
  const std::string key =
      fmt::format("schema {}\nheaders {}\nlibrary {}\n{}\n{}", schema, headers_digest(),
                  library_file(), job.compiler.identity, name);
  Cache& cache = Cache::here();
  Origin origin = Origin::cached;
  std::string object = cache.find(key);
  if (object.empty()) {
    const Cache::Lock turn(cache, key);
    object = cache.find(key); // another may have compiled it meanwhile
    if (object.empty()) {
      const Cache::Workshop shop(cache);
      object = compile(shop, cache, job, key);
      origin = Origin::compiled;
      cache.shrink(most_cached);
    }
  }
  return {all.modules.emplace(name, load(object)).first->second, origin};
}

} // namespace

Binding bind_on_demand(Queue& queue, const std::type_info& call_type, const void* call,
                       const void* schedule, const Demand& demand) {
  const Device& device = queue.device();
  const std::string text = source_text(demand);
  const std::string name = fmt::format("{} {}\n{}{}", to_text(device.id()), demand.flags, text,
                                       content_of(demand.source));
  std::optional<Compiler> compiler;
  const Offers offers = obtain(name, [&] {
    compiler = compiler_for(device);
    return Job{*compiler, text, demand.source, words_of(demand.flags)};
  });
  for (const Offered& o : offers.all) {
    if (std::string_view(o.name) != call_type.name()) continue;
    Bound bound = reinterpret_cast<Bind*>(o.function)(queue, call, schedule);
    if (bound) return {std::move(bound), offers.origin};
  }
  throw Failure("what was compiled on demand is not what was asked for; please report this");
}

std::vector<Offered> load_description(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& libraries) {
  const std::string name = "host\n" + text + content_of(file);
  std::optional<Compiler> compiler;
  return obtain(name,
                [&] {
                  compiler = compiler_for_host();
                  return Job{*compiler, text, file, libraries};
                })
      .all;
}

} // namespace ridge::launch
