#include "compilers.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/identity.hpp>
#include <ridge/launch/process.hpp>

#include "hash.hpp"
#include "toolchain.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace ridge::launch {

namespace {

Compiler finished(Compiler c) {
  for (const std::string& word : c.command)
    c.identity += "\n" + word;
  return c;
}

/// What is compiled has variants of its own: static members of its templates are neither those that
/// modules loaded before have under the same name (which g++ marks to be the only ones of a
/// process) nor the program's.
void keep_apart(Compiler& c) {
  if (c.gnu) c.command.push_back(c.to_host + "-fno-gnu-unique");
  c.command.push_back((c.link.empty() ? "-Wl," : c.link) + "-Bsymbolic");
}

/// Compilers run in folders of their own, where a relative name means another file.
std::string absolute_program(const std::string& program) {
  std::error_code failed;
  const std::filesystem::path at = std::filesystem::absolute(program, failed);
  return failed ? program : at.lexically_normal().string();
}

/// Host code that is not measured.
Compiler quick_compiler(const std::string& what, const std::vector<std::string>& options) {
  require_permission(what);
  const std::string cxx = host_compiler(what);
  Compiler c{{cxx, "-std=c++20", "-O1", "-g0", "-fPIC", "-shared"}, identity_of(cxx), ".cpp"};
  c.command.insert(c.command.end(), options.begin(), options.end());
  c.gnu = !is_clang(cxx);
  // Of kernels of many terms points-to analysis takes most of the time, which grows with its square.
  if (c.gnu) c.command.emplace_back("-fno-tree-pta");
  c.takes_prelude = c.gnu;
  c.takes_text = true;
  c.host = cxx;
  keep_apart(c);
  return finished(std::move(c));
}

} // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string first_of(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string found = find_program(name); !found.empty())
      return absolute_program(found);
  }
  return {};
}

void missing(const std::string& device, const std::string& what, const std::string& how) {
  throw Failure(
      fmt::format("this kernel is not compiled for this schedule, and it cannot be compiled "
                  "now for {}: {}; {}. `ridge schedules` lists what runs without",
                  device, what, how));
}

std::string find_host_compiler() {
  if (const std::string given = variable("RIDGE_CXX"); !given.empty()) return first_of({given});
  return first_of({RIDGE_BUILD_CXX, "g++", "clang++", "clang++-19"});
}

std::string host_compiler(const std::string& device) {
  const std::string found = find_host_compiler();
  if (!found.empty()) return found;
  if (const std::string given = variable("RIDGE_CXX"); !given.empty())
    missing(device, "RIDGE_CXX=" + given + " is not there", "name another");
  missing(device, "there is no C++ compiler", "install g++ (`apt-get install g++`)");
}

bool is_clang(const std::string& program) {
  return program.find("clang") != std::string::npos;
}

std::string identity_of(const std::string& program) {
  struct stat s {};
  if (stat(program.c_str(), &s) != 0) return program;
  return fmt::format("{} {} {}.{}", program, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

void require_permission(const std::string& device) {
  if (variable("RIDGE_COMPILE") == "off") missing(device, "RIDGE_COMPILE=off", "unset it");
  if (headers_folder().empty()) {
    missing(device, "the library's headers are not beside it",
            "install them at ../include from the library");
  }
}

bool has_compiler(DeviceKind kind) {
  return toolchain_of(kind).has_compiler();
}

std::string program_name(const Compiler& compiler) {
  return std::filesystem::path(compiler.command.front()).filename().string();
}

std::string compiler_name(const Device& device) {
  try {
    const Compiler c = finished(toolchain_of(device.kind()).compiler(device));
    std::error_code failed;
    const auto program = std::filesystem::canonical(c.command.front(), failed);
    return fmt::format("{}-{}", program.filename().string(), digest(c.identity).substr(0, 8));
  } catch (const Failure&) {
    return "none";
  }
}

Compiler compiler_for(const Device& device) {
  require_permission(to_text(device.id()));
  Compiler c = toolchain_of(device.kind()).compiler(device);
  keep_apart(c);
  return finished(std::move(c));
}

Compiler compiler_for_host() {
  return quick_compiler("the host", {});
}

Compiler compiler_for_launches(const Device& device) {
  return quick_compiler(to_text(device.id()),
                        {toolchain_of(device.kind()).definition, "-DRIDGE_IMAGES"});
}

bool has_host_compiler() {
  return !find_host_compiler().empty();
}

} // namespace ridge::launch
