// Kernels: built in, from a file, or from a text.
#include <ridge/lab/adjoint.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/description.hpp>

#include "../core/refuse.hpp"
#include "handles.hpp"
#include "naming.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

namespace ridge::c {

namespace {

namespace fs = std::filesystem;

std::vector<lab::Setting> settings_of(const char* text) {
  std::vector<lab::Setting> all;
  const std::string_view given = text == nullptr ? "" : text;
  constexpr std::string_view apart = " \t\n,";
  for (std::size_t begin = given.find_first_not_of(apart); begin != std::string_view::npos;) {
    const std::size_t end = std::min(given.find_first_of(apart, begin), given.size());
    const std::string one(given.substr(begin, end - begin));
    try {
      all.push_back(lab::parse_setting(one));
    } catch (const UsageError&) {
      throw UsageError(fmt::format("settings '{}': expected NAME=NUMBER, such as rate=0.1", one));
    }
    all.back().option = "settings ";
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      if (all[i].member == all.back().member)
        throw UsageError(fmt::format("settings '{}': {} is given twice", one, all[i].member));
    }
    begin = given.find_first_not_of(apart, end);
  }
  return all;
}

/// Their squares and quotients are numbers.
constexpr double least_spacing = 1e-100;
constexpr double most_spacing = 1e100;

std::shared_ptr<KernelObject> built_in(const char* name,
                                       const std::vector<lab::Setting>& settings) {
  auto made = std::make_shared<KernelObject>();
  made->kernel = lab::find_bench_kernel(name);
  const std::vector<std::string>& known = made->kernel.numbers;
  for (const lab::Setting& s : settings) {
    double* const set = s.member == "hx"   ? &made->spacing.x
                        : s.member == "hy" ? &made->spacing.y
                        : s.member == "hz" ? &made->spacing.z
                                           : nullptr;
    refuse_if(std::find(known.begin(), known.end(), s.member) == known.end(),
              "{} has no number '{}'; built-in stencils have hx, hy and hz, those that evolve also "
              "value and dt, other built-in kernels none",
              name, s.member);
    if (set == nullptr) continue;
    refuse_if(!(s.value >= least_spacing && s.value <= most_spacing),
              "{}: {}={:g}; a distance of points from {:g} to {:g} is right", name, s.member,
              s.value, least_spacing, most_spacing);
    *set = s.value;
  }
  made->settings = settings;
  return made;
}

/// `text` is a header with the functor `name`. It becomes a type of its own, since another text may
/// have a functor of that name.
std::shared_ptr<KernelObject> from_text(const std::string& text, const std::string& name,
                                        const std::vector<lab::Setting>& settings,
                                        const std::string& told_apart_by) {
  auto made = std::make_shared<KernelObject>();
  Shown& shown = made->shown;
  shown.type = fmt::format("given_{:016x}", std::hash<std::string>{}(told_apart_by + '\0' + name));
  const std::size_t last = name.rfind("::");
  shown.name = last == std::string::npos ? name : name.substr(last + 2);
  const std::string file = launch::keep_source(
      "kernel.hpp", fmt::format("#pragma once\n#line 1 \"kernel.hpp\"\n{0}\nusing {1}_base = {2};\n"
                                "struct {1} : {1}_base {{}};\n",
                                text, shown.type, name));
  shown.folder = file.substr(0, file.rfind('/') + 1);
  made->source = file + ":" + shown.type;
  made->settings = settings;
  naming(shown, [&] { made->kernel = lab::load_user_kernel(made->source, settings).bench; });
  made->kernel.name = shown.name;
  return made;
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::shared_ptr<KernelObject> from_file(const std::string& given,
                                        const std::vector<lab::Setting>& settings) {
  const auto slash = given.rfind('/');
  const auto colon = given.find(':', slash == std::string::npos ? 0 : slash);
  std::error_code failed;
  const fs::path file = fs::canonical(given.substr(0, colon), failed);
  // What is wrong with the name is told as the command does.
  if (failed || colon == std::string::npos ||
      file.string().find_first_of("\"\\\n") != std::string::npos) {
    auto made = std::make_shared<KernelObject>();
    made->kernel = lab::load_user_kernel(given, settings).bench;
    return made;
  }
  return from_text(fmt::format("#include \"{}\"", file.string()), given.substr(colon + 1), settings,
                   file.string() + '\0' + content_of(file));
}

/// The kernel that `find` has by a name, or its adjoint where this ends with "-adjoint".
template <class Find>
std::shared_ptr<KernelObject> or_adjoint(const std::string& name, const Find& find) {
  constexpr std::string_view suffix = "-adjoint";
  if (name.size() <= suffix.size() || !std::string_view(name).ends_with(suffix)) return find(name);
  auto made = find(name.substr(0, name.size() - suffix.size()));
  const lab::BenchKernel forward = made->kernel;
  refuse_if(made->source.empty(),
            "{}: adjoints by name are those of kernels in files and texts, and {} is built in",
            name, forward.name);
  made->kernel = naming(
      made->shown, [&] { return lab::adjoint_of(forward, forward.default_size, made->source); });
  made->is_adjoint = true;
  return made;
}

nlohmann::ordered_json described(const lab::BenchKernel& kernel) {
  return {{"name", kernel.name},
          {"pattern", kernel.pattern},
          {"meaning", kernel.meaning},
          {"arrays", kernel.on_arrays.names},
          {"inputs", kernel.on_arrays.inputs}};
}

} // namespace

std::string in_words_of_user(const Shown& shown, std::string message) {
  const auto replace = [&](const std::string& ours, const std::string& theirs) {
    if (ours.empty()) return;
    for (std::size_t at = 0; (at = message.find(ours, at)) != std::string::npos;
         at += theirs.size())
      message.replace(at, ours.size(), theirs);
  };
  replace(shown.folder, "");
  replace(shown.type, shown.name);
  return message;
}

extern "C" {

int ridge_kernel_find(const char* name, const char* settings, ridge_kernel* kernel) {
  return call("ridge_kernel_find", [&] {
    require(name, "name");
    require(kernel, "kernel");
    const lab::Unforkable unforkable;
    const auto all = settings_of(settings);
    *kernel = add(or_adjoint(name, [&](const std::string& of) {
      return lab::names_a_file(of) ? from_file(of, all) : built_in(of.c_str(), all);
    }));
  });
}

int ridge_kernel_text(const char* text, const char* name, const char* settings,
                      ridge_kernel* kernel) {
  return call("ridge_kernel_text", [&] {
    require(text, "text");
    require(name, "name");
    require(kernel, "kernel");
    const lab::Unforkable unforkable;
    const auto all = settings_of(settings);
    *kernel = add(
        or_adjoint(name, [&](const std::string& of) { return from_text(text, of, all, text); }));
  });
}

int ridge_kernel_describe(ridge_kernel kernel, char* text, size_t size, size_t* length) {
  return call("ridge_kernel_describe", [&] {
    TextOut{text, size, length}.give(described(find<KernelObject>(kernel)->kernel).dump());
  });
}

int ridge_kernels(char* text, size_t size, size_t* length) {
  return call("ridge_kernels", [&] {
    auto all = nlohmann::ordered_json::array();
    for (const lab::BenchKernel& kernel : lab::bench_kernels())
      if (kernel.on_arrays.make) all.push_back(described(kernel));
    TextOut{text, size, length}.give(all.dump(2));
  });
}

int ridge_kernel_free(ridge_kernel kernel) {
  if (kernel == nullptr) return RIDGE_OK;
  return call("ridge_kernel_free", [&] { static_cast<void>(take<KernelObject>(kernel)); });
}

} // extern "C"

} // namespace ridge::c
