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

constexpr const char* header = "prelude.hpp";

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

/// The header in `folder`, written.
SourceInFolder header_in(const Compiler& compiler, const std::string& text,
                         const std::string& folder) {
  write_source(folder + "/" + header, text);
  SourceInFolder source{compiler, folder, header, "", {"-I" + headers_folder()}};
  for (const std::string& option : environment_options())
    source.options.push_back(option);
  return source;
}

/// Compiles the header. Throws Failure when it cannot be.
Product compile(const SourceInFolder& source) {
  const std::string object = fmt::format("{}/{}.gch", source.folder, header);
  const std::string rule = source.folder + "/prelude.d";
  std::vector<std::string> command = source.compiler.command;
  command.insert(command.end(), source.options.begin(), source.options.end());
  // Without -c, words for the linker among the compiler's options make g++ link nothing to an
  // object, and write that over the header.
  command.insert(command.end(),
                 {"-c", "-x", "c++-header", header, "-o", object, "-MD", "-MF", rule});
  const std::time_t moment = std::time(nullptr);
  Wait wait(fmt::format("Ridge's headers with {}, once", program_name(source.compiler)), 5);
  const Finished finished = run_command(command, source.folder, wait.tick());
  if (finished.status != 0) throw Failure("the headers cannot be compiled: " + finished.report);
  return {object, trace_after(source, rule, {}, moment)};
}

std::string name_of(const Compiler& compiler, const std::string& text) {
  return fmt::format("{}\nprelude\n{}", compiler.identity, text);
}

/// The compiled header, from the cache or made.
Made made_of(const Compiler& compiler, const std::string& text) {
  const std::string name = name_of(compiler, text);
  // Where the environment says nothing to compilers, the header need not be preprocessed to know
  // it. Elsewhere most of its values make no other text.
  if (compiler_environment().empty()) {
    return make(name,
                [&](const std::string& shop) { return compile(header_in(compiler, text, shop)); });
  }
  std::string lines;
  return make(
      name, "",
      [&](const std::string& shop) {
        Preprocessed made = preprocess(header_in(compiler, text, shop), "prelude.ii");
        lines = made.trace.lines;
        return made;
      },
      [&](const std::string& shop) {
        const Product product = compile(header_in(compiler, text, shop));
        if (!holds(lines)) throw Failure("the headers changed while they were compiled");
        return product.object;
      });
}

} // namespace

std::vector<std::string> prelude_options(const Compiler& compiler, const std::string& name,
                                         const std::string& folder) {
  if (!compiler.takes_prelude || name.empty()) return {};
  const std::string text = fmt::format("#include <{}>\n", name);
  try {
    if (times_wanted(name_of(compiler, text)) <= times_without) return {};
    const Made made = made_of(compiler, text);
    // The text counts where the compiled header does not fit.
    write_source(folder + "/" + header, text);
    write_source(folder + "/" + prelude_trace, made.trace);
    std::filesystem::create_symlink(made.file, fmt::format("{}/{}.gch", folder, header));
  } catch (const Failure&) {
    return {}; // it compiles without, only longer
  } catch (const UsageError&) {
    return {};
  } catch (const std::filesystem::filesystem_error&) {
    return {};
  }
  return {"-include", header};
}

} // namespace ridge::launch
