#include <ridge/core/error.hpp>
#include <ridge/record/cpu_counters.hpp>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

namespace ridge {

namespace {

/// An event that is counted for one thread; closed with this.
class ThreadEvent {
public:
  ThreadEvent(std::uint32_t type, std::uint64_t config, int thread) {
    perf_event_attr event{};
    event.size = sizeof(event);
    event.type = type;
    event.config = config;
    event.disabled = 1;
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &event, thread, -1, -1, 0));
    error_ = file_ < 0 ? errno : 0;
  }
  ThreadEvent(ThreadEvent&& other) noexcept : file_(other.file_), error_(other.error_) {
    other.file_ = -1;
  }
  ThreadEvent(const ThreadEvent&) = delete;
  ThreadEvent& operator=(const ThreadEvent&) = delete;
  ThreadEvent& operator=(ThreadEvent&&) = delete;
  ~ThreadEvent() {
    if (file_ >= 0) close(file_);
  }

  [[nodiscard]] int error() const { return error_; }
  void start() const { ioctl(file_, PERF_EVENT_IOC_ENABLE, 0); }
  [[nodiscard]] double stop() const {
    ioctl(file_, PERF_EVENT_IOC_DISABLE, 0);
    std::uint64_t count = 0;
    return read(file_, &count, sizeof(count)) == sizeof(count) ? static_cast<double>(count) : 0;
  }

private:
  int file_ = -1;
  int error_ = 0;
};

std::vector<int> threads() {
  std::vector<int> all;
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failed))
    all.push_back(std::stoi(task.path().filename().string()));
  return all;
}

/// One kind of event, on all threads.
std::vector<ThreadEvent> open_all(std::uint32_t type, std::uint64_t config, int& error) {
  std::vector<ThreadEvent> events;
  for (const int thread : threads()) {
    events.emplace_back(type, config, thread);
    if (events.back().error() == ESRCH) { // it has ended
      events.pop_back();
    } else if (events.back().error() != 0) {
      error = events.back().error();
      return {};
    }
  }
  return events;
}

constexpr std::uint64_t last_level_reads(std::uint64_t result) {
  return PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | result << 16;
}

[[noreturn]] void refuse(int error) {
  if (error == EACCES || error == EPERM) {
    throw Failure("reading the processor's counters is forbidden here; set "
                  "kernel.perf_event_paranoid to 2 or less (sysctl), or give the container "
                  "CAP_PERFMON");
  }
  throw Failure(fmt::format("the processor shows this system no counter of its last-level cache "
                            "(perf_event_open: {}); a virtual machine must be given one",
                            std::strerror(error)));
}

} // namespace

Counters count_on_cpu(const std::function<void()>& run) {
  int error = ENOENT;
  auto missed =
      open_all(PERF_TYPE_HW_CACHE, last_level_reads(PERF_COUNT_HW_CACHE_RESULT_MISS), error);
  auto asked =
      open_all(PERF_TYPE_HW_CACHE, last_level_reads(PERF_COUNT_HW_CACHE_RESULT_ACCESS), error);
  if (missed.empty() || asked.empty()) {
    missed = open_all(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, error);
    asked = open_all(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, error);
  }
  if (missed.empty()) refuse(error);
  for (const auto* const events : {&missed, &asked}) {
    for (const ThreadEvent& event : *events)
      event.start();
  }
  run();
  double misses = 0;
  double references = 0;
  for (const ThreadEvent& event : missed)
    misses += event.stop();
  for (const ThreadEvent& event : asked)
    references += event.stop();
  constexpr double line = 64;
  Counters counters{"perf", misses * line, {}, {}};
  if (references > 0) counters.hit_rate = 1 - std::min(1.0, misses / references);
  return counters;
}

} // namespace ridge
