// Right-hand sides whose squares are no numbers, or nearly 0.
#include <ridge/core/error.hpp>

#include "equations.hpp"

#include <fmt/format.h>

namespace ridge::solve::detail {

template <class T>
bool Equations<T>::choose_unit(const View<const T>& f, double size) {
  if (problem_.order > 2) { // whose faces have tables of their own
    for (const auto& sides : problem_.boundaries.faces) {
      for (const stencil::Condition& c : sides)
        if (c.value != 0 || !c.values.empty()) return false;
    }
  }
  unit_ = unit_of_size<T>(size, [&](double unit) {
    unit_ = unit;
    gather(f, T(-1), true, finest().b);
    return norm(true).first;
  });
  return unit_ != 1;
}

template <class T>
void Equations<T>::leave_unit() {
  if (unit_ == 1) return;
  Level<T>& level = finest();
  combine(level.u, level.u, 1 / unit_, 0);
  const double down = sizeof(T) == 8 ? std::ldexp(1.0, -600) : 1; // squares of these are numbers
  copy(level.other, level.u);
  combine(level.other, level.u, down, 0);
  if (!std::isfinite(length(level.other)))
    throw UsageError(fmt::format("the solution leaves the range of {}: scale the right-hand side "
                                 "and what faces give by one number",
                                 sizeof(T) == 4 ? "fp32" : "fp64"));
}

template <class T>
void Equations<T>::require_measurable(double size, const Field<T>& b) {
  constexpr double least = 1e-140; // residuals are smaller by some ten orders
  constexpr double most = 1e150;
  if (size >= least && size <= most) return;
  if (std::isnan(size))
    throw UsageError(
        "the right-hand side, or its sum with what faces give, has values that are NaN "
        "or infinite; finite ones are right, at masked points, too");
  if (size == 0) { // or its squares are
    const Field<T>& larger = finest().other;
    copy(larger, b);
    combine(larger, b, sizeof(T) == 8 ? 1e200 : 1, 0);
    if (length(larger) == 0) return;
  }
  throw UsageError(
      fmt::format("the norm of the right-hand side is {:.2g}; it must be {:g} to {:g}: "
                  "scale the right-hand side and what faces give by one number, which "
                  "scales the solution",
                  size, least, most));
}

template bool Equations<float>::choose_unit(const View<const float>&, double);
template bool Equations<double>::choose_unit(const View<const double>&, double);
template void Equations<float>::leave_unit();
template void Equations<double>::leave_unit();
template void Equations<float>::require_measurable(double, const Field<float>&);
template void Equations<double>::require_measurable(double, const Field<double>&);

} // namespace ridge::solve::detail
