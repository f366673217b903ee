// A system on arrays that somebody else owns: its fields begin from them, and go back to them.
#pragma once

#include <ridge/chain/source.hpp>
#include <ridge/chain/system/stored.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/device/view.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge::chain {

/// The function that the description of a system offers, by its own type: the system of these
/// numbers.
using DescribeSystem = SystemKernel(std::span<const double> numbers);

/// The system of C, whose source is `file`.
template <class C>
[[nodiscard]] SystemKernel described_system(const std::string& name, const C& chain,
                                            const std::string& file) {
  know_chain_source<C>(file);
  return system_kernel(name, chain);
}

/// Arrays of one shape on the queue's device, in the order of the chain's.
struct OwnedArrays {
  std::vector<std::string> names;
  std::vector<View<std::byte>> views; ///< strides in elements
  int element_bytes = 8;              ///< 2 of a system that is stored in 16 bits
  unsigned wide = 0;                  ///< bits of those that are fp32 there, whose halves it keeps
};

/// Options that do not depend on the arrays: walls as parse_walls reads them, distances of points,
/// a schedule, numbers that differ from step to step.
struct SystemOptions {
  std::string walls;
  std::array<double, 3> spacing{1, 1, 1};
  std::string schedule = "auto";
  std::vector<StepTable> by_step;
};

/// Throws UsageError where walls, as parse_walls reads them, name an axis that arrays of so many
/// dimensions do not have.
void require_axes(const std::string& walls, int dimensions);

class SystemOnArrays {
public:
  using Arrays = OwnedArrays;
  using Options = SystemOptions;
  using Describe = DescribeSystem;

  /// Throws UsageError for a text that parse_walls or require_axes does not take.
  static void check_walls(const std::string& walls, const std::vector<std::string>& names,
                          int dimensions) {
    (void)parse_walls(walls, names);
    require_axes(walls, dimensions);
  }
  /// The system of these numbers; where `storage` is not empty, on such arrays as stored_system
  /// says.
  [[nodiscard]] static SystemKernel described(DescribeSystem& describe,
                                              std::span<const double> numbers,
                                              std::string_view storage, unsigned wide) {
    SystemKernel kernel = describe(numbers);
    return storage.empty() ? kernel : stored_system(std::move(kernel), storage, wide);
  }
  /// Throws as System and parse_walls do. The queue must outlive it.
  SystemOnArrays(Queue& queue, const SystemKernel& kernel, OwnedArrays arrays,
                 const SystemOptions& options);

  /// Begins anew, from the arrays as they are.
  void begin();
  void run(Index steps) { system_.run(steps); }
  /// Copies the first `states` fields to their arrays, and waits.
  void give_back(std::size_t states);
  /// The record of one step, not timed.
  [[nodiscard]] Record record() const;

private:
  void copy(std::size_t array, bool to_system);
  /// The numbers of an array that stays fp32, as they are now.
  void write_numbers(int array, const View<std::byte>& view);

  Queue& queue_;
  OwnedArrays arrays_;
  std::string schedule_;
  System system_;
};

} // namespace ridge::chain
