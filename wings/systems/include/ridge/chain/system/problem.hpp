// Why the values of a point cannot be those that a system begins with.
#pragma once

namespace ridge::chain {

/// Why the values of a point cannot be those of a start.
struct FieldProblem {
  const char* field = nullptr; ///< or what is made of several; null: there is no problem
  double value = 0;
  const char* right = ""; ///< what would be right
  constexpr explicit operator bool() const { return field != nullptr; }
};
constexpr FieldProblem unless_finite(const char* field, double value) {
  return value - value == 0 ? FieldProblem{} : FieldProblem{field, value, "a finite number"};
}
constexpr FieldProblem unless_positive(const char* field, double value) {
  return value > 0 && value - value == 0 ? FieldProblem{}
                                         : FieldProblem{field, value, "a finite number above 0"};
}
/// Above 0, or 0 within `error`.
constexpr FieldProblem unless_at_least_0(const char* field, double value, double error = 0) {
  return value >= -error && value - value == 0
             ? FieldProblem{}
             : FieldProblem{field, value, "0 or a finite number above it"};
}
/// The first of several that is one.
template <class... More>
constexpr FieldProblem first_problem(const FieldProblem& one, const More&... more) {
  if constexpr (sizeof...(More) == 0) {
    return one;
  } else {
    return one ? one : first_problem(more...);
  }
}

} // namespace ridge::chain
