// What a GPU's streams record: as the runtime tells it, and what is kept as long as the graphs.
#pragma once

#include <ridge/device/gpu/native.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// While one lives, this thread may make memory and the like although a stream records: what is
/// made is for the graph, and no part of it. HIP knows no such thing in the versions that we build
/// with.
class MayMake {
public:
#if defined(RIDGE_TARGET_CUDA)
  MayMake() {
    (void)cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  ~MayMake() {
    (void)cudaThreadExchangeStreamCaptureMode(&mode_);
  }
#else
  MayMake() = default;
  ~MayMake() {} // NOLINT(modernize-use-equals-default): one that does something, as on CUDA
#endif
  MayMake(const MayMake&) = delete;
  MayMake& operator=(const MayMake&) = delete;

private:
#if defined(RIDGE_TARGET_CUDA)
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
#endif
};

/// What graphs keep. When a graph goes, the runtime says so from a thread that must not call it:
/// what was kept is put aside, and destroyed later.
class Recordings {
public:
  /// The recording that a stream is in; 0: none.
  [[nodiscard]] std::uint64_t of(Stream stream) {
    if (stream == nullptr) return 0; // the default stream cannot record, nor be asked meanwhile
    RIDGE_NATIVE(StreamCaptureStatus) status = RIDGE_NATIVE(StreamCaptureStatusNone);
    unsigned long long id = 0;
#if defined(RIDGE_TARGET_CUDA) && CUDART_VERSION < 12000
    check(cudaStreamGetCaptureInfo_v2(stream, &status, &id), "asking what a queue records");
#else
    check(RIDGE_NATIVE(StreamGetCaptureInfo)(stream, &status, &id), "asking what a queue records");
#endif
    if (status == RIDGE_NATIVE(StreamCaptureStatusNone)) {
      if (state_->any_gone) destroy_gone();
      return 0;
    }
    return id + 1; // whatever they begin with
  }

  void keep(Stream stream, std::shared_ptr<const void> what) {
    auto kept = std::make_unique<Kept>(Kept{state_, std::move(what)});
#if defined(RIDGE_TARGET_CUDA)
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
#if CUDART_VERSION < 12000
    check(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph), "asking what a queue records");
#else
    check(cudaStreamGetCaptureInfo(stream, &status, &id, &graph), "asking what a queue records");
#endif
    if (status != cudaStreamCaptureStatusActive || graph == nullptr)
      throw Failure("the queue records nothing that something could be kept with");
    cudaUserObject_t object = nullptr;
    check(cudaUserObjectCreate(&object, kept.get(), &put_aside, 1, cudaUserObjectNoDestructorSync),
          "keeping what a graph needs");
    (void)kept.release(); // put_aside takes it
    check(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove),
          "keeping what a graph needs");
#else
    (void)stream;
    (void)kept.release(); // nothing tells when a graph goes: for good
#endif
  }

private:
  struct State {
    std::atomic<bool> any_gone{false};
    std::mutex guard;
    std::vector<std::shared_ptr<const void>> gone;
  };
  struct Kept {
    std::shared_ptr<State> state;
    std::shared_ptr<const void> what;
  };

  static void put_aside(void* pointer) {
    const std::unique_ptr<Kept> kept(static_cast<Kept*>(pointer));
    const std::scoped_lock lock(kept->state->guard);
    kept->state->gone.push_back(std::move(kept->what));
    kept->state->any_gone = true;
  }
  void destroy_gone() {
    std::vector<std::shared_ptr<const void>> gone;
    const std::scoped_lock lock(state_->guard);
    gone.swap(state_->gone);
    state_->any_gone = false;
  }

  std::shared_ptr<State> state_ = std::make_shared<State>(); ///< as long as a graph keeps anything
};

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
