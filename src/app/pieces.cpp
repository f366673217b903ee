#include "pieces.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ridge::app {

namespace {

constexpr Index wanted_bytes = Index{32} << 20;
constexpr Index most_bytes = Index{256} << 20;

Index product(std::vector<Index>::const_iterator begin, std::vector<Index>::const_iterator end) {
  return std::accumulate(begin, end, Index{1}, std::multiplies<>());
}

} // namespace

std::vector<Piece> pieces_of(const std::vector<Index>& shape, const std::vector<Index>& chunk,
                             int element_bytes) {
  // The dimension that is cut: one step along it fits into a piece. Slower ones advance one by one.
  const std::size_t rank = shape.size();
  std::size_t cut = 0;
  Index step = product(shape.begin() + 1, shape.end());
  while (cut + 1 < rank && step * element_bytes > wanted_bytes) {
    ++cut;
    step /= shape[cut];
  }
  const Index step_bytes = step * element_bytes;
  Index thick = std::max<Index>(wanted_bytes / step_bytes, 1);
  if (!chunk.empty()) {
    const Index whole_chunks = (thick + chunk[cut] - 1) / chunk[cut] * chunk[cut];
    if (whole_chunks * step_bytes <= most_bytes) thick = whole_chunks;
  }

  std::vector<Piece> pieces;
  const auto cut_at = static_cast<std::ptrdiff_t>(cut);
  const Index outer = product(shape.begin(), shape.begin() + cut_at);
  for (Index o = 0; o < outer; ++o) {
    for (Index at = 0; at < shape[cut]; at += thick) {
      Piece p;
      p.start.assign(rank, 0);
      p.count = shape;
      Index rest = o;
      for (std::size_t d = cut; d-- > 0; rest /= shape[d]) {
        p.start[d] = rest % shape[d];
        p.count[d] = 1;
      }
      p.start[cut] = at;
      p.count[cut] = std::min(thick, shape[cut] - at);
      p.first = (o * shape[cut] + at) * step;
      p.elements = p.count[cut] * step;
      pieces.push_back(std::move(p));
    }
  }
  return pieces;
}

} // namespace ridge::app
