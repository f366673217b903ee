// The time of parts of what is done several times on a queue.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/pairs/tree.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ridge::pairs {

/// Parts of one name are one phase.
class PhaseClock {
public:
  explicit PhaseClock(Queue& queue) : queue_(queue) {}

  void begins(const char* name) {
    names_.push_back(name);
    events_.push_back(std::make_unique<Event>(queue_.device()));
    events_.back()->record(queue_);
  }
  /// Ends the last part, and so all. Waits.
  void end() {
    begins("end");
    queue_.wait();
    std::vector<TreePhase> all;
    for (std::size_t k = 0; k + 1 < names_.size(); ++k) {
      const auto same = std::find_if(
          all.begin(), all.end(), [&](const TreePhase& phase) { return phase.name == names_[k]; });
      TreePhase& phase = same != all.end() ? *same : all.emplace_back(TreePhase{names_[k], {}});
      phase.time.value += events_[k]->until(*events_[k + 1]).value;
    }
    times_.push_back(std::move(all));
    names_.clear();
    events_.clear();
  }
  /// One alone may have waited for memory, and the least of each would not be those of one time.
  [[nodiscard]] std::vector<TreePhase> middle() const {
    std::vector<TreePhase> middle = times_.front();
    for (std::size_t k = 0; k < middle.size(); ++k) {
      std::vector<double> times;
      for (const auto& all : times_)
        times.push_back(all[k].time.value);
      std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
      middle[k].time.value = times[times.size() / 2];
    }
    return middle;
  }

private:
  Queue& queue_;
  std::vector<const char*> names_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<std::vector<TreePhase>> times_;
};

} // namespace ridge::pairs
