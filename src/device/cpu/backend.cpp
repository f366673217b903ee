#include <ridge/device/cpu/backend.hpp>
#include <ridge/device/host_backend.hpp>

#include "topology.hpp"

namespace ridge {

namespace {

struct Instructions {
  const char* name;
  int bytes;
};

/// The widest vectors this machine has. Kernels are compiled for those the build was made for.
Instructions widest_vectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {"x86-64 avx512", 64};
  if (__builtin_cpu_supports("avx2")) return {"x86-64 avx2", 32};
  return {"x86-64 sse2", 16};
#elif defined(__aarch64__)
  return {"aarch64 neon", 16};
#else
  return {"generic", 16};
#endif
}

DeviceFacts cpu_facts() {
  const cpu::Topology& t = cpu::topology();
  const Instructions vectors = widest_vectors();
  DeviceFacts facts;
  facts.name = t.model;
  facts.architecture = vectors.name;
  facts.units = static_cast<int>(t.core_cpus.size());
  facts.warp_width = 1;
  facts.simd_bytes = vectors.bytes;
  facts.l1 = t.l1;
  facts.l2 = t.l2;
  facts.last_level_cache = t.last_level;
  facts.memory = host_memory();
  return facts;
}

} // namespace

std::shared_ptr<Backend> open_cpu() {
  return std::make_shared<HostBackend>(DeviceId{DeviceKind::cpu, 0}, cpu_facts());
}

} // namespace ridge
