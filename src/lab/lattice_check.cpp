#include <ridge/lab/lattice_check.hpp>

#include <fmt/format.h>

namespace ridge::lab {

Check check_results(const ExpectedResults& expected, const std::vector<double>& got,
                    double tolerance) {
  Check check;
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    const long double scale = std::max(expected.scale[i], 1e-300L);
    const auto error =
        static_cast<double>(std::abs(static_cast<long double>(got[i]) - expected.value[i]) / scale);
    if (!(error <= tolerance) && check.message.empty()) {
      check.message = fmt::format("result {} is {} instead of {}", i, got[i],
                                  static_cast<double>(expected.value[i]));
    }
    check.max_error = std::isnan(error) ? error : std::max(check.max_error, error);
  }
  check.ok = check.message.empty();
  return check;
}

Check detail::MapErrors::check(double tolerance) const {
  Check check;
  check.max_error = largest > 0 ? error / largest : error;
  check.ok = check.max_error <= tolerance;
  if (!check.ok) {
    check.message = fmt::format("relative error {:.2g} at real number {} exceeds {:.2g}",
                                check.max_error, at, tolerance);
  }
  return check;
}

} // namespace ridge::lab
