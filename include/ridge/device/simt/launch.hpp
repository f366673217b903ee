// Running a kernel body on the emulated GPU.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/device/simt/lane.hpp>

namespace ridge {
struct LaunchShape; // in ridge/device/launch.hpp, which includes this header
}

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

template <int Width, class Body>
void run_lane(const void* body, Block& block, int rank, Dim3 thread) {
  const Lane<Width> lane(block, rank, thread);
  (*static_cast<const Body*>(body))(lane);
}

/// Runs `body` under `shape` on an emulated GPU, at the warp width of the queue's device, and
/// returns when it is done. Throws Fault when a lane does what a GPU must not, Failure when the
/// launch is refused, and whatever the body throws.
template <class Body>
void launch(Queue& queue, const LaunchShape& shape, const Body& body) {
  const Kernel::Run lane32 = &run_lane<32, Body>, lane64 = &run_lane<64, Body>;
  const bool wide = queue.device().id().number == 64;
  run(queue.device(), shape, {Body::name, Body::max_threads, &body, wide ? lane64 : lane32});
}

} // namespace ridge::simt
