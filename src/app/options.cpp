#include "options.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/device.hpp>

#include "ranks.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <type_traits>

namespace ridge::app {

namespace {

/// "the commands are lab, bench, ...; see --help".
std::string commands_of(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : app.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return "the commands are " + names + "; see --help";
}

/// Says what is wrong with a command's words; CLI11's own text is kept where it reads well.
std::string text_of(const CLI::ParseError& error, const CLI::App& command) {
  const std::string said = error.what();
  constexpr std::string_view twice = ": At Most 1 required but received ";
  if (const auto at = said.find(twice); at != std::string::npos)
    return said.substr(0, at) + " is given " + said.substr(at + twice.size()) + " times, not once";
  const auto words = command.remaining();
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word.front() == '-';
  };
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || words.empty()) return said;
  if (!command.get_subcommands({}).empty() && !is_option(words.front()))
    return command.get_name() + " has no command " + words.front();
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  return command.get_name() +
         (option == words.end() ? " takes no word " + words.front() : " has no option " + *option);
}

/// The number of a target: int of int* and of std::optional<int>*.
template <class Target>
struct NumberOf {
  using Type = Target;
};
template <class T>
struct NumberOf<std::optional<T>> {
  using Type = T;
};

/// Whole numbers in decimal: CLI11 alone takes 010 as 8, and of what is too large the largest.
template <class T>
CLI::Validator whole_number() {
  return {[](std::string& text) {
            const char* begin = text.data();
            const char* const end = begin + text.size();
            if (text.size() > 1 && *begin == '+' && begin[1] != '-') ++begin;
            T number = 0;
            const auto [at, status] = std::from_chars(begin, end, number);
            if (status == std::errc::result_out_of_range && at == end) {
              return "'" + text + "' is beyond " + std::to_string(std::numeric_limits<T>::min()) +
                     " to " + std::to_string(std::numeric_limits<T>::max());
            }
            if (status != std::errc{} || at != end)
              return "'" + text + "' is not a whole number" +
                     (std::is_unsigned_v<T> ? " from 0 on" : "");
            text = std::to_string(number);
            return std::string();
          },
          ""};
}

/// An empty word is a variable of a script that nobody set, more often than a wish for the default.
CLI::Validator some_text() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("'' is empty; give a value, or leave the option out")
                                : std::string();
          },
          ""};
}

/// Whether an option that has no default was given.
bool is_given(const OptionTarget& target) {
  return std::visit(
      [](const auto* value) {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (requires { value->has_value(); })
          return value->has_value();
        else if constexpr (requires { value->empty(); })
          return !value->empty();
        else
          return *value != T{};
      },
      target);
}

} // namespace

void require_none_given(const std::vector<OptionRow>& rows, const std::string& start) {
  for (const OptionRow& row : rows) {
    if (row.rule != Rule::fresh || !is_given(row.value)) continue;
    throw UsageError(row.names +
                     " cannot be given with --restart: the run goes on with its own; "
                     "to change it, start anew from " +
                     start);
  }
}

void Option::require() const {
  option_->required();
}

void Option::require_between(int least, int most) const {
  option_->check(CLI::Range(least, most));
}

void Option::require_png() const {
  option_->check(CLI::Validator(
      [](const std::string& file) {
        std::string ending = std::filesystem::path(file).extension().string();
        std::transform(ending.begin(), ending.end(), ending.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        for (const std::string_view other : {".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".pdf", ".ps",
                                             ".eps", ".tif", ".tiff", ".webp", ".ppm"}) {
          if (ending == other)
            return "pictures are PNG files, and " + file + " is named like another; give FILE.png";
        }
        return std::string();
      },
      ""));
}

Option Command::add(const std::string& names, OptionTarget value,
                    const std::string& meaning) const {
  const auto add = [&](auto* target) {
    if constexpr (std::is_same_v<decltype(target), bool*>) {
      return command_->add_flag(names, *target, meaning);
    } else {
      CLI::Option* const option = command_->add_option(names, *target, meaning);
      if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>)
        option->allow_extra_args(false);
      using T = typename NumberOf<std::remove_pointer_t<decltype(target)>>::Type;
      if constexpr (std::is_integral_v<T>) option->transform(whole_number<T>());
      if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>> ||
                    std::is_floating_point_v<T>) {
        if (names != "--device") option->check(some_text()); // its own error lists what is here
      }
      return option;
    }
  };
  return Option(*std::visit(add, value));
}

void Command::add(const std::vector<OptionRow>& rows) const {
  for (const OptionRow& row : rows) {
    const Option option = add(row.names, row.value, row.meaning);
    if (row.rule == Rule::required || row.rule == Rule::some) option.require();
    if (row.rule == Rule::some)
      option.option_->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    if (row.rule == Rule::png) option.require_png();
    if (row.most > 0) option.require_between(row.least, row.most);
  }
}

OptionRow device_row(std::string* device, const std::string& more) {
  return {"--device", device, "auto, " + device_forms() + more};
}

Option Command::add_device(std::string* device, const std::string& more) const {
  const OptionRow row = device_row(device, more);
  return add(row.names, row.value, row.meaning);
}

Command Command::add_command(const std::string& name, const std::string& meaning) const {
  command_->require_subcommand(1);
  return Command(*command_->add_subcommand(name, meaning));
}

void Command::set_footer(const std::string& text) const {
  command_->footer(text);
}

void Command::set_action(const std::function<void()>& action, Ranks ranks) const {
  const CLI::App* const above = command_->get_parent();
  const bool within = above != nullptr && above->get_parent() != nullptr;
  const std::string name = (within ? above->get_name() + " " : "") + command_->get_name();
  command_->callback([action, ranks, name] {
    if (ranks == Ranks::one) require_one_rank("ridge " + name);
    action();
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& meaning,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(meaning)) {
  app_->name(name);
  app_->set_version_flag("--version", name + " " + version);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& meaning) {
  return Command(*app_->add_subcommand(name, meaning));
}

void CommandLine::add_extended(const std::string& name, const std::string& meaning) {
  app_->add_subcommand(name, meaning);
  extended_[name];
}

void CommandLine::extend(const std::string& name, int place, const std::string& what,
                         const std::function<void(const Command&)>& add) {
  extended_[name].insert({place, {what, add}});
}

void CommandLine::run(int argc, char** argv) {
  for (const auto& [name, parts] : extended_) {
    CLI::App* const command = app_->get_subcommand(name);
    std::string meaning = command->get_description() + ": ";
    for (const auto& [place, part] : parts) {
      if (&part != &parts.begin()->second) meaning += ", or ";
      meaning += part.what;
      part.add(Command(*command));
    }
    command->description(meaning);
    if (parts.empty()) app_->remove_subcommand(command);
  }
  try {
    app_->parse(argc, argv);
    if (app_->get_subcommands().empty()) throw UsageError(commands_of(*app_));
  } catch (const CLI::Success& request) {
    app_->exit(request); // --help, --version
  } catch (const CLI::ParseError& error) {
    const CLI::App* deepest = app_.get();
    while (!deepest->get_subcommands().empty())
      deepest = deepest->get_subcommands().front();
    const bool lacks = deepest != app_.get() && !deepest->get_subcommands({}).empty();
    if (const auto words = deepest->remaining(); lacks) {
      throw UsageError(deepest->get_name() +
                       (words.empty() ? " needs a command" : " has no command " + words.front()) +
                       "; " + commands_of(*deepest));
    }
    const std::string right = app_->get_subcommands().empty() ? commands_of(*app_) : "see --help";
    throw UsageError(text_of(error, *deepest) + "; " + right);
  }
}

} // namespace ridge::app
