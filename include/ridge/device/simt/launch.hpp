// Running a kernel body on the emulated GPU.
#pragma once

#include <ridge/device/launch_shape.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/device/simt/lane.hpp>

namespace ridge::simt {

/// A body without its type: what to call for one lane.
struct Kernel {
  using Run = void (*)(const void* body, Block& block, int rank, Dim3 thread);
  const char* name;
  int max_threads;
  const void* body;
  Run run;
};

/// Runs every block of the launch, spread over the host's threads. Rethrows what the first faulty
/// block, in the order of the grid, threw: later blocks may not have run. Throws Failure where a
/// GPU would refuse the shape.
void run(const Device& device, const LaunchShape& shape, const Kernel& kernel);

/// Whether a body needs the width of warps as a constant: `Body::constant_width`.
template <class Body>
inline constexpr bool constant_width = requires {
  requires Body::constant_width;
};

template <int Width, class Body>
void run_lane(const void* body, Block& block, int rank, Dim3 thread) {
  const Lane<Width> lane(block, rank, thread);
  (*static_cast<const Body*>(body))(lane);
}

/// A launch of `body` under `shape` on an emulated GPU, at the warp width of the queue's device. It
/// has ended when the call returns, which throws Fault when a lane does what a GPU must not,
/// Failure when the launch is refused, and whatever the body throws.
template <class Body>
class Ready {
public:
  Ready(Queue& queue, const LaunchShape& shape, const Body& ready_body)
      : body(ready_body), shape_(shape), queue_(&queue) {}

  void operator()() {
    Kernel::Run run_one = nullptr;
    if constexpr (constant_width<Body>) {
      const bool wide = queue_->device().id().number == 64;
      run_one = wide ? &run_lane<64, Body> : &run_lane<32, Body>;
    } else {
      run_one = &run_lane<0, Body>;
    }
    run(queue_->device(), shape_, {Body::name, Body::max_threads, &body, run_one});
  }

  Body body; ///< what the next launch takes

private:
  LaunchShape shape_;
  Queue* queue_;
};

} // namespace ridge::simt
