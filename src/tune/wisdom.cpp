#include <ridge/core/error.hpp>
#include <ridge/core/file.hpp>
#include <ridge/tune/wisdom.hpp>

#include "wisdom_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace ridge::tune {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string wanted_file() {
  if (std::string given = variable("RIDGE_WISDOM"); !given.empty()) return given;
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty())
    return data + "/ridge/wisdom";
  if (const std::string home = variable("HOME"); !home.empty())
    return home + "/.local/share/ridge/wisdom";
  return {};
}

/// How far two sizes are from each other's multiples: 0 for the same, 1 for twice as many points.
double distance(const Extents& a, const Extents& b) {
  double sum = 0;
  for (int d = 0; d < a.rank(); ++d)
    sum += std::abs(std::log2(static_cast<double>(a[d]) / static_cast<double>(b[d])));
  return sum;
}

bool same_kernel(const Key& a, const Key& b) {
  return a.kernel == b.kernel && a.precision == b.precision && a.site == b.site;
}

/// What differs of two keys of one kernel, in the words of a message; sizes may.
std::vector<std::string> differences(const Key& found, const Key& wanted) {
  std::vector<std::string> all;
  const auto compare = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is) all.push_back(fmt::format("{} was {} and is {}", what, was, is));
  };
  compare("the device", found.device, wanted.device);
  compare("the driver", found.driver, wanted.driver);
  compare("the compiler", found.compiler, wanted.compiler);
  if (found.hash != wanted.hash) all.emplace_back("the kernel, or Ridge's headers, changed");
  return all;
}

} // namespace

bool may_tune() {
  return variable("RIDGE_TUNE") != "off";
}

Wisdom& Wisdom::here() {
  static Wisdom wisdom(wanted_file());
  static const bool said = [] {
    for (const std::string& problem : wisdom.problems())
      std::fprintf(stderr, "ridge: %s\n", problem.c_str());
    return true;
  }();
  (void)said;
  return wisdom;
}

Wisdom::Wisdom(std::string file) : file_(std::move(file)) {
  std::error_code failed;
  if (file_.empty() || !fs::exists(file_, failed)) return;
  if (const auto text = fs::is_regular_file(file_, failed) ? read_file(file_) : std::nullopt) {
    read(*text);
  } else {
    foreign_ = true;
    problems_.push_back(fmt::format("wisdom {} cannot be read and is ignored", file_));
  }
}

void Wisdom::read(const std::string& text) {
  problems_.clear();
  foreign_ = false;
  std::istringstream in(text);
  std::string line;
  if (!text.empty() && (!std::getline(in, line) || line != wisdom_header)) {
    foreign_ = true;
    problems_.push_back(fmt::format("wisdom {} is ignored: it begins with '{}', and this version "
                                    "reads and writes '{}'; remove it or set RIDGE_WISDOM",
                                    file_, line.substr(0, 40), wisdom_header));
    return;
  }
  for (int number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    try {
      Finding finding = parse_line(line);
      const std::string id = id_of(finding.key);
      findings_[id] = std::make_shared<const Finding>(std::move(finding));
    } catch (const Error& error) {
      problems_.push_back(
          fmt::format("wisdom {}, line {} is ignored: {}", file_, number, error.what()));
    }
  }
}

std::shared_ptr<const Finding> Wisdom::find(const std::string& id) const {
  const std::lock_guard lock(guard_);
  const auto at = findings_.find(id);
  return at == findings_.end() ? nullptr : at->second;
}

std::vector<std::shared_ptr<const Finding>> Wisdom::near(const Key& key) const {
  std::vector<std::shared_ptr<const Finding>> all;
  const std::lock_guard lock(guard_);
  for (const auto& [id, finding] : findings_) {
    const Key& k = finding->key;
    if (k.site == key.site && k.precision == key.precision && k.size.rank() == key.size.rank() &&
        k.size != key.size && differences(k, key).empty())
      all.push_back(finding);
  }
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    const std::array ranks{distance(a->key.size, key.size), distance(b->key.size, key.size)};
    return ranks[0] != ranks[1] ? ranks[0] < ranks[1] : a->schedule < b->schedule;
  });
  return all;
}

std::string Wisdom::mismatch(const Key& key) const {
  const std::lock_guard lock(guard_);
  std::vector<std::string> fewest;
  for (const auto& [id, finding] : findings_) {
    if (!same_kernel(finding->key, key) || finding->key.size.rank() != key.size.rank()) continue;
    // What a GPU's driver was asked for says nothing of a cpu, and has not changed either.
    const bool other_kind = (finding->key.driver == no_driver) != (key.driver == no_driver);
    if (other_kind && finding->key.device != key.device) continue;
    std::vector<std::string> here = differences(finding->key, key);
    if (here.empty()) return {};
    if (fewest.empty() || here.size() < fewest.size() ||
        (here.size() == fewest.size() && here < fewest))
      fewest = std::move(here);
  }
  if (fewest.empty()) return {};
  return fmt::format("wisdom of {} {} is not used: {}", key.kernel, key.precision,
                     fmt::join(fewest, "; "));
}

void Wisdom::keep(const Finding& finding) {
  if (!may_tune()) return;
  const auto refuse = [&](const std::string& why) {
    throw Failure(fmt::format("wisdom cannot be kept in {}: {}; set RIDGE_WISDOM to a file of your "
                              "own",
                              file_.empty() ? "a file" : file_, why));
  };
  if (file_.empty()) refuse("neither RIDGE_WISDOM nor HOME is set");
  const fs::path folder = fs::path(file_).parent_path();
  std::error_code failed;
  if (!folder.empty()) fs::create_directories(folder, failed);
  const FileLock lock(file_ + ".lock");
  if (!lock.holds()) refuse("its folder cannot be written to");

  const std::lock_guard guard(guard_);
  if (const auto text = read_file(file_)) read(*text); // what others kept meanwhile
  if (foreign_) refuse("it is there and is no wisdom of this version");
  findings_[id_of(finding.key)] = std::make_shared<const Finding>(finding);
  std::vector<std::string> lines;
  lines.reserve(findings_.size());
  for (const auto& [id, one] : findings_)
    lines.push_back(line_of(*one));
  std::sort(lines.begin(), lines.end());
  const std::string draft = fmt::format("{}.{}", file_, getpid());
  const bool written =
      write_file(draft, fmt::format("{}\n{}\n", wisdom_header, fmt::join(lines, "\n")));
  if (written) fs::rename(draft, file_, failed);
  if (!written || failed) {
    fs::remove(draft, failed);
    refuse("it cannot be written");
  }
}

} // namespace ridge::tune
