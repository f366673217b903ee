// The schedule of a chain on a GPU, emulated or not.
#pragma once

#include <ridge/chain/fuse.hpp>
#include <ridge/chain/gpu/limits.hpp>
#include <ridge/core/text.hpp>
#include <ridge/device/block_shape.hpp>

namespace ridge::chain {

/// Whether repeated runs are launched as one captured graph.
enum class Graph { off, on };
constexpr auto enum_names(Graph) {
  return std::array<std::string_view, 2>{"off", "on"};
}

/// The block of a group whose lanes have an item each and of which `overlap` rows along a dimension
/// compute for other blocks: as asked if that leaves rows, else as many lanes in rows that are
/// mostly their own.
[[nodiscard]] constexpr Dim3 block_of_rows(Dim3 asked, int overlap, int along) {
  constexpr int most_along_z = 64;
  const int given = along == 0 ? asked.x : along == 1 ? asked.y : asked.z;
  if (given > overlap && (along != 1 || asked.z == 1)) return asked;
  int rows = along == 2 && 4 * overlap > most_along_z ? most_along_z : 4 * overlap;
  if (rows > asked.count()) rows = asked.count() > overlap ? asked.count() : overlap + 1;
  const int across = asked.count() > rows ? asked.count() / rows : 1;
  return along == 0   ? Dim3{rows, across, 1}
         : along == 1 ? Dim3{across, rows, 1}
                      : Dim3{across, 1, rows};
}

struct GpuSchedule {
  Fuse fuse = fuse_none;
  BlockShape block{{256, 1, 1}};
  TileShape tile{64, 4, 1};
  int steps = 1;
  Graph graph = Graph::off;

  friend bool operator==(const GpuSchedule&, const GpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("fuse", &GpuSchedule::fuse, text::open(fuse_none, fuse_all),
                    "operations in one launch; the others have one each"),
        text::field(
            "block", &GpuSchedule::block,
            text::open(BlockShape{{256, 1, 1}}, BlockShape{{32, 8, 1}}, BlockShape{{128, 1, 1}}),
            "threads of a block along x, y and z; 256 in all at most"),
        text::field("tile", &GpuSchedule::tile,
                    text::open(TileShape{64, 4, 1}, TileShape{31, 8, 1}),
                    "items of a block along x, y and z, of launches of several operations"),
        text::field("steps", &GpuSchedule::steps, text::in_range(1, 1 << 20, 1, 3),
                    "tiles a block, or items a lane that marches alone, computes one behind the "
                    "other along the last dimension"),
        text::field("graph", &GpuSchedule::graph, text::one_of(Graph::off, Graph::on),
                    "launch all as one captured graph")};
  }

  static std::string problem(const GpuSchedule& s) {
    if (s.block.count() > most_block_threads) {
      return "a block has at most " + std::to_string(most_block_threads) + " threads";
    }
    return {};
  }
};

} // namespace ridge::chain
