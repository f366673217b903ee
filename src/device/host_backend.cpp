#include <ridge/core/error.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/host_backend.hpp>
#include <ridge/device/kind.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>

namespace ridge {

namespace {

using Clock = std::chrono::steady_clock;

/// Memory of blocks this large is worth huge pages.
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Blocks begin at different places of a page, since two that are walked in step, as a stencil's
/// field and its result, disturb each other where they agree in the low bits of their addresses: a
/// load that agrees in twelve with a result still to be stored waits for it (Intel), and reads and
/// writes less than 320 bytes apart modulo 1024 take 10 to 25 % longer (Zen 5; both in
/// docs/design/stencils_on_cpus.md). Blocks asked for one after the other lie 448 or 576 apart
/// modulo 1024, and the one after the next 896 behind.
constexpr std::size_t page = 4096;
constexpr std::size_t place_step = 2496;

std::size_t next_place() {
  static std::atomic<std::size_t> blocks{0};
  return blocks.fetch_add(1, std::memory_order_relaxed) * place_step % page;
}

std::size_t mapped_size(std::size_t bytes) {
  const std::size_t unit = bytes >= huge_page ? huge_page : page;
  return (bytes + page + unit - 1) / unit * unit;
}

/// A line of /proc/meminfo, in bytes; -1 where there is none.
std::int64_t meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  std::string unit;
  while (file >> name >> kib && std::getline(file, unit)) {
    if (name == key + ":") return kib * 1024;
  }
  return -1;
}

/// What the control group leaves us; the machine's figure where it sets no limit.
std::int64_t cgroup_room() {
  std::ifstream most_file("/sys/fs/cgroup/memory.max");
  std::ifstream now_file("/sys/fs/cgroup/memory.current");
  std::int64_t most = 0;
  std::int64_t now = 0;
  if (most_file >> most && now_file >> now) return std::max<std::int64_t>(most - now, 0);
  return INT64_MAX;
}

/// What the limit of this process (`ulimit -v`) leaves it.
std::int64_t process_room() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  std::ifstream sizes("/proc/self/statm");
  std::int64_t pages = 0;
  if (!(sizes >> pages)) return INT64_MAX;
  const std::int64_t left =
      static_cast<std::int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGE_SIZE);
  return std::max<std::int64_t>(left, 0);
}

} // namespace

Bytes host_memory() {
  return {static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE)};
}

Bytes free_host_memory() {
  const std::int64_t available = meminfo("MemAvailable");
  return {
      std::min({available < 0 ? host_memory().value : available, cgroup_room(), process_room()})};
}

HostBackend::HostBackend(DeviceId id, DeviceFacts facts) : id_(id), facts_(std::move(facts)) {}

Bytes HostBackend::free_memory() const {
  return free_host_memory();
}

void* HostBackend::allocate(std::size_t bytes) {
  // The system promises more memory than it has: refuse here what would be killed later.
  if (static_cast<std::int64_t>(bytes) > free_host_memory().value) return nullptr;
  // The emulated GPU's memory begins at pages, so that kernels see what GPUs' allocators give them.
  const std::size_t place = facts_of(id_.kind).is_emulated ? 0 : next_place();
  const std::size_t size = mapped_size(bytes);
  const std::size_t slack = size >= huge_page ? huge_page : 0;
  void* const mapped =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<char*>(mapped);
  if (slack == 0) return begin + place;
  const auto misfit = reinterpret_cast<std::uintptr_t>(begin) % huge_page;
  char* const aligned = begin + (misfit == 0 ? 0 : huge_page - misfit);
  if (aligned > begin) munmap(begin, static_cast<std::size_t>(aligned - begin));
  const auto behind = static_cast<std::size_t>(begin + size + slack - (aligned + size));
  if (behind > 0) munmap(aligned + size, behind);
  madvise(aligned, size, MADV_HUGEPAGE); // a wish: without huge pages it is only slower
  return aligned + place;
}

void HostBackend::deallocate(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  const std::size_t place = reinterpret_cast<std::uintptr_t>(memory) % page;
  munmap(static_cast<char*>(memory) - place, mapped_size(bytes));
}

void HostBackend::copy(void* /*stream*/, void* to, const void* from, std::size_t bytes,
                       CopyDirection /*direction*/) {
  if (bytes > 0) std::memcpy(to, from, bytes); // memory of no bytes is nowhere
}

void HostBackend::copy_rows(void* /*stream*/, void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                            CopyDirection /*direction*/) {
  for (std::size_t r = 0; r < rows && bytes > 0; ++r) {
    std::memcpy(static_cast<char*>(to) + r * to_pitch,
                static_cast<const char*>(from) + r * from_pitch, bytes);
  }
}

void HostBackend::fill(void* /*stream*/, void* memory, unsigned char byte, std::size_t bytes) {
  if (bytes == 0) return;
  // In parallel, so that each thread touches its share of fresh memory first.
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto share = cpu::share_of(static_cast<Index>(bytes), thread, threads, 4096);
    cpu::in_pieces(share, Index{4} << 20, [&](const cpu::Range& piece) {
      std::memset(static_cast<char*>(memory) + piece.begin, byte,
                  static_cast<std::size_t>(piece.end - piece.begin));
    });
  });
}

void HostBackend::set_now(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void HostBackend::fill_now(void* memory, unsigned char byte, std::size_t bytes) {
  if (bytes > 0) std::memset(memory, byte, bytes);
}

// Queues of the host run at once: Graph keeps the work itself and calls none of these.
void HostBackend::begin_capture(void* /*stream*/) {
  throw Failure("the host records no graphs");
}
void* HostBackend::end_capture(void* /*stream*/) {
  throw Failure("the host records no graphs");
}
void HostBackend::launch_graph(void* /*graph*/, void* /*stream*/) {
  throw Failure("the host records no graphs");
}

void* HostBackend::create_event() {
  return new Clock::time_point;
}
void HostBackend::destroy_event(void* event) noexcept {
  delete static_cast<Clock::time_point*>(event);
}
void HostBackend::record_event(void* event, void* /*stream*/) {
  *static_cast<Clock::time_point*>(event) = Clock::now();
}
Seconds HostBackend::elapsed(void* from, void* to) {
  const auto span = *static_cast<Clock::time_point*>(to) - *static_cast<Clock::time_point*>(from);
  return {std::chrono::duration<double>(span).count()};
}

} // namespace ridge
