// Writes down what kernels and copies of a process did on its GPU, and when. No program is changed
// for it:
//
//   g++ -std=c++20 -O2 -shared -fPIC bench/timeline.cpp -o timeline.so -lcupti
//   export CUDA_INJECTION64_PATH=$PWD/timeline.so RIDGE_TIMELINE=FOLDER
//   mpirun -n 2 ridge bench laplacian --size 512x512x512
//   bench/timeline.py FOLDER > timeline.svg
//
// CUPTI comes with CUDA: -I$CUDA/include -L$CUDA/lib64 where it is not found.
// Each rank writes FOLDER/RANK.tsv: begin and end in nanoseconds, queue, name. Nodes of graphs are
// records of their own.
#include <cupti.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Activity {
  std::uint64_t begin, end;
  std::uint32_t queue;
  std::string name;
};

constexpr std::size_t buffer_bytes = std::size_t{8} << 20U;
constexpr std::size_t most_kept = 1U << 20U; // the last of a long run
constexpr std::size_t alignment = 8;         // of CUPTI's records

std::mutex guard;
std::vector<Activity> kept;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
  *bytes = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                          std::size_t /*bytes*/, std::size_t filled) {
  const std::lock_guard lock(guard);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      kept.push_back({kernel->start, kernel->end, kernel->streamId, kernel->name});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      kept.push_back({copy->start, copy->end, copy->streamId, "copy"});
    }
  }
  std::free(buffer);
  if (kept.size() > 2 * most_kept) {
    kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(most_kept));
  }
}

const char* variable(std::initializer_list<const char*> names, const char* otherwise) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name); value != nullptr) {
      return value;
    }
  }
  return otherwise;
}

void write() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(guard);
  if (kept.empty()) { // a process that this one began
    return;
  }
  const std::string path = std::string(variable({"RIDGE_TIMELINE"}, ".")) + "/" +
                           variable({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, "0") + ".tsv";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::perror(path.c_str());
    return;
  }
  std::sort(kept.begin(), kept.end(),
            [](const Activity& a, const Activity& b) { return a.begin < b.begin; });
  for (const Activity& one : kept) {
    std::fprintf(file, "%llu\t%llu\t%u\t%s\n", static_cast<unsigned long long>(one.begin),
                 static_cast<unsigned long long>(one.end), one.queue, one.name.c_str());
  }
  std::fclose(file);
}

} // namespace

// The driver calls it when CUDA_INJECTION64_PATH names this library.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY}) {
    if (cuptiActivityEnable(kind) != CUPTI_SUCCESS) {
      std::fputs("timeline: CUPTI refuses to record what the GPU does\n", stderr);
      return 0;
    }
  }
  if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) {
    std::fputs("timeline: CUPTI takes no buffers\n", stderr);
    return 0;
  }
  std::atexit(write);
  return 1;
}
