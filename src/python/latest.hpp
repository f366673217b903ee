// The latest calls of a kernel: one that is like them is launched at once.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/replay.hpp>
#include <ridge/launch/program.hpp>

#include "arrays.hpp"
#include "dlpack.hpp"
#include "queues.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::python {

/// What a call asks for, as far as the library of its arrays tells C.
class Outline {
public:
  static constexpr std::size_t most = 12; ///< arrays, and numbers

  explicit Outline(std::string_view schedule) : schedule_(schedule) {}
  /// False for what such a call has not: lent memory, and tensors that require a gradient where
  /// nobody has recorded it.
  [[nodiscard]] bool add_array(nanobind::handle array, bool written, Gradients gradients);
  [[nodiscard]] bool add_number(double number);

  /// Whether the arrays are those that a call was looked at for.
  [[nodiscard]] bool is_of(const std::vector<Array>& arrays) const;
  friend bool operator==(const Outline& a, const Outline& b);

private:
  struct One {
    const dlpack::Exchange* exchange;
    const char* data;
    dlpack::Device device;
    dlpack::DataType type;
    int rank;
    bool packed;
    std::array<std::int64_t, max_rank> extents, strides;
  };
  static bool alike(const One& a, const One& b);
  [[nodiscard]] bool set(One& one, const dlpack::Tensor& tensor);

  std::string schedule_;
  void* stream_ = nullptr;
  std::size_t arrays_ = 0, numbers_ = 0;
  std::array<One, most> array_;
  std::array<double, most> number_;
};

/// A call that was looked at twice, and its program.
class Repeatable {
public:
  /// Binds the call to another turn; empty where launches are not to become a graph.
  using Bind = std::function<std::shared_ptr<const Program>(Turn&)>;

  Repeatable(const Outline& outline, std::shared_ptr<const Program> program, Turn& turn, Bind bind)
      : outline_(outline), program_(std::move(program)), turn_(turn), bind_(std::move(bind)) {}

  [[nodiscard]] const Outline& outline() const { return outline_; }
  [[nodiscard]] const std::shared_ptr<const Program>& program() const { return program_; }
  [[nodiscard]] Turn& turn() const { return turn_; }

  /// Gives the launch to the queue, whose turn it is: on CUDA as a graph, which takes the host
  /// half of a launch's time.
  void run();

private:
  void record();

  const Outline outline_;
  const std::shared_ptr<const Program> program_;
  Turn& turn_;
  Bind bind_; ///< until there is a graph, or none can be
  std::shared_ptr<const Program> recorded_;
  std::optional<Replay> replay_; ///< of `recorded_`
};

} // namespace ridge::python
