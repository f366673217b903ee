// The schedule of sums by a tree.
#pragma once

#include <ridge/core/text.hpp>

namespace ridge::pairs {

/// `tile` times the lanes of a warp or of a pack are the targets of a group, which walk the tree
/// together.
struct TreeSchedule {
  int leaf = 64;
  int tile = 2;
  int levels = 21;
  int cut = 2;
  int threads = 0;

  friend bool operator==(const TreeSchedule&, const TreeSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("leaf", &TreeSchedule::leaf, text::in_range(1, 4096, 16, 32, 64, 128),
                    "most bodies of a leaf"),
        text::field(
            "tile", &TreeSchedule::tile, text::in_range(1, 4, 1, 2, 4),
            "targets of a group, in warps' widths on a GPU (1 or 2) or packs on the cpu (1, "
            "2 or 4); 2 from order 4 on"),
        text::field("levels", &TreeSchedule::levels, text::in_range(1, 21, 16, 21),
                    "levels below the root: keys have three bits each"),
        text::field(
            "cut", &TreeSchedule::cut, text::in_range(0, 64, 0, 2, 4),
            "groups that meet more than so many times the mean of the sums before are walked "
            "for in small parts; 0: none; GPUs"),
        text::field("threads", &TreeSchedule::threads, text::in_range(0, 4096, 0),
                    "of the cpu; 0: one a core")};
  }
};

} // namespace ridge::pairs
