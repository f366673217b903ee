// Steps that are given to a GPU together, as graphs of 1, 2, 4, ... of them.
#pragma once

#include <ridge/device/graph.hpp>
#include <ridge/pairs/lists/data.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

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

  /// How many steps a round has: one more than lists last, so that nearly all rounds end with a
  /// build. What a round has beyond them does nothing.
  [[nodiscard]] Index round() const { return round_; }
  /// So many steps were done, and so often lists were built, in rounds.
  void rounds_done(Index steps, Index builds) {
    since_ = 0;
    const Index longest = Index{1} << (graphs_.size() - 1);
    const double each =
        static_cast<double>(steps) / static_cast<double>(std::max<Index>(builds, 1));
    const Index wanted = builds == 0 ? 2 * round_ : static_cast<Index>(each + 1.25);
    const Index before = std::exchange(round_, std::clamp<Index>(wanted, 2, longest));
    if (round_ != before) round_graph_.reset();
  }
  /// Gives a round so many times: what `work` gives.
  void give_rounds(Index rounds, const pairs::ListData& lists, Index version,
                   const std::function<void()>& work) {
    if (!queue_.device().is_gpu()) {
      for (Index r = 0; r < rounds; ++r)
        work();
      return;
    }
    adopt(lists, version);
    if (!round_graph_) round_graph_ = std::make_unique<Graph>(queue_, work);
    for (Index r = 0; r < rounds; ++r)
      round_graph_->launch();
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
    adopt(lists, version);
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
  void adopt(const pairs::ListData& lists, Index version) {
    if (!is_laid_as(lists) || version != version_) {
      graphs_ = {};
      round_graph_.reset();
    }
    laid_ = lists;
    version_ = version;
  }
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
  std::unique_ptr<Graph> round_graph_;           ///< of `round_` steps and a build
  Index round_ = 8;
  Index interval_ = 8, since_ = 0; ///< steps: of lists before, since they were built
};

} // namespace ridge::md
