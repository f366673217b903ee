#include <ridge/device/cpu/guest.hpp>
#include <ridge/device/cpu/parallel.hpp>

#include "topology.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

namespace ridge::cpu {

namespace {

/// Binds the calling thread to the core its number names, unless the user placed threads already.
void pin(int thread) {
  thread_local int pinned_to = -1;
  static const bool placed_by_user =
      std::getenv("OMP_PROC_BIND") != nullptr || std::getenv("OMP_PLACES") != nullptr;
  const auto& cores = topology().core_cpus;
  if (placed_by_user || static_cast<std::size_t>(thread) >= cores.size()) return;
  const int cpu = cores[static_cast<std::size_t>(thread)];
  if (pinned_to == cpu) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  if (sched_setaffinity(0, sizeof(set), &set) == 0) pinned_to = cpu; // a wish, not a need
}

std::atomic<bool> guest{false};

/// Forks between the first process and this one.
int forks() {
  static std::atomic<int> count{0};
  static const bool counting = pthread_atfork(nullptr, nullptr, [] { ++count; }) == 0;
  return counting ? count.load(std::memory_order_relaxed) : 0;
}

void run_team(int team, const FunctionRef<void(int, int)>& work) {
  std::exception_ptr failure;
  std::mutex failure_guard;
#pragma omp parallel num_threads(team)
  {
    const int thread = omp_get_thread_num();
    if (thread > 0 || !guest.load(std::memory_order_relaxed)) pin(thread);
    try {
      work(thread, omp_get_num_threads());
    } catch (...) {
      const std::lock_guard lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

} // namespace

void be_a_guest() {
  guest = true;
}

void with_team(FunctionRef<void()> work) {
  thread_local const int born_after = forks();
  if (born_after == forks()) {
    work();
    return;
  }
  std::exception_ptr failure;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

int default_threads() {
  static const int threads = [] {
    const int cores = static_cast<int>(topology().core_cpus.size());
    return std::getenv("OMP_NUM_THREADS") != nullptr ? omp_get_max_threads() : cores;
  }();
  return threads;
}

void run(int threads, FunctionRef<void(int, int)> work) {
  const int team = std::max(threads, 1);
  if (team == 1) {
    work(0, 1);
    return;
  }
  with_team([&] { run_team(team, work); });
}

} // namespace ridge::cpu
