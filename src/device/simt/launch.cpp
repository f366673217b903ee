#include <ridge/core/error.hpp>
#include <ridge/device/cpu/guest.hpp>
#include <ridge/device/cpu/pause.hpp>

#include "../cpu/running.hpp"
#include "scheduler.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace ridge::simt {

namespace {

constexpr int max_block_z = 64;
constexpr int max_grid_yz = 65535;
/// Each may need the stacks of 1024 lanes, and a stack with its guard page is two of the 65530
/// memory mappings that Linux grants a process.
constexpr int max_host_threads = 16;

std::string to_text(const Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

/// Refuses what a GPU refuses.
void check(const Device& device, const LaunchShape& shape, const Kernel& kernel) {
  const auto refuse = [&](const std::string& why) {
    throw Failure(fmt::format("kernel '{}' cannot be launched: {}", kernel.name, why));
  };
  if (device.kind() != DeviceKind::simt)
    refuse(fmt::format("it is compiled for simt:32 and simt:64, and the queue is of {}",
                       ridge::to_text(device.id())));
  const Dim3 &grid = shape.grid, &block = shape.block;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.y > max_grid_yz || grid.z > max_grid_yz)
    refuse(fmt::format("grid {}; extents are at least 1, and at most {} in y and z", to_text(grid),
                       max_grid_yz));
  const int most = std::min(kernel.max_threads, max_block_threads);
  // Each extent on its own first: the product of three large ones does not fit.
  if (block.x < 1 || block.y < 1 || block.z < 1 || block.x > most || block.y > most ||
      block.z > max_block_z || block.count() > most)
    refuse(fmt::format("block {}; extents are at least 1, at most {} in z, and a block of this "
                       "kernel has at most {} threads",
                       to_text(block), max_block_z, most));
  const Bytes room = device.facts().shared_per_block;
  if (shape.shared_bytes < 0 || shape.shared_bytes > room.value)
    refuse(fmt::format("{} bytes of shared memory; 0 to {} are there", shape.shared_bytes,
                       room.value));
}

/// What the earliest faulty block of a grid threw.
class FirstFailure {
public:
  explicit FirstFailure(long long blocks) : block_(blocks) {}

  /// False for blocks behind a faulty one, which need not run.
  [[nodiscard]] bool wanted(long long block) const {
    return block < block_.load(std::memory_order_relaxed);
  }
  void note(long long block, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!wanted(block)) return;
    block_.store(block, std::memory_order_relaxed);
    failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  std::mutex mutex_;
  std::atomic<long long> block_;
  std::exception_ptr failure_;
};

/// Kept from launch to launch for its stacks.
Scheduler& scheduler_of_this_thread() {
  thread_local Scheduler scheduler;
  return scheduler;
}

Dim3 block_index(long long block, const Dim3& grid) {
  const long long row = block / grid.x;
  return {static_cast<int>(block % grid.x), static_cast<int>(row % grid.y),
          static_cast<int>(row / grid.y)};
}

} // namespace

int host_threads() {
  // OpenMP counts the cores that the process had when it started: ranks share theirs later, and
  // threads without a core of their own spin while they wait for each other.
  return std::min(cpu::default_threads(), max_host_threads);
}

void run(const Device& device, const LaunchShape& shape, const Kernel& kernel) {
  check(device, shape, kernel);
  const long long blocks = shape.grid.count();
  const int threads = static_cast<int>(std::min<long long>(blocks, host_threads()));
  const long long chunk = std::clamp<long long>(blocks / (threads * 16LL), 1, 256);
  FirstFailure failure(blocks);
  std::atomic<long long> next{0};

  // Blocks are handed out in the order of the grid: all before a faulty one run, so that which one
  // is reported does not depend on the number of threads.
  cpu::Running launch;
  cpu::with_team([&] {
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      const cpu::WorksFor one(launch, omp_get_thread_num() == 0);
      long long block = 0;
      try {
        Scheduler& scheduler = scheduler_of_this_thread();
        const Scheduler::Session session(scheduler, shape, kernel, device.id().number);
        while ((block = next.fetch_add(chunk)) < blocks && failure.wanted(block))
          for (const long long end = std::min(block + chunk, blocks); block < end; ++block)
            if (failure.wanted(block) && cpu::goes_on())
              scheduler.run_block(block_index(block, shape.grid));
      } catch (...) {
        failure.note(block, std::current_exception());
      }
    }
  });
  failure.rethrow();
  launch.rethrow();
}

} // namespace ridge::simt
