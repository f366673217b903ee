#include "source_reading.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/file.hpp>
#include <ridge/launch/process.hpp>

#include "cache.hpp"
#include "hash.hpp"
#include "included.hpp"
#include "make.hpp"
#include "report.hpp"
#include "search_folders.hpp"
#include "wait.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace ridge::launch {

namespace fs = std::filesystem;

namespace {

/// How often a source is preprocessed before its files count as restless. One that was saved a
/// moment ago takes two, one that is saved while it is read three.
constexpr int most_tries = 5;

SearchFolders folders_for(const SourceInFolder& source) {
  // Headers that come first lie in the folder; they do not change where others are looked for.
  std::vector<std::string> options;
  for (std::size_t i = 0; i < source.options.size(); ++i) {
    if (source.options[i] == "-include")
      ++i;
    else
      options.push_back(source.options[i]);
  }
  SearchFolders folders = folders_of(source.compiler.host, options);
  if (!source.compiler.toolkit.empty()) folders.own.push_back(source.compiler.toolkit);
  return folders;
}

/// The entry of the headers that the compiler has read beforehand; nothing where there are none.
Cache::Note prelude_of(const SourceInFolder& source) {
  std::error_code failed;
  const fs::path object = fs::read_symlink(source.folder + "/prelude.hpp.gch", failed);
  if (failed) return {};
  return {Cache::here().note_of(object.string()).object,
          read_file(source.folder + "/" + prelude_trace).value_or("")};
}

[[noreturn]] void refuse_changing(const std::string& file) {
  throw UsageError(
      fmt::format("{} was changed while the kernel was being compiled: run this again", file));
}

} // namespace

Preprocessed preprocess(const SourceInFolder& source, const std::string& text_name) {
  std::vector<std::string> command = source.compiler.command;
  command.insert(command.end(), source.options.begin(), source.options.end());
  if (source.compiler.gnu) // the folder is another each time
    command.insert(command.end(), {"-fno-working-directory", "-fpch-preprocess"});
  command.insert(command.end(), {"-E", source.name, "-o", text_name});
  const SearchFolders folders = folders_for(source);
  const Cache::Note prelude = prelude_of(source);
  std::string last_text;
  std::string last_lines;
  std::string restless;
  for (int i = 0; i < most_tries; ++i) {
    const std::time_t moment = std::time(nullptr);
    const Finished finished =
        run_watched(fmt::format("{} with {}", kernel_name(source.file), program_name(source.compiler)),
                    source.compiler.usual_seconds, command, source.folder);
    if (finished.status != 0) refuse(finished, command.front(), source.file, source.name);
    const std::optional<std::string> text = read_file(source.folder + "/" + text_name);
    if (!text) throw Failure("what was preprocessed cannot be read: is the disk full?");
    Trace trace = trace_of(files_of_preprocessed(*text), folders);
    const std::string late = unsettled(trace.lines, moment);
    // Files that held the same before and after the last time were read as that.
    if (late.empty() || (*text == last_text && trace.lines == last_lines)) {
      std::string known = fmt::format("{}\n{}\n", prelude.object, text->size());
      for (const std::string& option : source.options)
        known += option + "\n";
      // What the assembler reads besides is not in the text.
      if (text->find(".incbin") != std::string::npos) known += source.folder;
      trace.lines += prelude.trace;
      return {digest(known + *text) + digest_of_words(*text), std::move(trace)};
    }
    const std::string changed = difference(trace.lines, last_lines);
    restless = changed.empty() ? late : changed;
    last_text = *text;
    last_lines = trace.lines;
  }
  refuse_changing(restless);
}

Trace trace_before(const SourceInFolder& source) {
  return trace_of_source(source.file, folders_for(source));
}

Trace trace_after(const SourceInFolder& source, const std::string& rule_file, const Trace& before,
                  std::time_t moment) {
  const std::optional<std::string> rule = read_file(rule_file);
  std::vector<std::string> files = files_of_rule(rule.value_or(""));
  std::erase_if(files, [&](const std::string& file) {
    return !file.starts_with('/') || file.starts_with(source.folder + "/");
  });
  Trace trace = trace_of(files, folders_for(source));
  trace.whole = trace.whole && rule.has_value();
  if (const std::string file = difference(trace.lines, before.lines); !file.empty())
    refuse_changing(file);
  if (!holds(before.lines)) trace.whole = false;
  if (!unsettled(trace.lines, moment, before.lines).empty()) trace.whole = false;
  trace.add(before);
  trace.lines += prelude_of(source).trace;
  return trace;
}

} // namespace ridge::launch
