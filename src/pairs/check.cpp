#include <ridge/pairs/check.hpp>

#include <fmt/format.h>

namespace ridge::pairs {

Check judge_sums(const std::vector<SumError>& errors, int vector, double vector_error,
                 Index compared, Index targets, double tolerance) {
  Check check;
  check.max_error = vector_error;
  check.ok = true;
  check.against = compared == targets
                      ? "reference"
                      : fmt::format("reference at {} of {} targets", compared, targets);
  for (std::size_t c = 0; c < errors.size(); ++c) {
    const SumError& e = errors[c];
    if (static_cast<int>(c) >= vector) check.max_error = std::max(check.max_error, e.by_terms);
    if (!check.ok) continue;
    if (e.odd) {
      check.ok = false;
      check.max_error = std::numeric_limits<double>::quiet_NaN();
      check.message = e.unwritten
                          ? fmt::format("sum {} of target {} was not written", c, e.worst)
                          : fmt::format("sum {} of target {} is {} where the reference has {}", c,
                                        e.worst, e.found, e.expected);
    } else if (!(e.by_terms <= tolerance)) {
      check.ok = false;
      check.message = fmt::format(
          "sum {} of target {} is off by {:.2e} of its terms' absolute sum; {:.2e} is allowed", c,
          e.worst, e.by_terms, tolerance);
    }
  }
  return check;
}

std::vector<Index> targets_to_compare(Index targets, Index sources) {
  const Index most = std::max<Index>(2, 200'000'000 / std::max<Index>(sources, 1));
  std::vector<Index> chosen;
  if (targets <= most) {
    for (Index i = 0; i < targets; ++i)
      chosen.push_back(i);
  } else {
    for (Index n = 0; n < most; ++n)
      chosen.push_back(n * (targets - 1) / (most - 1));
  }
  return chosen;
}

} // namespace ridge::pairs
