#include "make.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/file.hpp>
#include <ridge/device/library.hpp>

#include "cache.hpp"
#include "headers.hpp"
#include "search_folders.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace ridge::launch {

namespace {

/// Counts in every key: raise it where what is generated or how it is called changes.
constexpr int schema = 3;
constexpr long long most_cached = 1'000'000'000;

/// Texts of kernel files, each read again only when it has changed.
class KernelFiles {
public:
  std::optional<std::string> text_of(const std::string& file) {
    struct stat now {};
    if (stat(file.c_str(), &now) != 0) return std::nullopt;
    const std::lock_guard lock(guard_);
    const auto known = known_.find(file);
    if (known != known_.end() && known->second.is_of(now)) return known->second.text;
    std::optional<std::string> text = read_file(file);
    // What was written a moment ago may be written once more without a change of its times.
    const bool settled = std::time(nullptr) > now.st_mtim.tv_sec + 1;
    if (text && settled)
      known_.insert_or_assign(file, Read{now.st_mtim, now.st_size, now.st_ino, *text});
    return text;
  }

private:
  struct Read {
    timespec changed;
    off_t size;
    ino_t number;
    std::string text;
    [[nodiscard]] bool is_of(const struct stat& now) const {
      return changed.tv_sec == now.st_mtim.tv_sec && changed.tv_nsec == now.st_mtim.tv_nsec &&
             size == now.st_size && number == now.st_ino;
    }
  };
  std::mutex guard_;
  std::unordered_map<std::string, Read> known_;
};

/// `name` with what all objects depend on.
std::string whole_key(const std::string& name) {
  return fmt::format("schema {}\nheaders {}\nlibrary {}\n{}{}", schema, headers_digest(),
                     library_file(), compiler_environment(), name);
}

/// A key that no other process and no later compilation asks for.
std::string key_of_now(const std::string& key) {
  static std::atomic<int> count = 0;
  return fmt::format("of process {} at {}, {}\n{}", getpid(), std::time(nullptr), ++count, key);
}

} // namespace

Made make(const std::string& name,
          const std::function<Product(const std::string& folder)>& compile) {
  const std::string key = whole_key(name);
  Cache& cache = Cache::here();
  const auto known = [&]() -> std::optional<Made> {
    std::string object = cache.find(key);
    if (object.empty()) return std::nullopt;
    return Made{object, Origin::cached, cache.note_of(object).trace};
  };
  if (std::optional<Made> made = known()) return *made;
  const Cache::Lock turn(cache, key);
  if (std::optional<Made> made = known()) return *made; // another has compiled it meanwhile
  const Cache::Workshop shop(cache);
  const Product product = compile(shop.folder());
  const Trace& trace = product.trace;
  std::string kept = trace.whole ? cache.keep(key, product.object, trace.lines)
                                 : cache.keep(key_of_now(key), product.object, "");
  cache.shrink(most_cached);
  return {kept, Origin::compiled, trace.lines};
}

Made make(const std::string& compiler, const std::string& name,
          const std::function<Preprocessed(const std::string& folder)>& preprocess,
          const std::function<std::string(const std::string& folder)>& compile) {
  const std::string request = whole_key(compiler + "\n" + name);
  Cache& cache = Cache::here();
  const auto key_of = [&](const std::string& text) {
    return fmt::format("schema {}\nlibrary {}\n{}\npreprocessed {}\n", schema, library_file(),
                       compiler, text);
  };
  const auto known = [&]() -> std::optional<Made> {
    const std::optional<Cache::Reading> reading = cache.recall(request);
    if (!reading) return std::nullopt;
    std::string object = cache.find(key_of(reading->text));
    if (object.empty()) return std::nullopt;
    return Made{object, Origin::cached, reading->trace};
  };
  if (std::optional<Made> made = known()) return *made;
  const Cache::Lock turn(cache, request);
  if (std::optional<Made> made = known()) return *made;
  const Cache::Workshop shop(cache);
  const Preprocessed source = preprocess(shop.folder());
  std::string key = key_of(source.text);
  Made made{cache.find(key), Origin::cached, source.trace.lines};
  if (made.file.empty()) {
    made = {cache.keep(key, compile(shop.folder()), ""), Origin::compiled, source.trace.lines};
    cache.shrink(most_cached);
  }
  if (source.trace.whole) cache.remember(request, {source.text, made.trace}, made.file);
  return made;
}

std::string kernel_name(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

void write_source(const std::string& file, const std::string& text) {
  if (!(std::ofstream(file, std::ios::binary) << text).flush())
    throw Failure(fmt::format("cannot write {}: is the disk full?", file));
}

std::string content_of(const std::string& file) {
  // What this process has kept is told apart by its name: it need not be read for every launch.
  if (!file.starts_with("/") || Cache::here().is_kept_source(file)) return {};
  static auto* const files = new KernelFiles;
  if (std::optional<std::string> text = files->text_of(file)) return *std::move(text);
  throw UsageError(fmt::format("there is no kernel file {}", file));
}

} // namespace ridge::launch
