#include "isa.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <set>
#include <string_view>

namespace ridge::launch {

namespace {

constexpr const char* libraries[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"};

/// That which the process has loaded already, for it is hiprtc's, else the loader's.
void* open_comgr() {
  for (const int loaded : {RTLD_NOLOAD, 0}) {
    for (const char* const name : libraries) {
      if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL | loaded)) return library;
    }
  }
  return nullptr;
}

std::set<std::string, std::less<>> listed() {
  std::set<std::string, std::less<>> found;
  void* const library = open_comgr();
  if (library == nullptr) return found;
  // As amd_comgr.h declares them, which need not be here.
  const auto count_of =
      reinterpret_cast<int (*)(std::size_t*)>(dlsym(library, "amd_comgr_get_isa_count"));
  const auto name_of = reinterpret_cast<int (*)(std::size_t, const char**)>(
      dlsym(library, "amd_comgr_get_isa_name"));
  std::size_t count = 0;
  if (count_of == nullptr || name_of == nullptr || count_of(&count) != 0) return found;
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr; // "amdgcn-amd-amdhsa--gfx90a"
    if (name_of(i, &name) != 0 || name == nullptr) continue;
    const std::string_view whole = name;
    found.emplace(whole.substr(whole.rfind('-') + 1));
  }
  return found;
}

} // namespace

bool knows_amd_isa(const std::string& architecture) {
  static const auto known = listed();
  return known.contains(architecture);
}

} // namespace ridge::launch
