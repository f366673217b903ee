#include "spacing.hpp"

#include "../core/refuse.hpp"

#include <charconv>
#include <cmath>
#include <vector>

namespace ridge::app {

stencil::Spacing parse_spacing(std::string_view text, int rank) {
  std::vector<double> along;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double value = 0;
    const auto [next, status] = std::from_chars(at, end, value);
    refuse_if(status != std::errc{} || !std::isfinite(value) || value <= 0 ||
                  (next != end && *next != 'x'),
              "--spacing '{}' is not of the form X, XxY or XxYxZ with positive numbers, such as "
              "0.5x0.5x1.2",
              text);
    constexpr double least = 1e-100; // their squares and quotients are numbers
    constexpr double most = 1e100;
    refuse_if(value < least || value > most, "--spacing '{}': numbers from {:g} to {:g} are right",
              text, least, most);
    along.push_back(value);
    if (next == end) break;
    at = next + 1;
  }
  refuse_if(along.size() != 1 && along.size() != static_cast<std::size_t>(rank),
            "--spacing '{}' has {} numbers, and the input {} dimension{}; give one a dimension, x "
            "first, or one for all",
            text, along.size(), rank, rank == 1 ? "" : "s");
  along.resize(3, along.front());
  return {along[0], along[1], along[2]};
}

} // namespace ridge::app
