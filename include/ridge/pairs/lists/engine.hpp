// The builder of lists on one kind of device, behind pairs::Lists.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/pairs/lists/box.hpp>
#include <ridge/pairs/lists/data.hpp>
#include <ridge/pairs/lists/grid.hpp>

#include <functional>
#include <memory>

namespace ridge::pairs {

/// Positions of the bodies, x, y and z, in the user's order.
template <class T>
using Positions = std::array<Span<const T>, 3>;

template <class T>
class ListEngine {
public:
  ListEngine() = default;
  ListEngine(const ListEngine&) = delete;
  ListEngine& operator=(const ListEngine&) = delete;
  virtual ~ListEngine() = default;

  /// Whether a body of the part is farther than half of the skin from where it was when the lists
  /// were built.
  [[nodiscard]] virtual bool has_moved() = 0;
  /// Builds lists of these positions, with which the bodies are compared from now on. Throws
  /// UsageError that names a body whose position is not finite or beyond a wall, Failure where
  /// memory is too little: there are no lists then.
  virtual void build_of(const Positions<T>& positions) = 0;
  /// GPUs: the words of ListHalt, which each build sets back. `halts`: sums over the lists look at
  /// them from now on. Nothing elsewhere.
  [[nodiscard]] virtual Span<unsigned> halt(bool /*halts*/) { return {}; }
  /// GPUs: whether give_build_if_moved can be used: memory was enough before, and cells stay alike.
  [[nodiscard]] virtual bool builds_without_host() const { return false; }
  /// Gives a build to the queue that does nothing unless a body has moved too far, by ListHalt.
  /// Where memory is too little, or a body is nowhere, launches stay halted.
  /// `sorted` is called between sorting bodies and looking for near ones, to give work beside that.
  virtual void give_build_if_moved(const std::function<void()>& /*sorted*/) {}
  /// Where the bodies were when the lists were built.
  [[nodiscard]] virtual Positions<T> built() const = 0;
  [[nodiscard]] const ListData& data() const { return data_; }
  void take(const OwnLists& own) { data_.own = own; }
  void take(Beside* beside) { data_.beside = beside; }

protected:
  ListData data_;
};

/// The maker that each kind's module offers under ListEngine<T>, for float and double.
template <class T>
using MakeListEngine = std::unique_ptr<ListEngine<T>>(Queue& queue, const Positions<T>& positions,
                                                      const ListOptions& options);

namespace detail {

/// The least and the greatest coordinate along each axis.
struct Bounds {
  double low[3], high[3];
};

/// The grid for so many bodies; `bounds` are theirs along open axes.
[[nodiscard]] Grid grid_for(const ListOptions& options, Index bodies, const Bounds& bounds);

/// How far neighbours are looked for: cutoff and skin, and what float rounds distances by.
[[nodiscard]] float reach_of(const ListOptions& options, const Grid& grid);

/// A coordinate that is farther than the cutoff from those of all bodies and images.
[[nodiscard]] double far_from(const Grid& grid, const ListOptions& options);

/// The part of the lists' data that stays as it is.
[[nodiscard]] ListData data_for(const ListOptions& options, Index bodies, int share, int unit);

/// Throws UsageError that names the first body whose position is not good.
template <class T>
[[noreturn]] void refuse_positions(Queue& queue, const Positions<T>& positions,
                                   const ListOptions& options);

/// Throws Failure unless what slots, groups and numbers of cells are counted with holds them.
void require_countable(Index slots, const char* what);

} // namespace detail

} // namespace ridge::pairs
