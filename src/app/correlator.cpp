#include "correlator.hpp"

#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::app {

Correlator::Correlator(const std::vector<double>& values, Index from) : values_(values) {
  std::rotate(values_.begin(), values_.begin() + from, values_.end());
}

std::string Correlator::table(const std::string& name) const {
  std::string lines = fmt::format("{:>5} {:>18} {:>12}\n", "t", name, "log ratio");
  for (std::size_t t = 0; t < values_.size(); ++t) {
    const double next = t + 1 < values_.size() ? values_[t + 1] : 0;
    const bool positive = values_[t] > 0 && next > 0;
    lines += fmt::format("{:>5} {:>18.10e} {:>12}\n", t, values_[t],
                         positive ? fmt::format("{:.6f}", std::log(values_[t] / next)) : "");
  }
  return lines;
}

void Correlator::draw(const io::OutputPlan& plan, const std::string& file) const {
  constexpr Index column = 8, gap = 2, height = 160;
  const auto count = static_cast<Index>(values_.size());
  const double most = *std::max_element(values_.begin(), values_.end());
  double least = most;
  for (const double v : values_) {
    if (v > 0) least = std::min(least, v);
  }
  const double span = most > least ? std::log(most / least) : 1;
  std::vector<double> pixels(static_cast<std::size_t>(count * column * height), 0);
  for (Index t = 0; t < count; ++t) {
    const double v = values_[static_cast<std::size_t>(t)];
    const double part = v > 0 ? 0.05 + 0.9 * std::log(v / least) / span : 0;
    for (Index z = 0; z < static_cast<Index>(part * height); ++z) {
      for (Index x = gap; x < column; ++x)
        pixels[static_cast<std::size_t>(z * count * column + t * column + x)] = 1;
    }
  }
  write_picture(plan, file, pixels, count * column, height, 0.6);
}

} // namespace ridge::app
