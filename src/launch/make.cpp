#include "make.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/file.hpp>
#include <ridge/device/library.hpp>

#include "cache.hpp"
#include "headers.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>

namespace ridge::launch {

namespace {

/// Counts in every key: raise it where what is generated or how it is called changes.
constexpr int schema = 2;
constexpr long long most_cached = 1'000'000'000;

} // namespace

Made make(const std::string& name,
          const std::function<Product(const std::string& folder)>& compile) {
  const std::string key = fmt::format("schema {}\nheaders {}\nlibrary {}\n{}", schema,
                                      headers_digest(), library_file(), name);
  Cache& cache = Cache::here();
  if (std::string known = cache.find(key); !known.empty()) return {known, Origin::cached};
  const Cache::Lock turn(cache, key);
  if (std::string known = cache.find(key); !known.empty()) // another has compiled it meanwhile
    return {known, Origin::cached};
  const Cache::Workshop shop(cache);
  const Product product = compile(shop.folder());
  std::string kept = cache.keep(key, product.object, product.files);
  cache.shrink(most_cached);
  return {kept, Origin::compiled};
}

void write_source(const std::string& file, const std::string& text) {
  if (!(std::ofstream(file, std::ios::binary) << text).flush())
    throw Failure(fmt::format("cannot write {}: is the disk full?", file));
}

std::string content_of(const std::string& file) {
  // What this process has kept is told apart by its name: it need not be read for every launch.
  if (!file.starts_with("/") || Cache::here().is_kept_source(file)) return {};
  const std::optional<std::string> text = read_file(file);
  if (!text) throw UsageError(fmt::format("there is no kernel file {}", file));
  return *text;
}

} // namespace ridge::launch
