// One source, compiled for CUDA and for HIP.
#include <ridge/device/gpu/backend.hpp>
#include <ridge/device/gpu/native.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/order.hpp>
#include <ridge/device/reach.hpp>
#include <ridge/device/replay.hpp>

#include "recordings.hpp"

#if defined(RIDGE_TARGET_HIP)
#include "../hip/image.hpp"
#elif CUDART_VERSION >= 12080
#include "../cuda/image.hpp"
#endif
#if defined(RIDGE_TARGET_CUDA)
#include "../cuda/tiles.hpp"
#endif

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

namespace {

using gpu::check;

#if defined(RIDGE_TARGET_CUDA)
constexpr DeviceKind this_kind = DeviceKind::cuda;
using Properties = cudaDeviceProp;
#else
constexpr DeviceKind this_kind = DeviceKind::hip;
using Properties = hipDeviceProp_t;
#endif

std::string architecture(const Properties& properties) {
#if defined(RIDGE_TARGET_CUDA)
  return "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
#else
  const std::string_view name = properties.gcnArchName;
  return std::string(name.substr(0, name.find(':')));
#endif
}

auto native(CopyDirection direction) {
  switch (direction) {
  case CopyDirection::to_device:
    return RIDGE_NATIVE(MemcpyHostToDevice);
  case CopyDirection::to_host:
    return RIDGE_NATIVE(MemcpyDeviceToHost);
  case CopyDirection::on_device:
    break;
  }
  return RIDGE_NATIVE(MemcpyDeviceToDevice);
}

gpu::Status allocate_pinned(void** memory, std::size_t bytes) {
#if defined(RIDGE_TARGET_CUDA)
  return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
#else
  return hipHostMalloc(memory, bytes, hipHostMallocDefault);
#endif
}

DeviceFacts read_facts(int number) {
  Properties p{};
  check(RIDGE_NATIVE(GetDeviceProperties)(&p, number), "reading the GPU's properties");
  DeviceFacts facts;
  facts.name = p.name;
  facts.architecture = architecture(p);
  facts.units = p.multiProcessorCount;
  facts.warp_width = p.warpSize;
  facts.max_block_threads = p.maxThreadsPerBlock;
#if defined(RIDGE_TARGET_CUDA)
  facts.shared_per_block = {static_cast<std::int64_t>(p.sharedMemPerBlockOptin)};
  facts.l1 = {static_cast<std::int64_t>(p.sharedMemPerMultiprocessor)};
#else
  facts.shared_per_block = {static_cast<std::int64_t>(p.sharedMemPerBlock)};
  facts.l1 = {16 << 10};
#endif
  facts.l2 = {p.l2CacheSize};
  facts.last_level_cache = facts.l2;
  facts.memory = {static_cast<std::int64_t>(p.totalGlobalMem)};
  return facts;
}

class GpuBackend : public Backend {
public:
  explicit GpuBackend(int number) : id_{this_kind, number}, facts_(read_facts(number)) {}

  [[nodiscard]] DeviceId id() const override { return id_; }
  [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
  [[nodiscard]] Bytes free_memory() const override {
    use();
    std::size_t free = 0;
    std::size_t total = 0;
    check(RIDGE_NATIVE(MemGetInfo)(&free, &total), "asking for free GPU memory");
    return {static_cast<std::int64_t>(free)};
  }

  ~GpuBackend() override {
    if (apart_ != nullptr) (void)RIDGE_NATIVE(StreamDestroy)(apart_);
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    use();
    const gpu::MayMake may_make;
    void* memory = nullptr;
    const gpu::Status status = RIDGE_NATIVE(Malloc)(&memory, bytes > 0 ? bytes : 1);
    if (status == RIDGE_NATIVE(ErrorMemoryAllocation)) {
      (void)RIDGE_NATIVE(GetLastError)();
      return nullptr;
    }
    check(status, "allocating GPU memory");
    const std::scoped_lock lock(allocations_mutex_);
    allocations_[static_cast<const char*>(memory)] = bytes;
    return memory;
  }
  void deallocate(void* memory, std::size_t /*bytes*/) noexcept override {
    {
      const std::scoped_lock lock(allocations_mutex_);
      allocations_.erase(static_cast<const char*>(memory));
    }
    const gpu::MayMake may_make;
    (void)RIDGE_NATIVE(Free)(memory); // nothing to be done about a failure here
  }

  [[nodiscard]] std::optional<ExportedMemory> export_memory(const void* data) override {
    const auto* const at = static_cast<const char*>(data);
    const char* base = nullptr; // handles are of whole allocations
    {
      const std::scoped_lock lock(allocations_mutex_);
      auto after = allocations_.upper_bound(at);
      if (after == allocations_.begin()) return std::nullopt;
      const auto& [begin, bytes] = *--after;
      if (at >= begin + bytes) return std::nullopt;
      base = begin;
    }
    use();
    RIDGE_NATIVE(IpcMemHandle_t) handle{};
    if (RIDGE_NATIVE(IpcGetMemHandle)(&handle, const_cast<char*>(base)) != RIDGE_NATIVE(Success)) {
      (void)RIDGE_NATIVE(GetLastError)();
      return std::nullopt;
    }
    ExportedMemory memory;
    static_assert(sizeof(handle) == sizeof(memory.handle));
    std::memcpy(memory.handle.data(), &handle, sizeof(handle));
    memory.offset = at - base;
    return memory;
  }
  [[nodiscard]] void* import_memory(const ExportedMemory& memory) override {
    use();
    RIDGE_NATIVE(IpcMemHandle_t) handle{};
    std::memcpy(&handle, memory.handle.data(), sizeof(handle));
    void* data = nullptr;
    check(RIDGE_NATIVE(IpcOpenMemHandle)(&data, handle, RIDGE_NATIVE(IpcMemLazyEnablePeerAccess)),
          "reaching memory of another GPU");
    return data;
  }
  void release_imported(void* memory) noexcept override {
    (void)RIDGE_NATIVE(IpcCloseMemHandle)(memory);
  }

  [[nodiscard]] void* allocate_staging(std::size_t bytes) override {
    use();
    const gpu::MayMake may_make;
    void* memory = nullptr;
    if (allocate_pinned(&memory, bytes > 0 ? bytes : 1) == RIDGE_NATIVE(Success)) {
      return memory;
    }
    (void)RIDGE_NATIVE(GetLastError)();
    return nullptr;
  }
  void deallocate_staging(void* memory, std::size_t /*bytes*/) noexcept override {
    const gpu::MayMake may_make;
#if defined(RIDGE_TARGET_CUDA)
    (void)cudaFreeHost(memory);
#else
    (void)hipHostFree(memory);
#endif
  }

  [[nodiscard]] void* create_stream() override {
    use();
    gpu::Stream stream = nullptr;
    if (making_urgent_queue()) {
      int least = 0;
      int greatest = 0;
      check(RIDGE_NATIVE(DeviceGetStreamPriorityRange)(&least, &greatest),
            "asking for the priorities of streams");
      check(RIDGE_NATIVE(StreamCreateWithPriority)(&stream, RIDGE_NATIVE(StreamDefault), greatest),
            "creating a stream");
    } else {
      check(RIDGE_NATIVE(StreamCreateWithFlags)(&stream, is_recording_apart()
                                                             ? RIDGE_NATIVE(StreamNonBlocking)
                                                             : RIDGE_NATIVE(StreamDefault)),
            "creating a stream");
    }
    return stream;
  }
  void destroy_stream(void* stream) noexcept override {
    (void)RIDGE_NATIVE(StreamDestroy)(static_cast<gpu::Stream>(stream));
  }
  void wait(void* stream) override {
    check(RIDGE_NATIVE(StreamSynchronize)(static_cast<gpu::Stream>(stream)), "waiting for a queue");
  }

  void copy(void* stream, void* to, const void* from, std::size_t bytes,
            CopyDirection direction) override {
    check(RIDGE_NATIVE(MemcpyAsync)(to, from, bytes, native(direction),
                                    static_cast<gpu::Stream>(stream)),
          "copying memory");
  }
  void copy_rows(void* stream, void* to, std::size_t to_pitch, const void* from,
                 std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                 CopyDirection direction) override {
    check(RIDGE_NATIVE(Memcpy2DAsync)(to, to_pitch, from, from_pitch, bytes, rows,
                                      native(direction), static_cast<gpu::Stream>(stream)),
          "copying rows of memory");
  }
  void fill(void* stream, void* memory, unsigned char byte, std::size_t bytes) override {
    check(RIDGE_NATIVE(MemsetAsync)(memory, byte, bytes, static_cast<gpu::Stream>(stream)),
          "filling memory");
  }
  void set_now(void* to, const void* from, std::size_t bytes) override {
    on_stream_apart([&](gpu::Stream stream) {
      check(RIDGE_NATIVE(MemcpyAsync)(to, from, bytes, RIDGE_NATIVE(MemcpyHostToDevice), stream),
            "copying memory");
    });
  }
  void fill_now(void* memory, unsigned char byte, std::size_t bytes) override {
    on_stream_apart([&](gpu::Stream stream) {
      check(RIDGE_NATIVE(MemsetAsync)(memory, byte, bytes, stream), "filling memory");
    });
  }

  void begin_capture(void* stream) override {
    use();
    check(RIDGE_NATIVE(StreamBeginCapture)(static_cast<gpu::Stream>(stream),
                                           RIDGE_NATIVE(StreamCaptureModeThreadLocal)),
          "beginning to record a graph");
  }
  [[nodiscard]] void* end_capture(void* stream) override {
    RIDGE_NATIVE(Graph_t) recorded = nullptr;
    check(RIDGE_NATIVE(StreamEndCapture)(static_cast<gpu::Stream>(stream), &recorded),
          "recording a graph");
    RIDGE_NATIVE(GraphExec_t) graph = nullptr;
#if defined(RIDGE_TARGET_CUDA)
    // Else all of it would have the priority of the queue that it is launched on.
    const unsigned flags = is_recording_apart() ? 0 : cudaGraphInstantiateFlagUseNodePriority;
    const gpu::Status made = cudaGraphInstantiate(&graph, recorded, flags);
#else
    const gpu::Status made = hipGraphInstantiate(&graph, recorded, nullptr, nullptr, 0);
#endif
    (void)RIDGE_NATIVE(GraphDestroy)(recorded);
    check(made, "making a graph");
    return graph;
  }
  void launch_graph(void* graph, void* stream) override {
    if (stream == nullptr) use(); // each GPU has a default stream
    check(RIDGE_NATIVE(GraphLaunch)(static_cast<RIDGE_NATIVE(GraphExec_t)>(graph),
                                    static_cast<gpu::Stream>(stream)),
          "launching a graph");
  }
  void destroy_graph(void* graph) noexcept override {
    (void)RIDGE_NATIVE(GraphExecDestroy)(static_cast<RIDGE_NATIVE(GraphExec_t)>(graph));
  }
  [[nodiscard]] std::uint64_t recording(void* stream) override {
    return recordings_.of(static_cast<gpu::Stream>(stream));
  }
  void keep_with_recording(void* stream, std::shared_ptr<const void> what) override {
    recordings_.keep(static_cast<gpu::Stream>(stream), std::move(what));
  }
  void begin_binding() override {
    binding().emplace_back(std::make_unique<gpu::MayMake>());
  }
  void end_binding() noexcept override {
    binding().pop_back();
  }

  [[nodiscard]] void* create_event() override {
    use();
    gpu::NativeEvent event = nullptr;
    check(RIDGE_NATIVE(EventCreate)(&event), "creating an event");
    return event;
  }
  void destroy_event(void* event) noexcept override {
    (void)RIDGE_NATIVE(EventDestroy)(static_cast<gpu::NativeEvent>(event));
  }
  void record_event(void* event, void* stream) override {
    check(RIDGE_NATIVE(EventRecord)(static_cast<gpu::NativeEvent>(event),
                                    static_cast<gpu::Stream>(stream)),
          "recording an event");
  }
  [[nodiscard]] Seconds elapsed(void* from, void* to) override {
    check(RIDGE_NATIVE(EventSynchronize)(static_cast<gpu::NativeEvent>(to)),
          "waiting for an event");
    float milliseconds = 0;
    check(RIDGE_NATIVE(EventElapsedTime)(&milliseconds, static_cast<gpu::NativeEvent>(from),
                                         static_cast<gpu::NativeEvent>(to)),
          "reading the time between events");
    return {static_cast<double>(milliseconds) * 1e-3};
  }

#if defined(RIDGE_TARGET_HIP)
  [[nodiscard]] std::shared_ptr<KernelImage> load_image(const void* image) override {
    return std::make_shared<gpu::HipImage>(id_.number, image);
  }
#elif CUDART_VERSION >= 12080
  [[nodiscard]] std::shared_ptr<KernelImage> load_image(const void* image) override {
    const gpu::MayMake may_make;
    return std::make_shared<gpu::CudaImage>(id_.number, image);
  }
#endif
#if defined(RIDGE_TARGET_CUDA)
  [[nodiscard]] TileMap tile_map(const TiledField& field) override {
    use();
    return gpu::cuda_tiles(field);
  }
#endif

private:
  static std::vector<std::unique_ptr<gpu::MayMake>>& binding() {
    thread_local std::vector<std::unique_ptr<gpu::MayMake>> all;
    return all;
  }
  void use() const {
    check(RIDGE_NATIVE(SetDevice)(id_.number), "selecting the GPU");
  }
  /// Does `work` on a stream that no other waits for, and waits for it.
  template <class Work>
  void on_stream_apart(const Work& work) {
    use();
    const gpu::MayMake may_make;
    const std::scoped_lock lock(apart_mutex_);
    if (apart_ == nullptr) {
      check(RIDGE_NATIVE(StreamCreateWithFlags)(&apart_, RIDGE_NATIVE(StreamNonBlocking)),
            "creating a stream");
    }
    work(apart_);
    check(RIDGE_NATIVE(StreamSynchronize)(apart_), "waiting for a queue");
  }

  DeviceId id_;
  DeviceFacts facts_;
  std::mutex allocations_mutex_;
  std::map<const char*, std::size_t> allocations_; ///< what can be exported
  std::mutex apart_mutex_;
  gpu::Stream apart_ = nullptr;
  gpu::Recordings recordings_;
};

std::shared_ptr<Backend> open(int number) {
  return std::make_shared<GpuBackend>(number);
}

/// Asked once: a driver's answer does not change while we run, and asking can take tens of ms.
int count_devices() {
  static const int known = [] {
    int count = 0;
    if (RIDGE_NATIVE(GetDeviceCount)(&count) == RIDGE_NATIVE(Success)) return count;
    (void)RIDGE_NATIVE(GetLastError)(); // no driver or no GPU is not an error here
    return 0;
  }();
  return known;
}

void wait_for_event(void* stream, void* event) {
  check(RIDGE_NATIVE(StreamWaitEvent)(static_cast<gpu::Stream>(stream),
                                      static_cast<gpu::NativeEvent>(event), 0),
        "making a queue wait for another");
}

bool reach_memory(int number, const void* memory) {
  check(RIDGE_NATIVE(SetDevice)(number), "selecting the GPU");
#if defined(RIDGE_TARGET_CUDA)
  cudaPointerAttributes found{};
  const gpu::Status status = cudaPointerGetAttributes(&found, memory);
  const bool known = status == cudaSuccess && found.type != cudaMemoryTypeUnregistered;
#else
  hipPointerAttribute_t found{};
  const gpu::Status status = hipPointerGetAttributes(&found, memory);
  const bool known = status == hipSuccess;
#endif
  if (status != RIDGE_NATIVE(Success)) (void)RIDGE_NATIVE(GetLastError)();
  if (known) return true;
  int shares = 0;
#if defined(RIDGE_TARGET_CUDA)
  constexpr auto all_memory = cudaDevAttrPageableMemoryAccess;
#else
  constexpr auto all_memory = hipDeviceAttributePageableMemoryAccess;
#endif
  check(RIDGE_NATIVE(DeviceGetAttribute)(&shares, all_memory, number),
        "asking what memory the GPU reads");
  return shares != 0;
}

const Offer reaches_memory(this_kind, typeid(ReachMemory*), &reach_memory);
const Offer waits(this_kind, typeid(WaitForEvent*), &wait_for_event);
const Offer counts(this_kind, typeid(CountGpus*), &count_devices);
const Offer opens(this_kind, typeid(OpenGpu*), &open);

} // namespace

} // namespace ridge
