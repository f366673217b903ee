#include <ridge/device/cpu/guest.hpp>
#include <ridge/device/cpu/pause.hpp>

#include "running.hpp"
#include "topology.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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

/// Short launches never ask, and long ones need not ask often.
constexpr std::chrono::milliseconds between_questions{50};

std::atomic<Ask> asked{nullptr};

/// The launch that the calling thread works for.
struct Worked {
  Running* launch = nullptr;
  bool leads = false;
  bool may_ask = true;
};
Worked& worked() {
  thread_local Worked mine;
  return mine;
}

/// Forks between the first process and this one.
int forks() {
  static std::atomic<int> count{0};
  static const bool counting = pthread_atfork(nullptr, nullptr, [] { ++count; }) == 0;
  return counting ? count.load(std::memory_order_relaxed) : 0;
}

void run_team(int team, const FunctionRef<void(int, int)>& work) {
  std::exception_ptr failure;
  std::mutex failure_guard;
  Running launch;
#pragma omp parallel num_threads(team)
  {
    const int thread = omp_get_thread_num();
    if (thread > 0 || !guest.load(std::memory_order_relaxed)) pin(thread);
    const WorksFor one(launch, thread == 0);
    try {
      work(thread, omp_get_num_threads());
    } catch (...) {
      const std::lock_guard lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  launch.rethrow();
}

} // namespace

void ask_between_pieces(Ask ask) {
  asked = ask;
}

void ask_nobody_here() {
  worked().may_ask = false;
}

bool goes_on() {
  const Worked& mine = worked();
  return mine.launch == nullptr || mine.launch->goes_on(mine.leads && mine.may_ask);
}

bool Running::goes_on(bool leads) {
  if (ended_.load(std::memory_order_relaxed)) return false;
  if (!leads) return true;
  const Ask ask = asked.load(std::memory_order_relaxed);
  if (ask == nullptr) return true;
  const auto now = Clock::now();
  if (next_ == Clock::time_point{}) next_ = now + between_questions;
  if (now < next_) return true;
  next_ = now + between_questions;
  try {
    ask();
  } catch (...) {
    why_ = std::current_exception();
    ended_.store(true, std::memory_order_relaxed);
  }
  return why_ == nullptr;
}

WorksFor::WorksFor(Running& launch, bool leads) : before_(worked().launch), led_(worked().leads) {
  // Within another launch, its first thread leads this one, too.
  worked() = {&launch, leads && (before_ == nullptr || led_), worked().may_ask};
}

WorksFor::~WorksFor() {
  worked().launch = before_;
  worked().leads = led_;
}

ToTheEnd::ToTheEnd() : asked_before_(worked().may_ask) {
  worked().may_ask = false;
}

ToTheEnd::~ToTheEnd() {
  worked().may_ask = asked_before_;
}

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
    ask_nobody_here();
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
    Running launch;
    {
      const WorksFor one(launch, true);
      work(0, 1);
    }
    launch.rethrow();
    return;
  }
  with_team([&] { run_team(team, work); });
}

} // namespace ridge::cpu
