// A library that the CUDA driver loads into a program (CUDA_INJECTION64_PATH): it writes when
// kernels, copies and calls of CUDA began and ended, a line each, to the file timeline.PID in the
// folder that RIDGE_TIMELINE names. It is linked to nothing of Ridge, and opens CUPTI itself, since
// the program may have one of its own.
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
/// Lines of calls in one file at most; kernels and copies are always written.
constexpr std::uint64_t most_calls = 2'000'000;

#if CUPTI_API_VERSION >= 130000
using KernelActivity = CUpti_ActivityKernel10;
#else
using KernelActivity = CUpti_ActivityKernel9;
#endif

/// Functions of CUPTI that are called.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityFlushPeriod) flush_period = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiGetCallbackName) name_of = nullptr;

  bool open() {
    constexpr std::array names{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    void* library = nullptr;
    const auto attempt = [&](const std::string& file, int more = 0) {
      if (library == nullptr) library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | more);
    };
    for (const char* const name : names)
      attempt(name, RTLD_NOLOAD); // the program's own
    if (const char* const given = std::getenv("RIDGE_CUPTI")) attempt(given);
    for (const char* const name : names)
      attempt(name);
    const char* const home = std::getenv("CUDA_HOME");
    for (const char* const folder : {"/extras/CUPTI/lib64/", "/lib64/"})
      attempt(std::string(home != nullptr ? home : "/usr/local/cuda") + folder + "libcupti.so");
    if (library == nullptr) return false;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find(register_callbacks, "cuptiActivityRegisterCallbacks") &&
           find(enable, "cuptiActivityEnable") && find(flush_all, "cuptiActivityFlushAll") &&
           find(flush_period, "cuptiActivityFlushPeriod") &&
           find(next, "cuptiActivityGetNextRecord") && find(name_of, "cuptiGetCallbackName");
  }
};

Cupti cupti;
std::FILE* out = nullptr;
std::mutex writing;
pid_t owner = 0; // a child that is forked leaves the file alone
std::uint64_t calls = 0;
std::int64_t held = 0, most_held = 0; // bytes of the device that are allocated

void write_kernel(const KernelActivity& k) {
  std::fprintf(out, "K\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%d\t%d\t%d\t%d\t%d\t%d\t%u\t%d\t%s\n",
               k.start, k.end, k.deviceId, k.streamId, k.gridX, k.gridY, k.gridZ, k.blockX,
               k.blockY, k.blockZ, k.registersPerThread,
               k.staticSharedMemory + k.dynamicSharedMemory, k.name != nullptr ? k.name : "?");
}

void write_call(const CUpti_ActivityAPI& call) {
  if (++calls > most_calls) return;
  const char* name = nullptr;
  const bool driver = call.kind == CUPTI_ACTIVITY_KIND_DRIVER;
  cupti.name_of(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, call.cbid,
                &name);
  if (name != nullptr)
    std::fprintf(out, "A\t%" PRIu64 "\t%" PRIu64 "\t%s\n", call.start, call.end, name);
}

void count_memory(const CUpti_ActivityMemory4& m) {
  if (m.memoryKind != CUPTI_ACTIVITY_MEMORY_KIND_DEVICE) return;
  const bool is_taken = m.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  held += is_taken ? static_cast<std::int64_t>(m.bytes) : -static_cast<std::int64_t>(m.bytes);
  if (held <= most_held) return;
  most_held = held;
  std::fprintf(out, "M\t%" PRId64 "\n", most_held);
}

void write(const CUpti_Activity& record) {
  switch (record.kind) {
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    write_kernel(reinterpret_cast<const KernelActivity&>(record));
    break;
  case CUPTI_ACTIVITY_KIND_MEMCPY: {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
    std::fprintf(out, "C\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%u\t%" PRIu64 "\n", copy.start,
                 copy.end, copy.copyKind, copy.srcKind, copy.dstKind, copy.bytes);
    break;
  }
  case CUPTI_ACTIVITY_KIND_MEMSET: {
    const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
    std::fprintf(out, "S\t%" PRIu64 "\t%" PRIu64 "\n", set.start, set.end);
    break;
  }
  case CUPTI_ACTIVITY_KIND_RUNTIME:
  case CUPTI_ACTIVITY_KIND_DRIVER:
    write_call(reinterpret_cast<const CUpti_ActivityAPI&>(record));
    break;
  case CUPTI_ACTIVITY_KIND_MEMORY2:
    count_memory(reinterpret_cast<const CUpti_ActivityMemory4&>(record));
    break;
  default:
    break;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer != nullptr ? buffer_bytes : 0;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  const std::lock_guard<std::mutex> lock(writing);
  CUpti_Activity* record = nullptr;
  while (out != nullptr && cupti.next(buffer, valid, &record) == CUPTI_SUCCESS)
    write(*record);
  if (out != nullptr) std::fflush(out);
  std::free(buffer);
}

void finish() {
  if (getpid() != owner) return;
  cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard<std::mutex> lock(writing);
  if (out == nullptr) return;
  if (calls > most_calls) std::fprintf(out, "L\t%" PRIu64 "\n", calls - most_calls);
  std::fclose(out);
  out = nullptr;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return 1;
  const char* const folder = std::getenv("RIDGE_TIMELINE");
  if (folder == nullptr) return 1;
  // Also where CUPTI is not here: the file says that the program uses CUDA.
  const std::string file = std::string(folder) + "/timeline." + std::to_string(getpid());
  out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return 1;
  if (!cupti.open()) {
    std::fclose(out);
    out = nullptr;
    return 1;
  }
  owner = getpid();
  cupti.register_callbacks(give_buffer, take_buffer);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
        CUPTI_ACTIVITY_KIND_MEMORY2}) {
    if (cupti.enable(kind) != CUPTI_SUCCESS) std::fprintf(out, "N\t%d\n", static_cast<int>(kind));
  }
  cupti.flush_period(200); // ms: a program that ends by a signal has left most of it
  std::atexit(finish);
  return 1;
}
