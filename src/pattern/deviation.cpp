#include <ridge/pattern/deviation.hpp>

#include <fmt/format.h>

#include <limits>

namespace ridge {

void Deviation::add(const Deviation& other) {
  if (!odd && (other.odd || other.max_error > max_error)) {
    worst = other.worst;
    found = other.found;
    expected = other.expected;
  }
  odd = odd || other.odd;
  max_error = std::max(max_error, other.max_error);
  if (unwritten == 0) first_unwritten = other.first_unwritten;
  unwritten += other.unwritten;
  if (changed == 0) first_changed = other.first_changed;
  changed += other.changed;
}

void Deviation::take(double number, double right, double allowed, double unit, Index3 at) {
  if (std::isfinite(right) && !std::isfinite(allowed)) return; // rounding may give any number
  const double relative = std::abs(number - right) / (allowed / unit);
  const bool is_odd = !std::isfinite(relative);
  if (is_odd ? odd : odd || relative <= max_error) {
    if (!is_odd) max_error = std::max(max_error, relative);
    return;
  }
  odd = is_odd;
  if (!is_odd) max_error = relative;
  worst = at;
  found = number;
  expected = right;
}

Check judge(const Deviation& d, double tolerance, const std::function<std::string(Index3)>& place) {
  Check check;
  check.max_error =
      d.odd || d.unwritten > 0 ? std::numeric_limits<double>::quiet_NaN() : d.max_error;
  if (d.changed > 0) {
    check.message = fmt::format("{} points near the edge were written, one at {}", d.changed,
                                place(d.first_changed));
  } else if (d.unwritten > 0) {
    check.message =
        fmt::format("{} points were not written, one at {}", d.unwritten, place(d.first_unwritten));
  } else if (d.odd) {
    check.message =
        fmt::format("{} at {} where the reference has {}", d.found, place(d.worst), d.expected);
  } else if (!(d.max_error <= tolerance)) {
    check.message =
        fmt::format("relative error {:.2g} at {} exceeds {:.2g}: {} where the reference has {}",
                    d.max_error, place(d.worst), tolerance, d.found, d.expected);
  }
  check.ok = check.message.empty();
  return check;
}

Check judge(const Deviation& found, double tolerance) {
  return judge(found, tolerance,
               [](Index3 p) { return fmt::format("({}, {}, {})", p.x, p.y, p.z); });
}

} // namespace ridge
