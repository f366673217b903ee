#include "host_bodies.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::spatial {

namespace {

constexpr std::array<std::string_view, 3> precision_names{"fp32", "fp64", "mixed"};

} // namespace

double rounded(double value, Precision precision) {
  return precision == Precision::fp32 ? static_cast<double>(static_cast<float>(value)) : value;
}

std::string_view to_text(Precision precision) {
  return precision_names[static_cast<std::size_t>(precision)];
}

Precision parse_precision(std::string_view text) {
  for (std::size_t i = 0; i < precision_names.size(); ++i)
    if (precision_names[i] == text) return static_cast<Precision>(i);
  throw UsageError(fmt::format("unknown precision '{}'; there are fp32, fp64 and mixed", text));
}

void Bodies::resize(Index count) {
  for_each([&](auto& values, const char*) { values.resize(static_cast<std::size_t>(count)); });
}

void require_finite(const Bodies& bodies, Precision precision) {
  const Index count = bodies.count();
  bodies.for_each([&](const auto& values, const char* name) {
    refuse_if(static_cast<Index>(values.size()) != count,
              "{} has {} values and m has {}; each body has one", name, values.size(), count);
  });
  refuse_if(count < 1, "there are no bodies");
  bodies.for_each([&](const auto& values, const char* name) {
    const auto odd = std::find_if_not(values.begin(), values.end(), [&](double v) {
      return std::isfinite(rounded(v, precision));
    });
    if (odd == values.end()) return;
    const auto body = odd - values.begin();
    if (std::isfinite(*odd)) {
      throw UsageError(
          fmt::format("{} of body {} is {:g}, which fp32 cannot hold; give --precision "
                      "fp64, or other units",
                      name, body, *odd));
    }
    throw UsageError(fmt::format("{} of body {} is {}; all values must be finite (bodies count "
                                 "from 0)",
                                 name, body, std::isnan(*odd) ? "NaN" : "infinite"));
  });
}

} // namespace ridge::spatial
