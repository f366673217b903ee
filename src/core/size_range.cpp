// Ranges of sizes.
#include <ridge/core/error.hpp>
#include <ridge/core/size_range.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace ridge {

namespace {

constexpr std::string_view form =
    "FIRST..LAST:STEP, such as 256x256x256..1024x1024x1024:256 or 512x256x64..512x2048x64:y+64";

/// How sizes grow: `axes` together, or one dimension after the other where none is named.
struct Step {
  std::string axes;
  Index by = 0;
};

std::optional<Step> parse_step(std::string_view text) {
  Step step;
  const std::size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    step.axes = text.substr(0, plus);
    text.remove_prefix(plus + 1);
    if (step.axes.empty() || step.axes.find_first_not_of("xyz") != std::string::npos) return {};
  }
  const char* const end = text.data() + text.size();
  const auto [next, status] = std::from_chars(text.data(), end, step.by);
  if (status != std::errc{} || next != end || step.by < 1) return {};
  return step;
}

using Sizes = std::array<Index, max_rank>;

/// Grows dimension `d` where that does not pass its end.
bool grow(Sizes& at, const Extents& last, int d, Index by) {
  if (by > last[d] - at[d]) return false;
  at[d] += by;
  return true;
}

/// Grows all of `axes`, or none of them.
bool grow_together(Sizes& at, const Extents& last, const Step& step) {
  Sizes grown = at;
  for (const char axis : step.axes)
    if (!grow(grown, last, axis - 'x', step.by)) return false;
  at = grown;
  return true;
}

} // namespace

bool is_size_range(std::string_view text) {
  return text.find("..") != std::string_view::npos;
}

SizeRange parse_sizes(std::string_view text, std::string_view what) {
  if (!is_size_range(text)) return {{parse_extents(text, what)}, {}};
  const auto fail = [&](const std::string& why) {
    throw UsageError(fmt::format("{} '{}': {}", what, text, why));
  };
  const std::size_t dots = text.find("..");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon < dots) {
    fail(fmt::format("a range of sizes has a step: {}", form));
  }
  const Extents first = parse_extents(text.substr(0, dots), what);
  const Extents last = parse_extents(text.substr(dots + 2, colon - dots - 2), what);
  const std::optional<Step> step = parse_step(text.substr(colon + 1));
  if (!step) {
    fail(fmt::format("'{}' is no step; give {}", text.substr(colon + 1), form));
    return {};
  }
  const int rank = first.rank();
  if (last.rank() != rank) fail("its first and last size have different numbers of dimensions");
  for (const char axis : step->axes) {
    if (axis - 'x' >= rank) fail(fmt::format("sizes of {} dimensions have no {}", rank, axis));
  }
  Sizes at{};
  for (int d = 0; d < rank; ++d) {
    at[d] = first[d];
    const bool grows =
        step->axes.empty() || step->axes.find(static_cast<char>('x' + d)) < step->axes.size();
    if (!grows && first[d] != last[d]) {
      fail(fmt::format("its step grows {} alone, but the first and last size differ in {}, too",
                       step->axes, d < 3 ? axis_name(d) : "another dimension"));
    }
    if (first[d] > last[d]) {
      fail(fmt::format("the range goes from {} down to {}", first[d], last[d]));
    }
  }
  SizeRange range;
  const auto add = [&] {
    if (range.sizes.size() == most_sizes)
      fail(fmt::format("more than {} sizes; take a larger step", most_sizes));
    range.sizes.emplace_back(at.data(), rank);
  };
  add();
  for (bool grew = true; grew;) {
    grew = false;
    if (!step->axes.empty()) {
      grew = grow_together(at, last, *step);
      if (grew) add();
      continue;
    }
    for (int d = 0; d < rank; ++d) {
      if (!grow(at, last, d, step->by)) continue;
      grew = true;
      add();
    }
  }
  if (range.sizes.back() != last) {
    range.note = fmt::format("{} '{}': steps of {} end at {}; {} is left out", what, text, step->by,
                             to_text(range.sizes.back()), to_text(last));
  }
  return range;
}

} // namespace ridge
