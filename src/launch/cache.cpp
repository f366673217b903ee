#include "cache.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/file.hpp>

#include "../core/refuse.hpp"
#include "hash.hpp"
#include "trace.hpp"
#include "wait.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace ridge::launch {

namespace fs = std::filesystem;

namespace {

/// Whether a group is the user's alone: it has the user's name and no other members.
bool is_private(gid_t group) {
  const struct group* const known = getgrgid(group);
  if (known == nullptr || group != getgid()) return false;
  const std::string name = known->gr_name;
  const bool others = known->gr_mem != nullptr && *known->gr_mem != nullptr;
  const struct passwd* const user = getpwuid(getuid());
  return !others && user != nullptr && name == user->pw_name;
}

/// Whether what is in the folder may be run: it is ours alone, and nobody else can replace it.
std::string problem_of(const fs::path& folder) {
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    struct stat s {};
    if (stat(at.c_str(), &s) != 0) return "it cannot be looked at";
    const bool mine = s.st_uid == getuid();
    if (at == folder && !mine) return "it belongs to somebody else";
    // In a folder with the sticky bit nobody can replace what is ours.
    const bool guarded = at != folder && (s.st_mode & S_ISVTX) != 0;
    if ((s.st_mode & S_IWOTH) != 0 && !guarded)
      return fmt::format("everybody may write to {}", at.string());
    // Folders above may be open to a group of which there is nobody else.
    if ((s.st_mode & S_IWGRP) != 0 && !guarded && (at == folder || !is_private(s.st_gid)))
      return fmt::format("its group may write to {}", at.string());
    if (at == at.parent_path()) break;
  }
  return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : "it cannot be written to";
}

/// Whether a folder takes what a compilation writes: what is allowed may still not be possible.
bool takes_folders(const fs::path& folder) {
  std::string name = (folder / "compiling-XXXXXX").string();
  return mkdtemp(name.data()) != nullptr && rmdir(name.c_str()) == 0;
}

fs::path wanted_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string given = variable("RIDGE_CACHE"); !given.empty()) return given;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "ridge";
  if (const std::string home = variable("HOME"); !home.empty())
    return fs::path(home) / ".cache/ridge";
  return {};
}

/// Sources that are kept include others by their names.
std::string problem_of_name(const fs::path& folder) {
  const bool can_be_included = folder.string().find_first_of("\"\\\n") == std::string::npos;
  return can_be_included ? ""
                         : "C++ cannot name it: it has a quotation mark, backslash or new line";
}

/// Makes the folder, for us alone; why it cannot be used, empty where it can.
std::string prepare(fs::path& folder) {
  if (folder.empty()) return "neither RIDGE_CACHE nor HOME is set";
  if (std::string problem = problem_of_name(folder); !problem.empty()) return problem;
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (mkdir(folder.c_str(), 0700) != 0 && !fs::is_directory(folder, failed))
    return "it cannot be made";
  folder = fs::canonical(folder, failed);
  if (failed) return "it cannot be opened";
  std::string problem = problem_of_name(folder);
  if (problem.empty()) problem = problem_of(folder);
  return !problem.empty() || takes_folders(folder) ? problem : "it takes no new files";
}

/// Of a file's content: quick, for objects of many megabytes.
std::string digest_of(const std::string& name) {
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "unreadable";
  struct stat s {};
  const bool known = fstat(file, &s) == 0;
  const auto size = static_cast<std::size_t>(known ? s.st_size : 0);
  void* const at = size > 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  (void)close(file);
  if (!known || at == MAP_FAILED) return "unreadable";
  std::string all = digest_of_words({static_cast<const char*>(at), size});
  if (at != nullptr) (void)munmap(at, size);
  return all;
}

} // namespace

std::string digest_of_words(std::string_view bytes) {
  // Four sums at once, as one multiplication waits for the one before.
  std::uint64_t sums[4] = {1, 2, 3, 4};
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + i, sizeof words);
    for (int k = 0; k < 4; ++k)
      sums[k] = mixed(sums[k], words[k]);
  }
  std::uint64_t rest = fnv1a(bytes.substr(i));
  for (const std::uint64_t sum : sums)
    rest = mixed(rest, sum);
  return fmt::format("{:016x}{:016x}", rest, mixed(rest, bytes.size()));
}

std::string digest(std::string_view text) {
  return fmt::format("{:016x}{:016x}", fnv1a(text), fnv1a(text, 0x9e3779b97f4a7c15ull));
}

Cache& Cache::here() {
  static Cache cache;
  return cache;
}

Cache::Cache() {
  fs::path folder = wanted_folder();
  const std::string problem = prepare(folder);
  if (problem.empty()) {
    folder_ = folder.string();
    return;
  }
  // Not temp_directory_path, which does not say which folder is none.
  const char* const given = std::getenv("TMPDIR");
  const fs::path temporary = given == nullptr || *given == '\0' ? "/tmp" : given;
  std::string name = (fs::absolute(temporary) / "ridge-XXXXXX").string();
  if (!problem_of_name(name).empty() || mkdtemp(name.data()) == nullptr) {
    throw Failure(fmt::format("kernels cannot be compiled on demand: the cache {} cannot be used "
                              "({}), and neither can the temporary folder {}{}; set RIDGE_CACHE to "
                              "a folder of your own",
                              folder.string(), problem, temporary.string(),
                              given == nullptr ? "" : " (TMPDIR)"));
  }
  folder_ = name;
  temporary_ = true;
  std::atexit([] {
    std::error_code ignored;
    fs::remove_all(here().folder_, ignored);
  });
  std::fprintf(stderr,
               "ridge: what is compiled now is not kept: the cache %s cannot be used (%s); set "
               "RIDGE_CACHE to a folder of your own\n",
               folder.c_str(), problem.c_str());
}

namespace {

/// What stands in a note before its key: the first line, and the lines of the trace.
struct Head {
  std::string first, trace;
};
std::optional<Head> head_of(std::istream& in) {
  Head head;
  if (!std::getline(in, head.first)) return std::nullopt;
  std::string line;
  while (std::getline(in, line)) {
    if (line == "key") return head;
    head.trace.append(line).append("\n");
  }
  return std::nullopt;
}

std::string rest_of(std::istream& in) {
  std::ostringstream rest;
  rest << in.rdbuf();
  return rest.str();
}

std::string with_ending(const std::string& object, const char* ending) {
  return fs::path(object).replace_extension(ending).string();
}

} // namespace

std::string Cache::find(const std::string& key) {
  const std::string object = fmt::format("{}/{}.so", folder_, digest(key));
  const std::string note = with_ending(object, ".txt");
  std::ifstream in(note);
  const std::optional<Head> head = head_of(in);
  if (!head || rest_of(in) != key || !holds(head->trace)) return {};
  if (head->first != "object " + digest_of(object)) return {};
  (void)utimensat(AT_FDCWD, note.c_str(), nullptr, 0); // used now
  return object;
}

std::string Cache::keep(const std::string& key, const std::string& object,
                        const std::string& trace) {
  const std::string name = fmt::format("{}/{}", folder_, digest(key));
  const std::string note = fmt::format("object {}\n{}key\n{}", digest_of(object), trace, key);
  const int file = open(object.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  std::error_code failed;
  if (synced) fs::rename(object, name + ".so", failed);
  const std::string draft = object + ".txt";
  fail_if(!synced || failed || !write_file(draft, note),
          "what was compiled cannot be kept in {}: is the disk full?", folder_);
  fs::rename(draft, name + ".txt", failed);
  return name + ".so";
}

Cache::Note Cache::note_of(const std::string& object) const {
  std::ifstream in(with_ending(object, ".txt"));
  std::optional<Head> head = head_of(in);
  return head ? Note{std::move(head->first), std::move(head->trace)} : Note{};
}

std::optional<Cache::Reading> Cache::recall(const std::string& request) const {
  std::ifstream in(fmt::format("{}/{}.read", folder_, digest(request)));
  const std::optional<Head> head = head_of(in);
  if (!head || rest_of(in) != request || !holds(head->trace)) return std::nullopt;
  const auto blank = head->first.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  return Reading{head->first.substr(0, blank), head->trace};
}

void Cache::remember(const std::string& request, const Reading& reading,
                     const std::string& object) const {
  const Workshop shop(*this);
  const std::string draft = shop.folder() + "/reading";
  const std::string note =
      fmt::format("{} {}\n{}key\n{}", reading.text, fs::path(object).filename().string(),
                  reading.trace, request);
  std::error_code ignored;
  if (write_file(draft, note)) // else it is preprocessed again
    fs::rename(draft, fmt::format("{}/{}.read", folder_, digest(request)), ignored);
}

std::string Cache::keep_source(const std::string& file_name, const std::string& text) {
  const fs::path folder = fs::path(folder_) / "sources" / digest(text);
  const fs::path file = folder / file_name;
  if (read_file(file.string()) == text) return file.string();
  std::error_code failed;
  fs::create_directories(folder, failed);
  const Workshop shop(*this);
  const std::string draft = shop.folder() + "/source";
  if (!failed && write_file(draft, text)) fs::rename(draft, file, failed);
  if (failed || read_file(file.string()) != text)
    throw Failure(fmt::format("the cache {} takes no new files: is the disk full?", folder_));
  return file.string();
}

bool Cache::is_kept_source(const std::string& file) const {
  return file.starts_with(folder_ + "/sources/");
}

namespace {

/// An entry of a cache: its note, whose time is that of its last use, and what its object takes.
struct Entry {
  fs::file_time_type used;
  fs::path note;
  long long bytes;
};

/// Those of a folder, that used longest ago first.
std::vector<Entry> entries_of(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code failed;
  for (const auto& file : fs::directory_iterator(folder, failed)) {
    if (file.path().extension() != ".txt") continue;
    fs::path object = file.path();
    const auto size = fs::file_size(object.replace_extension(".so"), failed);
    if (failed) continue;
    entries.push_back({file.last_write_time(failed), file.path(), static_cast<long long>(size)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  return entries;
}

long long bytes_of(const std::vector<Entry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), 0LL,
                         [](long long sum, const Entry& e) { return sum + e.bytes; });
}

/// Removes entries from the front until those that are left take at most `most` bytes.
void remove_first(const std::vector<Entry>& entries, long long most) {
  long long all = bytes_of(entries);
  for (const Entry& e : entries) {
    if (all <= most) return;
    all -= e.bytes;
    std::error_code ignored;
    for (const char* const end : {".txt", ".so", ".lock"}) {
      fs::path gone = e.note;
      fs::remove(gone.replace_extension(end), ignored);
    }
  }
}

} // namespace

void Cache::shrink(long long most) {
  const std::vector<Entry> entries = entries_of(folder_);
  if (bytes_of(entries) > most) {
    // Headers compiled beforehand take as much as a thousand kernels, which would all go for one.
    std::vector<Entry> large;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(large),
                 [most](const Entry& e) { return e.bytes > most / 100; });
    remove_first(large, most / 4 * 3);
    remove_first(entries_of(folder_), most);
  }
  // Readings of what is gone: small, but they would stay for ever.
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder_, ignored)) {
    if (file.path().extension() != ".read") continue;
    std::ifstream in(file.path());
    std::string text;
    std::string object;
    if (in >> text >> object && fs::exists(fs::path(folder_) / object, ignored)) continue;
    for (const char* const end : {".read", ".lock"}) {
      fs::path gone = file.path();
      fs::remove(gone.replace_extension(end), ignored);
    }
  }
}

Cache::Lock::Lock(const Cache& cache, const std::string& key)
    : file_(fmt::format("{}/{}.lock", cache.folder_, digest(key)),
            [wait = std::shared_ptr<Wait>()]() mutable {
              if (!wait) wait = std::make_shared<Wait>("a kernel, in another process", 0);
              if (const auto tick = wait->tick()) tick();
            }) {}

Cache::Workshop::Workshop(const Cache& cache) {
  std::string name = cache.folder_ + "/compiling-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw Failure(fmt::format("the cache {} takes no new files: is the disk full?", cache.folder_));
  folder_ = name;
}
Cache::Workshop::~Workshop() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

} // namespace ridge::launch
