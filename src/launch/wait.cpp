#include "wait.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <future>
#include <utility>

namespace ridge::launch {

namespace {

std::atomic<Observer> observer_of_all{nullptr};
thread_local const std::atomic<bool>* stop_of_thread = nullptr;

} // namespace

std::string to_text(const Waiting& w) {
  // A guess that has proved wrong is not repeated.
  return w.seconds < w.usual
             ? fmt::format("compiling {} ({:.0f} of about {} s)", w.what, w.seconds, w.usual)
             : fmt::format("compiling {} ({:.0f} s)", w.what, w.seconds);
}

void observe_compilers(Observer observer) {
  observer_of_all = observer;
}

Wait::Wait(std::string what, int usual)
    : waiting_{std::move(what), 0, usual, false},
      observer_(stop_of_thread == nullptr ? observer_of_all.load() : nullptr) {}

Wait::~Wait() {
  if (observer_ == nullptr) return;
  waiting_.seconds = passed();
  waiting_.over = true;
  observer_(waiting_);
}

double Wait::passed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

std::function<void()> Wait::tick() {
  if (stop_of_thread != nullptr) {
    return [] {
      if (*stop_of_thread) throw Failure("another compilation was interrupted");
    };
  }
  if (observer_ == nullptr) return {};
  return [this] {
    waiting_.seconds = passed();
    observer_(waiting_);
  };
}

void Wait::during(const std::function<void()>& work) {
  const std::function<void()> told = tick();
  if (!told) return work();
  std::future<void> done = std::async(std::launch::async, work);
  while (done.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
    told();
  done.get();
}

Finished run_watched(const std::string& what, int usual, const std::vector<std::string>& command,
                     const std::string& folder) {
  Wait wait(what, usual);
  return run_command(command, folder, wait.tick());
}

Helping::Helping(const std::atomic<bool>& stop) {
  stop_of_thread = &stop;
}
Helping::~Helping() {
  stop_of_thread = nullptr;
}

} // namespace ridge::launch
