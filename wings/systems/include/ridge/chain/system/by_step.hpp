// Numbers of a system that differ from step to step.
//
//   struct Push {
//     chain::ByStep drive{0.5};                            // or a plain number, without a table
//     ...
//     template <class At>
//     RIDGE_FN void operator()(const At& at) const { at.set(v, at(v) - drive() * at(u)); }
//   };
//   struct Line {
//     static constexpr std::array by_step{"drive"};        // names that users give tables for
//     template <class Numbers>
//     void set_numbers(const Numbers& numbers) {
//       numbers.set("drive", std::get<0>(operations).drive);
//     }
//     ...
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

namespace ridge::chain {

/// A number that operations ask for: by a table on the device, one value a step and the last one
/// after its end; without a table, the same at all steps.
class ByStep {
public:
  ByStep() = default;
  explicit constexpr ByStep(double value) : value_(value) {}
  /// `step` is counted on the device, from 0. `length` is at least 1.
  ByStep(const double* table, Index length, const Index* step)
      : table_(table), length_(length), step_(step) {}
  ByStep& operator=(double value) {
    *this = ByStep(value);
    return *this;
  }

  /// At the step that is being computed.
  [[nodiscard]] RIDGE_FN double operator()() const {
    if (table_ == nullptr) return value_;
    const Index step = *step_;
    return table_[step < length_ ? step : length_ - 1];
  }

private:
  double value_ = 0;
  const double* table_ = nullptr;
  Index length_ = 0;
  const Index* step_ = nullptr;
};

/// At the step that is being computed, of a number that is the same at all steps or is none.
RIDGE_FN constexpr double now(double number) {
  return number;
}
RIDGE_FN double now(const ByStep& number) {
  return number();
}

} // namespace ridge::chain
