#include <ridge/stencil/pass_plan.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::stencil {

namespace {

/// Tiles along an axis: the first begins at `first`, the others `step` points further each. Results
/// begin `lead` points into a tile.
struct Axis {
  Index first, step, count, lead;
};

/// A tile along an axis: where it begins, and its results.
struct Part {
  Index at, begin, end;
};

/// Tiles of `points` along an axis of `n`, that begin at multiples of `piece`, with results from
/// multiples of `unit` on. Nothing is lost at ends of the field where it does not go on: its shell
/// stays what it is, or follows from what is inside.
std::vector<Part> parts_along(const PassTiles& t, Index points, Index n, bool around, Index piece,
                              Index unit) {
  const auto down = [](Index value, Index to) {
    return value >= 0 ? value / to * to : -ceil_div(-value, to) * to;
  };
  std::vector<Part> parts;
  const Index end = n - t.radius;
  Index begin = t.radius;
  while (begin < end) {
    const bool first = parts.empty() && !around;
    const Index at = first ? 0 : down(begin - t.halo, piece);
    const bool last = !around && at + points >= n;
    Index until = last ? end : down(at + points - t.halo, unit);
    if (until <= begin) return {};
    until = std::min(until, end);
    parts.push_back({at, begin, until});
    begin = until;
  }
  return parts;
}

/// Results from a sector's begin on, unless that takes many more tiles than the fewest: sectors
/// that two tiles share are written in parts, which memory has to put together.
std::vector<Part> along_x(const PassTiles& t, Index n) {
  const std::vector<Part> close = parts_along(t, t.x, n, t.around_x, t.piece, t.piece);
  const std::vector<Part> aligned = parts_along(t, t.x, n, t.around_x, t.piece, t.sector);
  constexpr double worth = 1.15;
  const bool few = static_cast<double>(aligned.size()) <= worth * static_cast<double>(close.size());
  return !aligned.empty() && few ? aligned : close;
}

/// Whether a tile that begins at `begin` holds points outside of the interior that its results
/// depend on.
bool at_edge(const PassTiles& t, Index begin, Index points, Index n) {
  return begin < t.radius || begin + points > n - t.radius;
}

} // namespace

std::vector<PassJob> plan_pass(const PassTiles& t, Index3 n, int blocks, const PassEnds& without) {
  const std::vector<Part> all_x = along_x(t, n.x);
  const std::vector<Part> all_y = parts_along(t, t.y, n.y, t.around_y, 1, 1);
  const int z_begin = std::max(t.radius, static_cast<int>(without.low));
  const int z_end = static_cast<int>(n.z) - std::max(t.radius, static_cast<int>(without.high));

  std::vector<PassJob> columns;
  for (const Part& y : all_y) {
    for (const Part& x : all_x) {
      const bool edge = at_edge(t, x.at, t.x, n.x) || at_edge(t, y.at, t.y, n.y);
      const auto narrow = [](Index value) { return static_cast<int>(value); };
      columns.push_back({narrow(x.at), narrow(y.at), narrow(x.begin), narrow(x.end),
                         narrow(y.begin), narrow(y.end), z_begin, z_end, edge ? 1 : 0});
    }
  }
  std::ranges::stable_partition(columns, [](const PassJob& job) { return job.at_edge != 0; });

  // How long a column takes varies by a third, so as much has to be left to even that out.
  const auto used = static_cast<std::size_t>(blocks);
  std::size_t rounds = columns.size() / used;
  const std::size_t over = columns.size() % used;
  if (rounds > 0 && over < used / 3) --rounds;
  const std::size_t whole = rounds * used;
  const auto cut = static_cast<double>(columns.size() - whole);

  std::vector<PassJob> jobs(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(whole));
  // A job warms up for as many planes as it has halo on both sides: pieces are no shorter than is
  // worth it, but where there are too few for all blocks.
  const double share = cut * (z_end - z_begin) / blocks;
  const int least = std::max(1, std::min(10 * t.halo, static_cast<int>(std::ceil(share))));
  for (int z = z_begin; z < z_end && cut > 0;) {
    const int left = z_end - z;
    // What is left after these pieces evens out how long they took.
    int planes = static_cast<int>(left * cut / (cut + 0.7 * blocks));
    planes = std::max(planes, least);
    if (left - planes < least / 2 + 1) planes = left;
    for (std::size_t i = whole; i < columns.size(); ++i) {
      PassJob piece = columns[i];
      piece.z_begin = z;
      piece.z_end = z + planes;
      jobs.push_back(piece);
    }
    z += planes;
  }
  return jobs;
}

} // namespace ridge::stencil
