#include <ridge/lattice/check.hpp>

#include <fmt/format.h>

namespace ridge::lattice {

Check check_results(const ExpectedResults& expected, const std::vector<double>& got,
                    double tolerance) {
  Check check;
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    const auto right = static_cast<double>(expected.value[i]);
    const bool unwritten = same_bits(got[i], poisoned<double>(0xff)) && !same_bits(got[i], right);
    if (!unwritten && (std::isnan(right) ? std::isnan(got[i]) : got[i] == right)) continue;
    const long double slack = expected.slack.empty() ? 0 : expected.slack[i];
    const long double scale = expected.scale[i] + slack / tolerance;
    if (std::isfinite(right) && !std::isfinite(scale) && !unwritten)
      continue; // rounding may give any number
    const auto error =
        static_cast<double>(std::abs(static_cast<long double>(got[i]) - expected.value[i]) / scale);
    if (!(error <= tolerance) && check.message.empty()) {
      check.message = unwritten ? fmt::format("result {} was not written", i)
                                : fmt::format("result {} is {} instead of {}", i, got[i], right);
    }
    check.max_error = std::isnan(error) || std::isnan(check.max_error)
                          ? std::numeric_limits<double>::quiet_NaN()
                          : std::max(check.max_error, error);
  }
  check.ok = check.message.empty();
  return check;
}

Check judge_numbers(const Deviation& found, double tolerance) {
  return judge(found, tolerance, [](Index3 at) { return fmt::format("real number {}", at.x); });
}

} // namespace ridge::lattice
