// From a device at run time to its kind as a type.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/device.hpp>

namespace ridge {

namespace detail {
/// Whether a macro's text is that of 1, as builds say RIDGE_WITH_CUDA; not so where none says it.
constexpr bool says_yes(const char* text) {
  return text[0] == '1' && text[1] == '\0';
}
#define RIDGE_TEXT(...) #__VA_ARGS__
#define RIDGE_TEXT_OF(...) RIDGE_TEXT(__VA_ARGS__)
} // namespace detail

/// Whether kernel sources of this build are compiled for a kind.
constexpr bool is_built(DeviceKind kind) {
  bool all[] = {
#define RIDGE_KIND_BUILT(kind, Target, MACRO) detail::says_yes(RIDGE_TEXT_OF(RIDGE_WITH_##MACRO)),
      RIDGE_FOR_EACH_KIND(RIDGE_KIND_BUILT)
#undef RIDGE_KIND_BUILT
  };
  return all[static_cast<int>(kind)];
}

/// Calls `f` with target::Cpu{}, Simt{}, Cuda{} or Hip{}: only for kinds this build has, so that
/// `f` refers to nothing that no kernel source was compiled for.
template <class F>
decltype(auto) on_kind_of(const Device& device, F&& f) {
  switch (device.kind()) {
#define RIDGE_ON_KIND(kind, Target, MACRO)                                                         \
  case DeviceKind::kind:                                                                           \
    if constexpr (is_built(DeviceKind::kind)) return f(target::Target{});                          \
    break;
    RIDGE_FOR_EACH_KIND(RIDGE_ON_KIND)
#undef RIDGE_ON_KIND
  }
  throw Failure("this build has no kernels for " + to_text(device.id()));
}

} // namespace ridge
