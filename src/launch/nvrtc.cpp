#include "nvrtc.hpp"

#include <ridge/device/library.hpp>

#include "compilers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

namespace ridge::launch {

// As nvrtc.h declares them, which need not be here.
struct Nvrtc::Functions {
  using Program = void*;
  int (*version)(int*, int*);
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(Program*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*cubin_size)(Program, std::size_t*);
  int (*cubin)(Program, char*);
};

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void* open_library() {
  std::vector<std::string> names;
  if (const std::string given = variable("RIDGE_NVRTC"); !given.empty()) {
    if (given == "off") return nullptr;
    names = {given}; // and no other
  } else {
    names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    std::vector<std::string> folders{RIDGE_BUILD_CUDA};
    for (const char* const home : {"CUDA_HOME", "CUDA_PATH"})
      folders.push_back(variable(home));
    folders.emplace_back("/usr/local/cuda");
    for (const std::string& folder : folders) {
      for (const char* const lib : {"lib64", "lib"}) {
        if (!folder.empty()) names.push_back(fmt::format("{}/{}/libnvrtc.so", folder, lib));
      }
    }
    // Python's packages of it, beside a package that this library is part of.
    const std::string packages = library_folder() + "/../../nvidia/";
    for (const char* const file : {"cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"})
      names.push_back(packages + file);
  }
  for (const std::string& name : names) {
    if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <class F>
bool find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

Nvrtc::Nvrtc(const Functions& functions, std::string identity)
    : functions_(&functions), identity_(std::move(identity)) {}

const Nvrtc* Nvrtc::open() {
  static Functions f;
  void* const library = open_library();
  if (library == nullptr) return nullptr;
  const bool whole =
      find(library, "nvrtcVersion", f.version) && find(library, "nvrtcCreateProgram", f.create) &&
      find(library, "nvrtcDestroyProgram", f.destroy) &&
      find(library, "nvrtcCompileProgram", f.compile) &&
      find(library, "nvrtcGetProgramLogSize", f.log_size) &&
      find(library, "nvrtcGetProgramLog", f.log) &&
      find(library, "nvrtcGetCUBINSize", f.cubin_size) && find(library, "nvrtcGetCUBIN", f.cubin);
  int major = 0;
  int minor = 0;
  if (!whole || f.version(&major, &minor) != 0) return nullptr;
  Dl_info where{};
  const bool known = dladdr(reinterpret_cast<const void*>(f.version), &where) != 0;
  // As long as the process: what it compiles may be asked for at any time.
  static const Nvrtc opened(
      f, fmt::format("nvrtc {}.{} {}", major, minor, known ? identity_of(where.dli_fname) : ""));
  return &opened;
}

const Nvrtc* Nvrtc::here() {
  static const Nvrtc* const known = open();
  return known;
}

Nvrtc::Compiled Nvrtc::compile(const std::string& text, const std::string& file,
                               const std::vector<std::string>& options) const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Functions& f = *functions_;
  Compiled result;
  Functions::Program program = nullptr;
  if (f.create(&program, text.c_str(), file.c_str(), 0, nullptr, nullptr) != 0) {
    result.report = "nvrtc: error: it takes no program";
    return result;
  }
  std::vector<const char*> words;
  for (const std::string& option : options)
    words.push_back(option.c_str());
  const int status = f.compile(program, static_cast<int>(words.size()), words.data());
  const auto read = [&](auto size_of, auto get) {
    std::size_t size = 0;
    std::string all;
    if (size_of(program, &size) == 0 && size > 0) {
      all.resize(size);
      if (get(program, all.data()) != 0) all.clear();
    }
    return all;
  };
  result.report = read(f.log_size, f.log);
  while (!result.report.empty() && result.report.back() == '\0')
    result.report.pop_back();
  if (status == 0) result.image = read(f.cubin_size, f.cubin);
  result.done = !result.image.empty();
  (void)f.destroy(&program);
  return result;
}

} // namespace ridge::launch
