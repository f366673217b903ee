#include "kernel_compiler.hpp"

#include <ridge/device/library.hpp>

#include "toolchain.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>

namespace ridge::launch {

// As nvrtc.h and hiprtc.h declare them, which need not be here.
struct KernelCompiler::Functions {
  using Program = void*;
  int (*version)(int*, int*);
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(Program*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*image_size)(Program, std::size_t*);
  int (*image)(Program, char*);
};

namespace {

template <class F>
bool find(void* library, const std::string& name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name.c_str()));
  return function != nullptr;
}

/// The first of these that is a library with this function.
void* first_with(const std::string& function, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (dlsym(library, function.c_str()) != nullptr) return library;
    dlclose(library);
  }
  return nullptr;
}

} // namespace

KernelCompiler::KernelCompiler(const Library& library, const Functions& functions)
    : functions_(&functions), name_(library.name), takes_(library.takes) {
  int major = 0;
  int minor = 0;
  (void)functions.version(&major, &minor);
  Dl_info where{};
  const bool known = dladdr(reinterpret_cast<const void*>(functions.version), &where) != 0;
  identity_ =
      fmt::format("{} {}.{} {}", name_, major, minor, known ? identity_of(where.dli_fname) : "");
}

const KernelCompiler* KernelCompiler::open(const Library& l) {
  std::vector<std::string> names = l.names;
  if (const std::string given = variable(l.chosen); !given.empty()) {
    if (given == "off") return nullptr;
    names = {given}; // and no other
  } else {
    std::vector<std::string> folders;
    for (const char* const home : l.homes)
      folders.push_back(variable(home));
    folders.insert(folders.end(), l.other_folders.begin(), l.other_folders.end());
    for (const std::string& folder : folders) {
      for (const char* const lib : {"lib64", "lib"}) {
        if (!folder.empty()) names.push_back(fmt::format("{}/{}/{}", folder, lib, l.names.front()));
      }
    }
    // Beside a Python package that this library is part of.
    for (const std::string& file : l.packaged)
      names.push_back(fmt::format("{}/../../nvidia/{}", library_folder(), file));
  }
  const std::string prefix = l.prefix;
  void* const library = first_with(prefix + "Version", names);
  if (library == nullptr) return nullptr;
  // As long as the process: what it compiles may be asked for at any time.
  auto* const f = new Functions;
  const bool whole = find(library, prefix + "Version", f->version) &&
                     find(library, prefix + "CreateProgram", f->create) &&
                     find(library, prefix + "DestroyProgram", f->destroy) &&
                     find(library, prefix + "CompileProgram", f->compile) &&
                     find(library, prefix + "GetProgramLogSize", f->log_size) &&
                     find(library, prefix + "GetProgramLog", f->log) &&
                     find(library, prefix + "Get" + l.image + "Size", f->image_size) &&
                     find(library, prefix + "Get" + l.image, f->image);
  if (!whole) {
    delete f;
    return nullptr;
  }
  return new KernelCompiler(l, *f);
}

bool KernelCompiler::takes(const std::string& architecture) const {
  return takes_ == nullptr || takes_(architecture);
}

KernelCompiler::Compiled KernelCompiler::compile(const std::string& text, const std::string& file,
                                                 const std::vector<std::string>& options) const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Functions& f = *functions_;
  Compiled result;
  Functions::Program program = nullptr;
  if (f.create(&program, text.c_str(), file.c_str(), 0, nullptr, nullptr) != 0) {
    result.report = name_ + ": error: it takes no program";
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
  if (status == 0) result.image = read(f.image_size, f.image);
  result.done = !result.image.empty();
  (void)f.destroy(&program);
  return result;
}

} // namespace ridge::launch
