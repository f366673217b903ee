#include "domains.hpp"

#include <ridge/spatial/hilbert.hpp>

#include "share.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace ridge::nbody {

Domains::Domains(comm::Communicator& ranks, Index bodies) : ranks_(ranks), all_(bodies) {
  const Share share(ranks, bodies);
  bodies_.resize(static_cast<std::size_t>(share.count()));
  std::iota(bodies_.begin(), bodies_.end(), static_cast<std::uint32_t>(share.begin()));
}

std::vector<double> Domains::take(const std::vector<double>& all) const {
  std::vector<double> mine(bodies_.size());
  std::transform(bodies_.begin(), bodies_.end(), mine.begin(),
                 [&](std::uint32_t body) { return all[body]; });
  return mine;
}

Domains::Cube Domains::cube(const std::array<double, 3>& low,
                            const std::array<double, 3>& high) const {
  Cube cube;
  for (std::size_t c = 0; c < 3; ++c) {
    cube.low[c] = -ranks_.greatest(-low[c]);
    cube.side = std::max(cube.side, ranks_.greatest(high[c]) - cube.low[c]);
  }
  return cube;
}

std::vector<Domains::Place> Domains::places(const Columns& columns) const {
  std::array<double, 3> least{};
  std::array<double, 3> greatest{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto [low, high] = std::minmax_element(columns[c].begin(), columns[c].end());
    least[c] = *low;
    greatest[c] = *high;
  }
  const auto [low, side] = cube(least, greatest);
  constexpr auto cells = std::uint32_t{1} << spatial::most_levels;
  std::vector<Place> places(bodies_.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::array<std::uint32_t, 3> cell{};
    for (std::size_t c = 0; c < 3 && side > 0; ++c) {
      const double at = (columns[c][i] - low[c]) / side * cells;
      if (at > 0) cell[c] = static_cast<std::uint32_t>(std::min(at, cells - 1.0)); // NaN: 0
    }
    places[i] = {spatial::hilbert_key(cell[0], cell[1], cell[2], spatial::most_levels), bodies_[i]};
  }
  return places;
}

/// Found by halves, counted over all ranks at once.
std::vector<Domains::Place> Domains::ends(const std::function<Index(const Place&)>& count) const {
  const auto domains = static_cast<std::size_t>(ranks_.ranks());
  std::vector<Place> found(domains - 1, Place{0, std::numeric_limits<std::uint32_t>::max()});
  std::vector<Index> counts(found.size());
  std::vector<Index> all(counts.size() * domains);
  // True once so many bodies are there up to each place found.
  const auto are_enough = [&] {
    for (std::size_t d = 0; d < found.size(); ++d)
      counts[d] = count(found[d]);
    ranks_.all_gather(counts.data(), counts.size() * sizeof(Index), all.data());
    std::vector<bool> enough(found.size());
    for (std::size_t d = 0; d < found.size(); ++d) {
      Index sum = 0;
      for (std::size_t r = 0; r < domains; ++r)
        sum += all[r * counts.size() + d];
      enough[d] = sum >= all_ * static_cast<Index>(d + 1) / static_cast<Index>(domains);
    }
    return enough;
  };
  // Bit by bit, from the highest: the least key, then the least number, with which there are.
  for (int bit = 3 * spatial::most_levels - 1; bit >= 0; --bit) {
    for (Place& place : found)
      place.first |= (std::uint64_t{1} << bit) - 1;
    const auto enough = are_enough();
    for (std::size_t d = 0; d < found.size(); ++d) {
      found[d].first &= ~((std::uint64_t{1} << bit) - 1);
      if (!enough[d]) found[d].first |= std::uint64_t{1} << bit;
    }
  }
  for (Place& place : found)
    place.second = 0;
  for (int bit = 31; bit >= 0; --bit) {
    for (Place& place : found)
      place.second |= static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
    const auto enough = are_enough();
    for (std::size_t d = 0; d < found.size(); ++d) {
      found[d].second &= static_cast<std::uint32_t>(~((std::uint64_t{1} << bit) - 1));
      if (!enough[d]) found[d].second |= std::uint32_t{1} << bit;
    }
  }
  return found;
}

std::vector<double> Domains::exchange(std::vector<std::vector<double>>& to) const {
  const int me = ranks_.rank();
  std::vector<Index> counts;
  for (const auto& values : to)
    counts.push_back(static_cast<Index>(values.size()));
  std::vector<Index> all(counts.size() * counts.size());
  ranks_.all_gather(counts.data(), counts.size() * sizeof(Index), all.data());
  const auto from = [&](std::size_t rank) {
    return all[rank * counts.size() + static_cast<std::size_t>(me)];
  };
  Index sum = 0;
  for (std::size_t r = 0; r < to.size(); ++r)
    sum += from(r);
  std::vector<double> came(static_cast<std::size_t>(sum));
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  double* next = came.data();
  for (std::size_t r = 0; r < to.size(); ++r) {
    const int peer = static_cast<int>(r);
    const Bytes bytes{from(r) * static_cast<Index>(sizeof(double))};
    if (peer == me) {
      std::copy(to[r].begin(), to[r].end(), next);
    } else {
      if (!to[r].empty())
        sends.push_back(
            {to[r].data(), Bytes{counts[r] * static_cast<Index>(sizeof(double))}, peer, 0});
      if (from(r) > 0) receives.push_back({next, bytes, peer, 0});
    }
    next += from(r);
  }
  const auto transfer = ranks_.bind(std::move(sends), std::move(receives));
  transfer->begin();
  transfer->finish();
  return came;
}

void Domains::divide(Columns& columns) {
  const auto mine = places(columns);
  auto sorted = mine;
  std::sort(sorted.begin(), sorted.end());
  const auto last = ends([&](const Place& place) {
    return std::upper_bound(sorted.begin(), sorted.end(), place) - sorted.begin();
  });
  std::vector<std::vector<double>> to(static_cast<std::size_t>(ranks_.ranks()));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    auto& there = to[static_cast<std::size_t>(std::lower_bound(last.begin(), last.end(), mine[i]) -
                                              last.begin())];
    there.push_back(mine[i].second);
    for (const auto& column : columns)
      there.push_back(column[i]);
  }
  const auto came = exchange(to);
  const std::size_t values = columns.size() + 1;
  const std::size_t count = came.size() / values;
  bodies_.resize(count);
  for (auto& column : columns)
    column.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies_[i] = static_cast<std::uint32_t>(came[values * i]);
    for (std::size_t c = 0; c < columns.size(); ++c)
      columns[c][i] = came[values * i + c + 1];
  }
}

std::vector<double> Domains::gather(const std::vector<double>& mine) const {
  std::vector<double> pairs;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    pairs.push_back(bodies_[i]);
    pairs.push_back(mine[i]);
  }
  std::vector<std::vector<double>> to(static_cast<std::size_t>(ranks_.ranks()), pairs);
  const auto came = exchange(to);
  std::vector<double> all(static_cast<std::size_t>(all_));
  for (std::size_t k = 0; k + 1 < came.size(); k += 2)
    all[static_cast<std::size_t>(came[k])] = came[k + 1];
  return all;
}

} // namespace ridge::nbody
