#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/device/offer.hpp>

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ridge {

namespace {

namespace fs = std::filesystem;

constexpr int kinds = 4;

std::string_view name_of(DeviceKind kind) {
  constexpr std::array<std::string_view, kinds> names{"cpu", "simt", "cuda", "hip"};
  return names[static_cast<std::size_t>(kind)];
}

struct Table {
  std::mutex guard;
  std::array<std::unordered_map<std::string_view, Offered>, kinds> offers;
  std::unordered_map<std::string, SourceFile> sources;
  std::array<bool, kinds> loaded{};
  std::array<std::string, kinds> problem; ///< why the module could not be loaded

  void add(const Offered& o) { offers[static_cast<std::size_t>(o.kind)].try_emplace(o.name, o); }
};

/// Made when first used, by whichever static initialiser comes first, and never destroyed, since
/// modules stay loaded.
Table& table() {
  static Table* const all = new Table;
  return *all;
}

thread_local OfferCollector* collector = nullptr;

/// The levels of x86-64 that modules of the cpu may be compiled for, the best first.
bool runs_here(std::string_view level) {
#if defined(__x86_64__)
  if (level == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4") != 0;
  if (level == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3") != 0;
  if (level == "x86-64-v2") return __builtin_cpu_supports("x86-64-v2") != 0;
#endif
  return level == "native" || level == "x86-64";
}

/// The level that RIDGE_CPU_LEVEL asks for, to compare modules; empty: the best that runs.
std::string wanted_level() {
  const char* const level = std::getenv("RIDGE_CPU_LEVEL");
  return level == nullptr ? "" : level;
}

/// Files that hold this kind's kernels, in the order they are preferred.
std::vector<std::string> module_files(DeviceKind kind) {
  const fs::path folder = fs::path(library_folder()) / "ridge";
  std::vector<std::string> names;
  if (kind == DeviceKind::cpu) {
    for (const std::string_view level :
         {"native", "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"}) {
      if (!wanted_level().empty() && level != wanted_level()) continue;
      if (runs_here(level)) names.push_back("ridge_cpu-" + std::string(level) + ".so");
    }
  }
  names.push_back("ridge_" + std::string(name_of(kind)) + ".so");
  std::vector<std::string> files;
  std::error_code ignored;
  for (const std::string& name : names) {
    if (fs::exists(folder / name, ignored)) files.push_back((folder / name).string());
  }
  return files;
}

/// Loads the kind's module once.
void load_module(DeviceKind kind) {
  static std::mutex one_at_a_time;
  const std::lock_guard turn(one_at_a_time);
  Table& t = table();
  const auto k = static_cast<std::size_t>(kind);
  if (t.loaded[k]) return;
  OfferCollector loading;
  std::string problem;
  for (const std::string& file : module_files(kind)) {
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) {
      problem.clear();
      break;
    }
    problem = dlerror();
  }
  const std::lock_guard lock(t.guard);
  for (const Offered& o : loading.offers())
    t.add(o);
  t.problem[k] = problem;
  t.loaded[k] = true;
}

AnyFunction known(DeviceKind kind, const char* name) {
  Table& t = table();
  const std::lock_guard lock(t.guard);
  const auto& offers = t.offers[static_cast<std::size_t>(kind)];
  const auto at = offers.find(name);
  return at == offers.end() ? nullptr : at->second.function;
}

} // namespace

Offer::Offer(DeviceKind kind, const std::type_info& key, AnyFunction function,
             KernelSource source) {
  const Offered offered{kind, key.name(), function, source};
  if (collector != nullptr) {
    collector->offers_.push_back(offered);
    return;
  }
  Table& t = table();
  const std::lock_guard lock(t.guard);
  t.add(offered);
}

OfferCollector::OfferCollector() : before_(std::exchange(collector, this)) {}
OfferCollector::~OfferCollector() {
  collector = before_;
}

AnyFunction find_offer(DeviceKind kind, const std::type_info& key) {
  if (AnyFunction const f = known(kind, key.name())) return f;
  load_module(kind);
  return known(kind, key.name());
}

AnyFunction require_offer(DeviceKind kind, const std::type_info& key) {
  if (AnyFunction const f = find_offer(kind, key)) return f;
  const std::string name(name_of(kind));
  const std::string& problem = table().problem[static_cast<std::size_t>(kind)];
  if (!problem.empty()) throw Failure("the kernels for " + name + " cannot be loaded: " + problem);
  throw Failure("this build has no kernels for " + name +
                (kind == DeviceKind::simt ? "; `make build` makes them" : ""));
}

SourceFile find_source(const std::type_info& key) {
  Table& t = table();
  const std::lock_guard lock(t.guard);
  if (const auto at = t.sources.find(key.name()); at != t.sources.end()) return at->second;
  for (const auto& offers : t.offers) {
    const auto at = offers.find(key.name());
    if (at == offers.end() || at->second.source.folders == nullptr) continue;
    const KernelSource& source = at->second.source;
    return {(fs::path(source.folders->sources) / source.file).lexically_normal().string(),
            source.folders->flags};
  }
  return {};
}

void know_source(const std::type_info& key, const std::string& file, const std::string& flags) {
  Table& t = table();
  const std::lock_guard lock(t.guard);
  t.sources.try_emplace(key.name(), SourceFile{file, flags});
}

bool has_module(DeviceKind kind) {
  const Table& t = table();
  return !t.offers[static_cast<std::size_t>(kind)].empty() || !module_files(kind).empty();
}

} // namespace ridge
