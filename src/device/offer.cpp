#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/library.hpp>
#include <ridge/device/offer.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ridge {

namespace {

namespace fs = std::filesystem;

struct Table {
  std::mutex guard;
  /// Of one kind.
  struct Kind {
    std::unordered_map<std::string_view, Offered> offers;
    bool loaded = false;
    std::string problem; ///< why the module could not be loaded
  };
  std::vector<Kind> kinds = std::vector<Kind>(ridge::kinds().size());
  std::unordered_map<std::string, SourceFile> sources;

  [[nodiscard]] Kind& of(DeviceKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
  void add(const Offered& o) { of(o.kind).offers.try_emplace(o.name, o); }
};

/// Made when first used, by whichever static initialiser comes first, and never destroyed, since
/// modules stay loaded.
Table& table() {
  static Table* const all = new Table;
  return *all;
}

thread_local OfferCollector* collector = nullptr;

/// Files that hold this kind's kernels, in the order they are preferred.
std::vector<std::string> module_files(DeviceKind kind) {
  const fs::path folder = fs::path(library_folder()) / "ridge";
  const KindFacts& facts = facts_of(kind);
  std::vector<std::string> levels = facts.levels();
  levels.emplace_back();
  std::vector<std::string> files;
  std::error_code ignored;
  for (const std::string& level : levels) {
    const fs::path file = folder / ("ridge_" + std::string(facts.name) + level + ".so");
    if (fs::exists(file, ignored)) files.push_back(file.string());
  }
  return files;
}

/// Loads the kind's module once.
void load_module(DeviceKind kind) {
  static std::mutex one_at_a_time;
  const std::lock_guard turn(one_at_a_time);
  Table& t = table();
  Table::Kind& own = t.of(kind);
  if (own.loaded) return;
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
  own.problem = problem;
  own.loaded = true;
}

AnyFunction known(DeviceKind kind, const char* name) {
  Table& t = table();
  const std::lock_guard lock(t.guard);
  const auto& offers = t.of(kind).offers;
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
  const std::string name(facts_of(kind).name);
  const std::string& problem = table().of(kind).problem;
  if (!problem.empty()) throw Failure("the kernels for " + name + " cannot be loaded: " + problem);
  throw Failure("this build has no kernels for " + name +
                (facts_of(kind).is_emulated
                     ? "; `cmake --build build --target ridge_module_simt` makes them"
                     : ""));
}

SourceFile find_source(const std::type_info& key) {
  Table& t = table();
  const std::lock_guard lock(t.guard);
  if (const auto at = t.sources.find(key.name()); at != t.sources.end()) return at->second;
  for (const Table::Kind& kind : t.kinds) {
    const auto at = kind.offers.find(key.name());
    if (at == kind.offers.end() || at->second.source.folders == nullptr) continue;
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
  return !table().of(kind).offers.empty() || !module_files(kind).empty();
}

} // namespace ridge
