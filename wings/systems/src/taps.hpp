// The points of a system that sources add to, and that receivers and sums read.
#pragma once

#include <ridge/chain/system/beyond.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/core/stored.hpp>

#include "parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ridge::chain {

/// Shares of a sum that one lane of the device adds up.
struct SumPiece {
  std::size_t sum = 0, begin = 0, end = 0;
};
[[nodiscard]] inline std::vector<SumPiece> pieces_of_sums(const SystemSetup& setup) {
  constexpr std::size_t least = 16;
  constexpr std::size_t most_lanes = 256;
  std::vector<SumPiece> made;
  for (std::size_t s = 0; s < setup.sums.size(); ++s) {
    const std::size_t all = setup.sums[s].shares.size();
    const std::size_t each = std::max(least, (all + most_lanes - 1) / most_lanes);
    for (std::size_t begin = 0; begin < all; begin += each)
      made.push_back({s, begin, std::min(begin + each, all)});
  }
  return made;
}

/// Those of a system of numbers of one type, in its arrays as they are after an even or odd number
/// of steps, `p`.
template <class T>
class Taps {
public:
  explicit Taps(const System::Parts& of) : of_(of) {}

  /// Of the points around a place, those of a source that this rank owns.
  [[nodiscard]] std::vector<ProbeTap<T>> of_source(const SystemSource& source, int number,
                                                   int p) const {
    std::vector<ProbeTap<T>> made;
    const std::string what = fmt::format("source {}", number + 1);
    for (const Around& one : of_.places(source.array, source.position, what).points) {
      if (one.weight != 0 && of_.owns(one.at))
        made.push_back(tap(source.array, one.at, one.weight * source.amplitude, number, p));
    }
    return made;
  }
  /// Those of a receiver, where this rank owns the first of them: others may lie a point further.
  [[nodiscard]] std::vector<ProbeTap<T>> of_receiver(int a, const AroundPlace& place, int number,
                                                     int p) const {
    std::vector<ProbeTap<T>> made;
    const Around& first = place.points.front();
    if (!of_.owns(first.at)) return made;
    for (const Around& one : place.points) {
      Index3 at = one.at;
      for (int d = 0; d < 3; ++d) { // another rank's, which lies behind this one's as copies do
        if (of_.setup.part && comm::along(of_.setup.part->grid.ranks(), d) > 1)
          comm::along(at, d) =
              comm::along(one.beside, d) + comm::along(first.at, d) - comm::along(first.beside, d);
      }
      made.push_back(tap(a, at, one.weight, number, p));
    }
    return made;
  }
  [[nodiscard]] std::vector<ProbeTap<T>> of_piece(const SumPiece& piece, int number, int p) const {
    std::vector<ProbeTap<T>> made;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      const SystemSum::Share& share = of_.setup.sums[piece.sum].shares[i];
      if (of_.owns(share.at)) made.push_back(tap(share.array, share.at, share.weight, number, p));
    }
    return made;
  }

private:
  const System::Parts& of_;

  [[nodiscard]] ProbeTap<T> tap(int a, const Index3& place, double weight, int number,
                                int p) const {
    const int lies = of_.memory_of(a, p);
    const auto memory = static_cast<std::size_t>(lies);
    const ArrayLayout& at = of_.layout(lies);
    const Index3 begin = of_.setup.begin();
    return {static_cast<T*>(of_.memories[memory].data()), at.elements,
            at.before + place.x - begin.x + (place.y - begin.y) * at.row +
                (place.z - begin.z) * at.plane,
            static_cast<NumberOf<T>>(weight), number};
  }
};

} // namespace ridge::chain
