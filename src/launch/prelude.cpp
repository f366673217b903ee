#include "prelude.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/process.hpp>

#include "cache.hpp"
#include "hash.hpp"
#include "make.hpp"
#include "search_folders.hpp"
#include "source_reading.hpp"
#include "wait.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

namespace ridge::launch {

namespace {

/// To compile headers beforehand takes as long as to read them so often. Who compiles a kernel or
/// two, as most do, would wait twice as long for the first and never get it back.
constexpr int times_without = 5;

/// Counts that a header was wanted, for all processes that share the cache: returns how often.
/// What cannot be counted is wanted for the first time.
int times_wanted(const std::string& name) {
  const std::string tally = fmt::format("{}/{}.wanted", Cache::here().folder(), digest(name));
  const int file = open(tally.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return 1;
  const bool counted = write(file, "x", 1) == 1; // whole, whoever else writes
  const off_t all = counted ? lseek(file, 0, SEEK_CUR) : 1;
  (void)close(file);
  return static_cast<int>(all);
}

/// Compiles the header in `folder`. Throws Failure when it cannot be.
Product compile(const Compiler& compiler, const std::string& text, const std::string& folder) {
  const std::string header = folder + "/prelude.hpp";
  write_source(header, text);
  const std::string ours = "-I" + headers_folder();
  const std::vector<std::string> relative = environment_options();
  std::vector<std::string> command = compiler.command;
  command.push_back(ours);
  command.insert(command.end(), relative.begin(), relative.end());
  // Without -c, words for the linker among the compiler's options make g++ link nothing to an
  // object, and write that over the header.
  const std::string object = header + ".gch";
  const std::string rule = folder + "/prelude.d";
  command.insert(command.end(),
                 {"-c", "-x", "c++-header", header, "-o", object, "-MD", "-MF", rule});
  SourceInFolder source{compiler, folder, header, "", {ours}};
  source.options.insert(source.options.end(), relative.begin(), relative.end());
  const std::time_t moment = std::time(nullptr);
  Wait wait(fmt::format("Ridge's headers with {}, once", program_name(compiler)), 5);
  const Finished finished = run_command(command, folder, wait.tick());
  if (finished.status != 0) throw Failure("the headers cannot be compiled: " + finished.report);
  return {object, trace_after(source, rule, {}, moment)};
}

} // namespace

std::vector<std::string> prelude_options(const Compiler& compiler, const std::string& name,
                                         const std::string& folder) {
  if (!compiler.takes_prelude || name.empty()) return {};
  const std::string text = fmt::format("#include <{}>\n", name);
  try {
    const std::string key = fmt::format("{}\nprelude\n{}", compiler.identity, text);
    std::string compiled = made_before(key);
    if (compiled.empty()) {
      if (times_wanted(key) <= times_without) return {};
      compiled =
          make(key, [&](const std::string& shop) { return compile(compiler, text, shop); }).file;
    }
    write_source(folder + "/prelude.hpp", text); // which counts where the compiled one does not fit
    std::filesystem::create_symlink(compiled, folder + "/prelude.hpp.gch");
  } catch (const Failure&) {
    return {}; // it compiles without, only longer
  } catch (const std::filesystem::filesystem_error&) {
    return {};
  }
  return {"-include", "prelude.hpp"};
}

} // namespace ridge::launch
