#include "kinds.hpp"

#include <array>

namespace ridge::launch {

namespace {

/// In the order of DeviceKind.
constexpr std::array all{
    &toolchains::cpu,
    &toolchains::simt,
    &toolchains::cuda,
    &toolchains::hip,
};

} // namespace

const Toolchain& toolchain_of(DeviceKind kind) {
  return *all[static_cast<std::size_t>(kind)];
}

const KernelCompiler* KernelCompiler::here(DeviceKind kind) {
  return toolchain_of(kind).images();
}

} // namespace ridge::launch
