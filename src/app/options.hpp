// The command line: subcommands, their options, and what each does. What parses them takes seconds
// to compile, so options.cpp alone sees it.
#pragma once

#include <ridge/core/extents.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace ridge::app {

/// Where a value goes. A bool is a flag; an optional stays empty where the option is not given; an
/// option with a list may be repeated, each with one word.
using OptionTarget =
    std::variant<bool*, int*, Index*, double*, std::string*, std::optional<int>*,
                 std::optional<Index>*, std::optional<std::uint64_t>*, std::optional<double>*,
                 std::optional<std::string>*, std::vector<std::string>*>;

class Option {
public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  void require() const;
  void require_between(int least, int most) const;
  /// Refuses names of pictures of other kinds.
  void require_png() const;

private:
  friend class Command;
  CLI::Option* option_;
};

/// What is asked of an option beside its type.
enum class Rule {
  none,
  required,
  some,  ///< of a list known by its place: at least one word, all that follow belong to it
  png,   ///< refuses names of pictures of other kinds
  fresh, ///< not with --restart
};

/// An option of a command: a row of its table.
struct OptionRow {
  std::string names; ///< "--size", "-o,--output" or, of a word known by its place, "KERNEL"
  OptionTarget value;
  std::string meaning;
  Rule rule = Rule::none;
  int least = 0, most = 0; ///< of a number, where `most` is not 0
};
[[nodiscard]] inline OptionRow required(std::string names, OptionTarget value,
                                        std::string meaning) {
  return {std::move(names), value, std::move(meaning), Rule::required};
}
/// Not with --restart: a run that goes on has its own.
[[nodiscard]] inline OptionRow fresh(std::string names, OptionTarget value, std::string meaning) {
  return {std::move(names), value, std::move(meaning), Rule::fresh};
}
[[nodiscard]] OptionRow device_row(std::string* device, const std::string& more = {});
/// A restart is the same run: no row of the rule `fresh` may be given anew. Throws UsageError for
/// the first that is; `start` is what another run may begin from.
void require_none_given(const std::vector<OptionRow>& rows, const std::string& start);

/// On how many ranks a command runs: one, or as many as were started.
enum class Ranks { one, several };

class Command {
public:
  explicit Command(CLI::App& command) : command_(&command) {}
  void add(const std::vector<OptionRow>& rows) const;
  /// One row, whose option takes more rules.
  Option add(const std::string& names, OptionTarget value, const std::string& meaning) const;
  /// `--device`; `more` is added to what --help says of it.
  Option add_device(std::string* device, const std::string& more = {}) const;
  /// A command of this one's, of which one must be given.
  [[nodiscard]] Command add_command(const std::string& name, const std::string& meaning) const;
  /// What --help says below the options.
  void set_footer(const std::string& text) const;
  void set_action(const std::function<void()>& action, Ranks ranks = Ranks::one) const;

private:
  CLI::App* command_;
};

class CommandLine {
public:
  CommandLine(const std::string& name, const std::string& meaning, const std::string& version);
  ~CommandLine();

  [[nodiscard]] Command add_command(const std::string& name, const std::string& meaning);
  /// A command whose own commands are added by `extend`, by the wings; without any there is none.
  /// --help says `meaning` of it, and of what.
  void add_extended(const std::string& name, const std::string& meaning);
  /// Has `add` give commands to one of that name, in the order of `place`; `what` is a part of its
  /// meaning. Others may do so, before and after it is added.
  void extend(const std::string& name, int place, const std::string& what,
              const std::function<void(const Command&)>& add);
  /// Does what is asked, be it help. Throws UsageError for words it does not know.
  void run(int argc, char** argv);

private:
  struct Extension {
    std::string what;
    std::function<void(const Command&)> add;
  };
  /// A command by its name, and what is added to it by its place.
  using Extended = std::map<std::string, std::multimap<int, Extension>>;

  std::unique_ptr<CLI::App> app_;
  Extended extended_;
};

} // namespace ridge::app
