#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/lab/describe_kernel.hpp>
#include <ridge/lab/settings.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/description.hpp>

#include "../core/refuse.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

namespace ridge::lab {

namespace {

namespace fs = std::filesystem;

/// A name that C++ could have given: it becomes part of a source.
bool is_identifier(std::string_view text, bool qualified) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalnum(c) != 0 || c == '_') continue;
    if (qualified && text.substr(i, 2) == "::" && i > 0) {
      ++i;
      continue;
    }
    return false;
  }
  return true;
}

/// Whether a text can be the type of a kernel: a name, perhaps with arguments of a template. It
/// becomes part of a source, so nothing may end it early.
bool is_type(std::string_view text) {
  const auto open = text.find('<');
  if (!is_identifier(text.substr(0, open), true)) return false;
  if (open == std::string_view::npos) return true;
  std::string closing;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    const auto bracket = std::string_view("<({").find(c);
    if (bracket != std::string_view::npos) {
      closing += ">)}"[bracket];
    } else if (c == closing.back()) {
      closing.pop_back();
      if (closing.empty()) return i + 1 == text.size();
    } else if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
               std::string_view("_:,.+-*' ").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return false;
}

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + "\"";
}

/// Includes of the headers by which wings describe kernels in users' files.
std::string descriptions_of_wings() {
  std::set<std::string> lines; // in one order, as they are part of what is looked for in the cache
  std::error_code ignored;
  for (const auto& room : fs::directory_iterator(fs::path(headers_folder()) / "ridge", ignored)) {
    const fs::path header = fs::path("ridge") / room.path().filename() / "describe_users.hpp";
    if (fs::exists(room.path() / "describe_users.hpp", ignored))
      lines.insert(fmt::format("#include <{}>\n", header.string()));
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

std::string description_text(const std::string& file, const std::string& type,
                             const std::vector<Setting>& settings, Use use) {
  constexpr std::array names{"launches", "evolution", "ranks", "motion"};
  std::string members;
  for (const Setting& s : settings) {
    members += fmt::format("    if (s.member == \"{0}\") {{\n"
                           "      return ridge::lab::set_in(kernel, [&](auto& part) {{\n"
                           "        if constexpr (requires {{ part.{0} = s.value; }}) {{\n"
                           "          using M = std::remove_cvref_t<decltype(part.{0})>;\n"
                           "          part.{0} = ridge::lab::as_member<M>(s);\n"
                           "          ridge::lab::require_kept<M>(s, part.{0});\n"
                           "          return true;\n"
                           "        }} else {{\n          return false;\n        }}\n"
                           "      }});\n    }}\n",
                           s.member);
  }
  static const std::string of_wings = descriptions_of_wings();
  return fmt::format(
      "#include <ridge/lab/describe_kernel.hpp>\n#include \"{4}\"\n{5}namespace {{\n"
      "ridge::lab::UserKernel describe(const std::string& name,\n"
      "                                const std::vector<ridge::lab::Setting>& settings) {{\n"
      "  return ridge::lab::describe_kernel<ridge::lab::Use::{3}, {1}>(name, {0}, \"\", settings,\n"
      "                                          [](auto& kernel, const auto& s) {{\n"
      "    (void)kernel, (void)s;\n{2}    return false;\n  }});\n}}\n"
      "const ridge::Offer offered(ridge::DeviceKind::cpu, typeid(ridge::lab::UserKernel), "
      "&describe);\n}}\n",
      quoted(file), type, members, names[static_cast<std::size_t>(use)], file, of_wings);
}

} // namespace

std::string lab_library() {
  Dl_info info{};
  return dladdr(reinterpret_cast<const void*>(&lab_library), &info) != 0 ? info.dli_fname : "";
}

void refuse_setting(const Setting& s, const std::string& holds) {
  throw UsageError(fmt::format("{}{}={}: the member holds {}", s.option, s.member,
                               s.text.empty() ? fmt::format("{}", s.value) : s.text, holds));
}

Setting parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  Setting setting{std::string(text.substr(0, equals)), 0};
  if (equals != std::string_view::npos && is_identifier(setting.member, false)) {
    const std::string_view number = text.substr(equals + 1);
    setting.text = number;
    const auto [end, status] =
        std::from_chars(number.data(), number.data() + number.size(), setting.value);
    if (status == std::errc{} && end == number.data() + number.size() &&
        std::isfinite(setting.value))
      return setting;
  }
  throw UsageError(fmt::format("--set {}: expected MEMBER=NUMBER, such as rate=0.1", text));
}

std::vector<Setting> parse_settings(const std::vector<std::string>& texts) {
  std::vector<Setting> all;
  for (const std::string& text : texts) {
    Setting one = parse_setting(text);
    for (const Setting& before : all) {
      refuse_if(before.member == one.member, "--set {}: '{}' is given twice", text, one.member);
    }
    all.push_back(std::move(one));
  }
  return all;
}

bool names_a_file(std::string_view kernel) {
  const auto colon = kernel.find(':');
  return colon != std::string_view::npos || kernel.find('/') != std::string_view::npos ||
         kernel.ends_with(".hpp");
}

UserKernel load_user_kernel(std::string_view kernel, const std::vector<Setting>& settings,
                            Use use) {
  const auto slash = kernel.rfind('/'); // a folder may have a colon in its name
  const auto colon = kernel.find(':', slash == std::string_view::npos ? 0 : slash);
  const std::string given(kernel.substr(0, colon));
  const std::string type(colon == std::string_view::npos ? "" : kernel.substr(colon + 1));
  refuse_if(!is_type(type), "'{}': a kernel in a file is FILE.hpp:Name, such as ./heat.hpp:Heat",
            kernel);
  std::error_code failed;
  const fs::path file = fs::canonical(given, failed);
  refuse_if(failed || !fs::is_regular_file(file, failed), "there is no kernel file {}", given);
  refuse_if(file.string().find_first_of("\"\n") != std::string::npos,
            "{}: C++ cannot include a file whose name has a quotation mark or a line's end; rename "
            "it or its folder",
            given);
  const std::vector<Offered> offers =
      launch::load_description(description_text(file.string(), type, settings, use), file.string(),
                               {lab_library()}, "ridge/lab/describe_kernel.hpp");
  for (const Offered& o : offers) {
    if (std::string_view(o.name) != typeid(UserKernel).name()) continue;
    using Describe = UserKernel(const std::string&, const std::vector<Setting>&);
    return reinterpret_cast<Describe*>(o.function)(type, settings);
  }
  throw Failure(fmt::format("the description of {} offers nothing; please report this", kernel));
}

BenchKernel find_kernel(std::string_view kernel, const std::vector<std::string>& settings,
                        Use use) {
  const std::vector<Setting> all = parse_settings(settings);
  if (names_a_file(kernel)) return load_user_kernel(kernel, all, use).bench;
  refuse_if(!all.empty(), "--set is for kernels in files; {} is built in", kernel);
  return find_bench_kernel(kernel);
}

} // namespace ridge::lab
