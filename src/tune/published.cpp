#include "published.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace ridge::tune {

namespace {

struct Row {
  const char* card; ///< in a device's name, without blanks, in small letters
  const char* block;
  int bounds, tile;
};

// "mi250x" stands before what it contains.
constexpr std::array rows{
    Row{"rx6900xt", "256x1x1", 256, 16}, Row{"rx7900xtx", "256x1x1", 256, 8},
    Row{"mi50", "256x1x1", 256, 4},      Row{"mi100", "128x1x1", 128, 4},
    Row{"mi210", "256x1x1", 256, 8},     Row{"mi250x", "256x1x1", 256, 8},
    Row{"mi250", "256x1x1", 256, 8},
};

} // namespace

std::optional<Published> published_for(const Key& key) {
  if (key.kernel != "laplacian" || key.precision != "fp64" || key.size.rank() != 3) return {};
  std::string name;
  for (const char c : key.device)
    if (c != ' ') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Row& row : rows) {
    if (name.find(row.card) == std::string::npos) continue;
    return Published{fmt::format("block={} tile={} loads=ascending bounds={} store=nontemporal "
                                 "grid=xyz split=1 stage=none",
                                 row.block, row.tile, row.bounds),
                     Extents{512, 512, 512}, "AMD's lab notes"};
  }
  return {};
}

} // namespace ridge::tune
