#include <ridge/chain/system/conditions.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ridge::chain {

namespace {

constexpr std::string_view axes = "xyz";

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names)
    all += (all.empty() ? "" : ", ") + name;
  return all;
}

WallCondition condition_of(std::string_view text, std::string_view entry) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  WallCondition made;
  const auto names = enum_names(Wall{});
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw UsageError(fmt::format("--boundary {}: there is no condition '{}'; mirror, antimirror, "
                                 "periodic, dirichlet:V, neumann:G, untouched and free are right",
                                 entry, name));
  }
  made.kind = static_cast<Wall>(found - names.begin());
  const bool takes_value = made.kind == Wall::dirichlet || made.kind == Wall::neumann;
  if (colon == std::string_view::npos) return made;
  const std::string_view number = text.substr(colon + 1);
  const auto [end, status] =
      std::from_chars(number.data(), number.data() + number.size(), made.value);
  if (!takes_value || status != std::errc{} || end != number.data() + number.size() ||
      !std::isfinite(made.value)) {
    throw UsageError(fmt::format("--boundary {}: {}", entry,
                                 takes_value ? fmt::format("'{}' is no number", number)
                                             : fmt::format("{} takes no number", name)));
  }
  return made;
}

/// Entries set faces of one array or of all; those of one count.
class Parser {
public:
  explicit Parser(const std::vector<std::string>& names)
      : names_(names), walls_(names.size()), rank_(names.size()) {}

  void take(std::string_view entry) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) {
      throw UsageError(fmt::format("--boundary '{}': expected [ARRAY.]AXIS=CONDITION, such as "
                                   "x=periodic,z-=antimirror",
                                   entry));
    }
    std::string_view face = entry.substr(0, equals);
    const WallCondition condition = condition_of(entry.substr(equals + 1), entry);
    std::size_t first = 0;
    std::size_t last = names_.size();
    const auto dot = face.find('.');
    if (dot != std::string_view::npos) {
      const std::string name(face.substr(0, dot));
      const auto found = std::find(names_.begin(), names_.end(), name);
      if (found == names_.end()) {
        throw UsageError(fmt::format("--boundary {}: there is no array '{}'; the arrays are {}",
                                     entry, name, joined(names_)));
      }
      first = static_cast<std::size_t>(found - names_.begin());
      last = first + 1;
      face.remove_prefix(dot + 1);
    }
    const auto axis = face.empty() ? std::string_view::npos : axes.find(face[0]);
    const bool one = face.size() == 2 && (face[1] == '-' || face[1] == '+');
    if (axis == std::string_view::npos || (face.size() != 1 && !one)) {
      throw UsageError(fmt::format("--boundary {}: '{}' is no face; x, x- and x+ are, and those of "
                                   "y and z",
                                   entry, face));
    }
    if (condition.kind == Wall::periodic && (one || dot != std::string_view::npos)) {
      throw UsageError(fmt::format("--boundary {}: periodic is for both faces of an axis, of all "
                                   "arrays: {}=periodic",
                                   entry, face[0]));
    }
    if (condition.kind == Wall::free && dot != std::string_view::npos) {
      throw UsageError(fmt::format("--boundary {}: free is for all arrays: {}=free", entry, face));
    }
    const int rank = dot == std::string_view::npos ? 1 : 2;
    for (std::size_t a = first; a < last; ++a) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (one && (face[1] == '-') != (side == 0)) continue;
        int& before = rank_[a][axis][side];
        if (before == rank) {
          throw UsageError(fmt::format("--boundary {}: this face is given twice", entry));
        }
        if (before > rank) continue;
        before = rank;
        walls_[a][axis][side] = condition;
      }
    }
  }

  std::vector<ArrayWalls> take_walls() {
    for (std::size_t a = 0; a < walls_.size(); ++a) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto& [low, high] = walls_[a][axis];
        if ((low.kind == Wall::periodic) == (high.kind == Wall::periodic)) continue;
        throw UsageError(fmt::format("--boundary: {} is periodic, and one of its faces is given "
                                     "another condition",
                                     axes[axis]));
      }
    }
    return std::move(walls_);
  }

private:
  const std::vector<std::string>& names_;
  std::vector<ArrayWalls> walls_;
  std::vector<std::array<std::array<int, 2>, 3>> rank_; ///< 0: nobody set it, 1: all arrays, 2: it
};

} // namespace

std::vector<ArrayWalls> parse_walls(std::string_view text, const std::vector<std::string>& arrays) {
  Parser parser(arrays);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parser.take(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parser.take_walls();
}

} // namespace ridge::chain
