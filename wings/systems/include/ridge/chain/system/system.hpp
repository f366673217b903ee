// A system on a device: its arrays, with points beyond their faces, over many steps.
#pragma once

#include <ridge/chain/system/kernel.hpp>
#include <ridge/chain/system/ranks.hpp>

#include <memory>
#include <optional>
#include <span>

namespace ridge::chain {

/// How an array lies in memory: rows begin at lines, and have room for the points beyond them.
struct ArrayLayout {
  Index3 points; ///< that the chain knows
  Index row = 0, plane = 0;
  Index before = 0;   ///< elements before the first item
  Index elements = 0; ///< in all
};
[[nodiscard]] ArrayLayout layout_of(const Description& d, int array, Index3 extents);

/// Adds `amplitude` times a value of a wavelet to an array after each step, at a place between its
/// points: each of the up to eight points around it gets its share. The share of a point beyond a
/// wall goes to the point that it shows.
struct SystemSource {
  int array = 0;
  std::array<double, 3> position{};
  double amplitude = 1;
  std::size_t wavelet = 0; ///< of SystemSetup::wavelets
};
/// Records an array after each step, interpolated between its points and what lies beyond walls.
struct SystemReceiver {
  int array = 0;
  std::array<double, 3> position{};
};

/// Records after each step a sum of shares of arrays at points, and a number. Over ranks each has
/// the sum of what it owns.
struct SystemSum {
  struct Share {
    int array = 0;
    Index3 at; ///< in the whole range
    double weight = 0;
  };
  std::vector<Share> shares;
  double add = 0;
};

/// Says if a place lies between points 0 and `last` of that spacing, but for the rounding of both.
[[nodiscard]] bool lies_within(double position, double spacing, double last);

/// Layers before faces in which waves lose strength.
struct AbsorbingLayers {
  std::array<std::array<bool, 2>, 3> faces{};
  Index width = 0;  ///< points
  double speed = 0; ///< of the fastest wave
  /// Convolutional perfectly matched layers in place of friction, whose poles have this frequency
  /// where they begin.
  bool matched = false;
  double frequency = 0;
  [[nodiscard]] bool any() const;
  [[nodiscard]] bool rub() const { return any() && !matched; }
};

/// Values of a number, one a step from the first of all; the last one after their end.
struct StepTable {
  std::string number;
  std::vector<double> values;
};

struct SystemSetup {
  int element_bytes = 8;
  Index3 extents;                 ///< of this rank's part, where there are several
  std::optional<SystemPart> part; ///< places of sources, receivers and layers are in the whole
  std::array<double, 3> spacing{1, 1, 1};
  double dt = 1;
  std::vector<ArrayWalls> walls; ///< one an array of the chain
  AbsorbingLayers layers;
  std::string schedule = "auto";
  std::vector<SystemSource> sources;
  std::vector<std::vector<double>> wavelets; ///< a value a step; 0 behind their ends
  std::vector<SystemReceiver> receivers;
  std::vector<SystemSum> sums;
  std::vector<StepTable> by_step;
  Index first_step = 0;
  bool follows = false; ///< a flow: `System::follow` may change dt between steps

  [[nodiscard]] Index3 whole() const { return part ? part->grid.points() : extents; }
  /// The first point of this rank.
  [[nodiscard]] Index3 begin() const { return part ? part->owned().begin : Index3{}; }
};

/// Parts of a step over ranks, to be timed: what ranks send each other, and all else.
enum class StepPart { all, exchange, compute };

/// A box of items.
struct SystemBox {
  Index3 begin, extents;
};

/// Over several ranks all calls that write, run or read steps are collective.
class System {
public:
  /// Throws UsageError for walls that do not fit the extents, sources and receivers outside them,
  /// tables of numbers that no step changes or that are empty, and what binding a chain throws;
  /// Failure when the arrays do not fit the memory. The queue must outlive it.
  System(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup);
  ~System();
  System(System&&) noexcept;
  System& operator=(System&&) = delete;

  /// Extents of an array.
  [[nodiscard]] Index3 points(int array) const;
  /// Where the items of an array are now, on the device: steps may move them.
  [[nodiscard]] ArrayAt at(int array) const;
  /// A box of an array, packed on the host, of numbers of the setup's size. Arrays are 0 before
  /// they are written. After the last is written, call `started` before the first step.
  void write(int array, const SystemBox& box, const void* from);
  /// An array that stays fp32 beside those of 16 bits is only written.
  void read(int array, const SystemBox& box, void* to);
  /// Finite numbers so far written that arrays of 16 bits hold as infinite.
  [[nodiscard]] Index beyond_range() const;
  void started();
  /// As `started`, of arrays that were written as they were after so many steps: traces end there.
  void started(Index step);
  /// How many numbers of the arrays that steps change are NaN or infinite, of this rank's. Waits.
  [[nodiscard]] Index odd_numbers();

  /// For a setup that follows: the speed of the fastest wave of shallow water on this rank, NaN
  /// where a number is. Waits.
  [[nodiscard]] double fastest_flow();
  /// Steps from now on are of `dt`. Waits.
  void follow(double dt);
  /// Keeps the arrays that steps change and the step, and brings them back. Waits.
  void save();
  void bring_back();

  /// Gives so many steps to the queue; with receivers it waits for them.
  void run(Index steps);
  [[nodiscard]] Index step() const;
  /// The memory of matched layers, which steps change beside the arrays. Nothing where there are
  /// none.
  struct Remembered {
    void* data = nullptr;
    Bytes size;
  };
  [[nodiscard]] Remembered remembered() const;
  /// The share that matched layers add behind an operation alone.
  void pass_layers(int operation);
  /// Gives one step, or a part of it, to the queue, for those who time it: nothing is recorded by
  /// receivers. Over ranks items that read nothing of others are computed beside the exchange.
  void give_step(StepPart part = StepPart::all);
  /// Bytes that this rank sends in all launches of a step, and how. Nothing on one rank.
  struct Sent {
    Bytes bytes;
    std::string carrier;
  };
  [[nodiscard]] Sent sent() const;

  /// A value of each receiver for each step since the first.
  /// Over ranks those of another rank's receivers are 0: `owner_of_receiver` has them.
  [[nodiscard]] const std::vector<std::vector<double>>& traces() const;
  /// A value of each sum for each step since the first; over ranks this one's part of it.
  [[nodiscard]] const std::vector<std::vector<double>>& sums() const;
  [[nodiscard]] int owner_of_receiver(std::size_t receiver) const;
  /// The record of one step, not timed: all launches of the chain.
  [[nodiscard]] Record record() const;
  /// Least bytes of the launches as they are: each reads and writes its arrays once.
  [[nodiscard]] double bytes_of_launches() const;

  struct Parts;

private:
  std::unique_ptr<Parts> parts_;
};

} // namespace ridge::chain
