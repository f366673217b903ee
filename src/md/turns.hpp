// Steps that are given to a GPU together, as graphs of 1, 2, 4, ... of them.
#pragma once

#include <ridge/device/graph.hpp>
#include <ridge/pairs/lists/data.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace ridge::md {

class Turns {
public:
  explicit Turns(Queue& queue) : queue_(queue) {}

  /// How many steps are worth giving before the host looks: until lists are built if they last as
  /// long as those before, and then two by two.
  [[nodiscard]] Index expected() const {
    return std::clamp<Index>(interval_ - since_, 2, Index{1} << (graphs_.size() - 1));
  }
  void done(Index steps, bool built) {
    since_ += steps;
    if (!built) return;
    interval_ = since_;
    since_ = 0;
  }

  /// Gives `steps` times `step` to the queue, which runs launches over these lists. It has run
  /// before, so that it takes no memory. `version` says when other launches of it have changed.
  void give(Index steps, const pairs::ListData& lists, Index version,
            const std::function<void()>& step) {
    if (lists.row_begins.size != 0 || !queue_.device().is_gpu()) { // other launches every time
      for (Index s = 0; s < steps; ++s)
        step();
      return;
    }
    if (!is_laid_as(lists) || version != version_) graphs_ = {};
    laid_ = lists;
    version_ = version;
    for (std::size_t k = graphs_.size(); k-- > 0;) {
      const Index together = Index{1} << k;
      for (; steps >= together; steps -= together) {
        if (!graphs_[k]) {
          graphs_[k] = std::make_unique<Graph>(queue_, [step, together] {
            for (Index s = 0; s < together; ++s)
              step();
          });
        }
        graphs_[k]->launch();
      }
    }
  }

private:
  /// Whether graphs over the lists of before are right: memory and counts are where they were.
  [[nodiscard]] bool is_laid_as(const pairs::ListData& lists) const {
    return lists.slots == laid_.slots && lists.body.data == laid_.body.data &&
           lists.row_counts.data == laid_.row_counts.data &&
           lists.entries.data == laid_.entries.data && lists.entries.size == laid_.entries.size;
  }

  Queue& queue_;
  pairs::ListData laid_;
  Index version_ = 0;
  std::array<std::unique_ptr<Graph>, 6> graphs_; ///< of 1, 2, ..., 32 steps
  Index interval_ = 8, since_ = 0;               ///< steps: of lists before, since they were built
};

} // namespace ridge::md
