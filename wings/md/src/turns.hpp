// Steps that are given to a GPU together, as graphs of 1, 2, 4, ... of them, and rounds of as many
// as lists last with a build. Making a graph takes as long as some steps: rounds become one where
// they come again and again.
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
  [[nodiscard]] Index expected() const { return std::clamp<Index>(round() - since_, 2, longest); }
  /// How many steps a round has: as many as nearly all lists last, so that it ends with a build.
  /// What a round has beyond them does nothing, and takes less than a build that is not needed.
  [[nodiscard]] Index round() const {
    const double last = std::max(steps_ / builds_, static_cast<double>(since_));
    return std::clamp<Index>(static_cast<Index>(last + 0.85), 2, longest);
  }
  /// So many steps were done, and so often lists were built; the last time before `since` of them,
  /// where they were.
  void done(Index steps, Index builds, Index since) {
    since_ += steps;
    if (builds == 0) return;
    steps_ += static_cast<double>(since_ - since);
    builds_ += static_cast<double>(builds);
    since_ = since;
    while (builds_ > 8) { // soon after the motion has changed
      steps_ /= 2;
      builds_ /= 2;
    }
  }

  /// Gives `steps` times `step` to the queue, which runs launches over these lists. It has run
  /// before, so that it takes no memory. `version` says when other launches of it have changed.
  void give(Index steps, const pairs::ListData& lists, Index version, bool can_be_recorded,
            const std::function<void()>& step) {
    // Rows that begin anywhere have other launches every time.
    if (!can_be_recorded || lists.row_begins.size != 0 || !queue_.device().is_gpu()) {
      for (Index s = 0; s < steps; ++s)
        step();
      return;
    }
    adopt(lists, version);
    for (std::size_t k = graphs_.size(); k-- > 0;) {
      const Index together = Index{1} << k;
      for (; steps >= together; steps -= together) {
        launch(graphs_[k], [step, together] {
          for (Index s = 0; s < together; ++s)
            step();
        });
      }
    }
  }
  /// Gives `first`, which moves bodies, `steps` times `step` and `build`, which looks itself
  /// whether it is needed. `is_usual`: as in other rounds, so that `first` may be recorded with
  /// them.
  void give_round(Index steps, const pairs::ListData& lists, Index version, bool is_usual,
                  const std::function<void()>& first, const std::function<void()>& step,
                  const std::function<void()>& build) {
    if (!queue_.device().is_gpu()) is_usual = false;
    adopt(lists, version);
    Round& round = rounds_[static_cast<std::size_t>(steps)];
    constexpr int often = 6;
    if (is_usual && ++round.given > often) {
      return launch(round.graph, [=] {
        first();
        for (Index s = 0; s < steps; ++s)
          step();
        build();
      });
    }
    first();
    give(steps, lists, version, true, step);
    queue_.device().is_gpu() ? launch(build_, build) : build();
  }

private:
  void adopt(const pairs::ListData& lists, Index version) {
    if (!is_laid_as(lists) || version != version_) {
      graphs_ = {};
      rounds_ = {};
      build_.reset();
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

  void launch(std::unique_ptr<Graph>& graph, const std::function<void()>& work) {
    if (!graph) graph = std::make_unique<Graph>(queue_, work);
    graph->launch();
  }

  static constexpr Index longest = 32;
  Queue& queue_;
  pairs::ListData laid_;
  Index version_ = 0;
  std::array<std::unique_ptr<Graph>, 6> graphs_; ///< of 1, 2, ..., 32 steps
  std::unique_ptr<Graph> build_;
  struct Round {
    int given = 0;
    std::unique_ptr<Graph> graph;
  };
  std::array<Round, longest> rounds_; ///< by their steps but the first
  double steps_ = 7, builds_ = 1;     ///< of late
  Index since_ = 0;                   ///< steps: since lists were built
};

} // namespace ridge::md
