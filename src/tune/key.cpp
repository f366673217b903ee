#include <ridge/core/file.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/launch/identity.hpp>
#include <ridge/tune/key.hpp>

#include <fmt/format.h>

#include <map>
#include <mutex>

namespace ridge::tune {

namespace {

/// The first line of a file of the system; "unknown" where there is none.
std::string line_of(const char* file) {
  const std::string all = read_file(file).value_or("");
  const std::string line = all.substr(0, all.find('\n'));
  return line.empty() ? "unknown" : line;
}

std::string driver_of(DeviceKind kind) {
  std::string version = no_driver;
  for (const char* const file : facts_of(kind).driver_versions) {
    version = line_of(file);
    if (version != "unknown") break;
  }
  return version;
}

/// What `make` gives for a name, made once a process.
template <class Make>
std::string once(const std::string& name, const Make& make) {
  static std::mutex guard;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(guard);
  if (const auto at = known.find(name); at != known.end()) return at->second;
  return known.emplace(name, make()).first->second;
}

/// Without dimensions of one point at the end: 512x512x1 is 512x512.
Extents plain(const Extents& size) {
  int rank = size.rank();
  while (rank > 1 && size[rank - 1] == 1)
    --rank;
  Index extents[max_rank];
  for (int d = 0; d < rank; ++d)
    extents[d] = size[d];
  return {extents, rank};
}

} // namespace

Key key_of(const Device& device, const Subject& subject) {
  const std::string name = ridge::to_text(device.id());
  const DeviceFacts& facts = device.facts();
  return {subject.kernel,
          subject.precision,
          plain(subject.size),
          subject.site,
          fmt::format("{}, {} units", facts.name, facts.units),
          once("driver of " + name, [&] { return driver_of(device.kind()); }),
          once("compiler of " + name, [&] { return launch::compiler_name(device); }),
          once(std::string("type ") + subject.call->name(),
               [&] { return launch::kernel_digest(*subject.call); })};
}

std::string id_of(const Key& key) {
  std::string id;
  for (const std::string& part : {key.hash, key.precision, ridge::to_text(key.size), key.site,
                                  key.device, key.driver, key.compiler})
    id += part + '\t';
  return id;
}

std::string to_text(const Key& key) {
  return fmt::format("{} {} {}{}{}", key.kernel, key.precision, ridge::to_text(key.size),
                     key.site.empty() ? "" : " ", key.site);
}

} // namespace ridge::tune
