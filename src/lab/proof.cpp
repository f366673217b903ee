#include <ridge/core/error.hpp>
#include <ridge/lab/proof.hpp>
#include <ridge/record/measure.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::lab {

namespace {

constexpr int pairs = 9;
/// The true median lies between the second and the eighth of nine with a probability of 0.96.
constexpr std::size_t beyond = 1;

Program checked(Case& the_case, const AskedSchedule& schedule) {
  the_case.poison();
  Program program = the_case.bind(schedule);
  program.run();
  const Check check = the_case.check();
  if (!check.ok) throw Failure("under '" + schedule.text + "': " + check.message);
  return program;
}

} // namespace

bool Proof::confirms(double predicted) const {
  const double allowed = std::max(0.05, (gain - 1) / 4);
  const double nearest = std::clamp(predicted, low, high);
  return std::abs(predicted - gain) <= allowed || nearest == predicted;
}

Proof prove(Case& the_case, const AskedSchedule& before, const AskedSchedule& after,
            const std::function<void()>& between) {
  const Program sick = checked(the_case, before);
  const Program cured = checked(the_case, after);
  MeasureOptions options;
  options.repeats = 3;
  options.warm_up = 1;
  options.between = between;
  const auto seconds = [&](const Program& program) {
    return measure(
               the_case.queue(), [&] { program.run(); }, options)
        .median.value;
  };
  std::vector<double> gains;
  for (int i = 0; i < pairs; ++i) {
    // Who goes first changes, so that a drift of the machine favours neither.
    const double first = seconds(i % 2 == 0 ? sick : cured);
    const double second = seconds(i % 2 == 0 ? cured : sick);
    gains.push_back(i % 2 == 0 ? first / second : second / first);
  }
  std::sort(gains.begin(), gains.end());
  return {gains[pairs / 2], gains[beyond], gains[pairs - 1 - beyond], pairs};
}

} // namespace ridge::lab
