#include "domains.hpp"

#include <ridge/comm/transfer.hpp>
#include <ridge/spatial/hilbert.hpp>

#include "share.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

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

/// Found digit by digit, counted over all ranks at once: each round is a message to every rank.
std::vector<Domains::Place> Domains::ends(const std::function<Index(const Place&)>& count) const {
  const auto domains = static_cast<std::size_t>(ranks_.ranks());
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  std::vector<Place> found(domains - 1, Place{0, any});
  const auto wanted = [&](std::size_t d) {
    return all_ * static_cast<Index>(d + 1) / static_cast<Index>(domains);
  };
  // How many bodies of all ranks there are up to each place.
  const auto counted = [&](const std::vector<Place>& places) {
    std::vector<Index> mine;
    for (const Place& place : places)
      mine.push_back(count(place));
    std::vector<Index> all(mine.size() * domains);
    ranks_.all_gather(mine.data(), mine.size() * sizeof(Index), all.data());
    std::vector<Index> sums(mine.size());
    for (std::size_t k = 0; k < all.size(); ++k)
      sums[k % sums.size()] += all[k];
    return sums;
  };
  // The least value of `part` of each place with which there are enough, from the highest digit.
  const auto find = [&](auto part, int bits) {
    constexpr int digit = 4;
    constexpr std::size_t values = (1 << digit) - 1; // with the last there are enough
    for (int shift = (bits - 1) / digit * digit; shift >= 0; shift -= digit) {
      std::vector<Place> places;
      for (const Place& place : found) {
        for (std::size_t value = 0; value < values; ++value) {
          auto& number = places.emplace_back(place).*part;
          using Number = std::remove_reference_t<decltype(number)>;
          number |= (static_cast<Number>(value + 1) << shift) - 1;
        }
      }
      const auto sums = counted(places);
      for (std::size_t d = 0; d < found.size(); ++d) {
        auto& number = found[d].*part;
        using Number = std::remove_reference_t<decltype(number)>;
        std::size_t value = 0;
        while (value < values && sums[d * values + value] < wanted(d))
          ++value;
        number |= static_cast<Number>(value) << shift;
      }
    }
  };
  find(&Place::first, 3 * spatial::most_levels);
  const auto sums = counted(found);
  bool ends_between_places = true;
  for (std::size_t d = 0; d < found.size(); ++d)
    ends_between_places = ends_between_places && sums[d] == wanted(d);
  if (ends_between_places) return found; // as where no two bodies share a place
  for (Place& place : found)
    place.second = 0;
  find(&Place::second, 32);
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
  std::vector<Index> begins{0};
  for (std::size_t r = 0; r < to.size(); ++r)
    begins.push_back(begins.back() + from(r));
  std::vector<double> came(static_cast<std::size_t>(begins.back()));
  const auto out = [&](int rank) {
    const auto& values = to[static_cast<std::size_t>(rank)];
    return comm::Pieces{comm::Piece::of(values.data(), static_cast<Index>(values.size()))};
  };
  const auto in = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return comm::Pieces{comm::Piece::of(came.data() + begins[r], from(r))};
  };
  const auto& own = to[static_cast<std::size_t>(me)];
  std::copy(own.begin(), own.end(), came.data() + begins[static_cast<std::size_t>(me)]);
  auto all_pieces = comm::all_to_all(ranks_, out, in);
  ranks_.exchange(std::move(all_pieces.sends), std::move(all_pieces.receives));
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
