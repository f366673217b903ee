#include "kinds.hpp"

#include <array>

namespace ridge::launch {

namespace {

/// In the order of DeviceKind.
constexpr std::array all{
#define RIDGE_KIND_TOOLS(kind, Target, MACRO) &toolchains::kind,
    RIDGE_FOR_EACH_KIND(RIDGE_KIND_TOOLS)
#undef RIDGE_KIND_TOOLS
};

} // namespace

const Toolchain& toolchain_of(DeviceKind kind) {
  return *all[static_cast<std::size_t>(kind)];
}

const KernelCompiler* KernelCompiler::here(DeviceKind kind) {
  return toolchain_of(kind).images();
}

} // namespace ridge::launch
