#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/known_name.hpp>
#include <ridge/launch/type_text.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ridge::launch {

namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : type.name();
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// `text` with the whole name `name` of a type replaced by another, wherever it stands.
std::string renamed(std::string text, const std::string& name, const std::string& other) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || (!is_of_word(text[at - 1]) && text[at - 1] != ':');
    const bool ends = end == text.size() || !is_of_word(text[end]);
    if (begins && ends) text.replace(at, name.size(), other);
    at += begins && ends ? other.size() : 1;
  }
  return text;
}

/// The header of a built-in kernel: that of the wing in whose namespace it, or what it is made of,
/// is, or the pattern's.
std::string built_in_source(const std::string& pattern, const std::string& kernel) {
  constexpr std::string_view ours = "ridge::";
  for (std::size_t at = 0; (at = kernel.find(ours, at)) != std::string::npos;) {
    at += ours.size();
    const std::string of_wing =
        fmt::format("ridge/{}/kernels.hpp", kernel.substr(at, kernel.find(':', at) - at));
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(headers_folder()) / of_wing, ignored))
      return of_wing;
  }
  return fmt::format("ridge/lab/kernels/{}.hpp", pattern);
}

/// Kept, since each launch that was compiled on demand asks for some when it is bound.
struct Texts {
  std::mutex guard;
  std::unordered_map<std::string, std::string> of_types;
  std::vector<std::pair<std::string, std::string>> names; ///< as demangled, and as known
};
Texts& texts() {
  static auto* const all = new Texts;
  return *all;
}

} // namespace

std::string type_text(const std::type_info& type) {
  Texts& all = texts();
  const std::lock_guard lock(all.guard);
  std::string& text = all.of_types[type.name()];
  if (text.empty()) {
    text = demangled(type);
    for (const auto& [name, other] : all.names)
      text = renamed(text, name, other);
  }
  return text;
}

void know_name(const std::type_info& type, const std::string& name) {
  const std::string own = demangled(type);
  if (own == name) return;
  Texts& all = texts();
  const std::lock_guard lock(all.guard);
  const std::pair entry{own, name};
  if (std::find(all.names.begin(), all.names.end(), entry) != all.names.end()) return;
  all.names.push_back(entry);
  all.of_types.clear();
}

Demand detail::demand_of(const std::type_info& call, const std::string& pattern,
                         const std::string& kernel, const std::string& precision,
                         const std::string& definitions) {
  Demand demand;
  // Put together without formatting: what was compiled on demand is demanded at each binding.
  demand.executor.append("ridge/").append(pattern).append("/executor.hpp");
  const SourceFile source = find_source(call);
  const bool built_in =
      kernel.starts_with("ridge::") && kernel.find("(anonymous") == std::string::npos;
  if (!source.file.empty()) {
    demand.source = source.file;
    demand.flags = source.flags;
  } else if (built_in) {
    demand.source = built_in_source(pattern, kernel);
  } else {
    throw UsageError(fmt::format(
        "this kernel ({}) is not compiled for this schedule, and nothing says where its source is: "
        "compile it by ridge_add_kernels, which does, or take another schedule",
        kernel));
  }
  std::string& made = demand.instantiation;
  made.reserve(64 + pattern.size() + kernel.size() + precision.size());
  made.append("template struct ridge::").append(pattern).append("::Executor<");
  made.append(kernel).append(", ").append(precision).append(", ridge::Here>;");
  demand.definitions = definitions;
  return demand;
}

} // namespace ridge::launch
