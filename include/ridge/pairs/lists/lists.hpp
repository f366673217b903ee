// Lists of near pairs: which bodies are within a cutoff of which.
//
//   pairs::Lists lists(queue, positions, {.cutoff = 2.5, .skin = 0.3, .box = pairs::Box::cube(L)});
//   Program forces(queue, pairs::within(lists, call));
//   for (;;) { forces.run(); ...move the bodies...; lists.update(); }
#pragma once

#include <ridge/pairs/lists/engine.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ridge::pairs {

/// Two bodies, in the user's order, first < second, and their distance.
struct NearPair {
  Index first, second;
  double distance;
};

template <class T>
class Lists {
public:
  /// Lists bodies whose positions are, and will be, in these spans. Throws UsageError for a cutoff
  /// that is not positive or, with the skin, more than half of a period, and for positions that are
  /// not finite or beyond a wall, naming the body; Failure where memory is too little, with the
  /// need and what there is. The queue and the positions must outlive the lists.
  Lists(Queue& queue, const Positions<T>& positions, const ListOptions& options);

  /// Builds the lists anew if a body is farther than half of the skin from where it was when they
  /// were built, and says whether it did.
  bool update();
  /// Whether a body, of the part that lists are of, is that far from there.
  /// True also where the last build has failed: there are no lists then.
  [[nodiscard]] bool has_moved() { return !is_built_ || engine().has_moved(); }
  void rebuild();
  /// Builds lists of bodies at other positions, which these have moved from: so a run goes on with
  /// the lists, and the bits, that it was stopped with.
  void rebuild_of(const Positions<T>& positions);
  /// GPUs: the words by which launches that move bodies, and sums over these lists from now on,
  /// stop each other where lists have to be built anew (ListHalt). Empty on the cpu.
  [[nodiscard]] Span<unsigned> halt() { return engine().halt(true); }
  /// GPUs: whether builds can be given to the queue that look themselves, by `halt()`, whether they
  /// are needed, and launches that go on behind them: no host is needed between steps.
  [[nodiscard]] bool builds_without_host() const { return engine().builds_without_host(); }
  /// Gives one. Launches stay halted where the host has to build: memory is too little, or a body's
  /// position is not good. `sorted` is called between sorting bodies and looking for near ones, to
  /// give work beside that.
  void give_build_if_moved(const std::function<void()>& sorted = [] {}) {
    engine().give_build_if_moved(sorted);
  }
  /// GPUs, over ranks: what sums ask where messages travel beside them.
  void take(const OwnLists& own) { engine().take(own); }
  /// GPUs: sums over these lists run beside messages until it is nullptr again.
  void take(Beside* beside) { engine().take(beside); }
  /// The positions that the lists were built of.
  [[nodiscard]] Positions<T> built() const { return engine().built(); }

  /// Pairs nearer than the cutoff, each once, in order of their bodies; copied to the host.
  /// `between` is called again and again meanwhile: what it throws ends the work.
  [[nodiscard]] std::vector<NearPair> pairs(const std::function<void()>& between = {}) const;

  [[nodiscard]] const ListOptions& options() const { return options_; }
  [[nodiscard]] const Positions<T>& positions() const { return positions_; }
  /// Stays where it is as long as the lists; what it says changes when they are built.
  [[nodiscard]] const ListData& data() const { return engine().data(); }
  [[nodiscard]] Queue& queue() const { return *queue_; }

private:
  /// Throws UsageError once these lists were moved to others.
  [[nodiscard]] ListEngine<T>& engine() const;

  Queue* queue_;
  Positions<T> positions_;
  ListOptions options_;
  std::unique_ptr<ListEngine<T>> engine_;
  bool is_built_ = false;
};

template <class T>
Lists(Queue&, const std::array<Span<const T>, 3>&, const ListOptions&) -> Lists<T>;
template <class T>
Lists(Queue&, const std::array<Span<T>, 3>&, const ListOptions&) -> Lists<T>;

} // namespace ridge::pairs
