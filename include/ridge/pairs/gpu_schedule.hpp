// The schedule of a pair summation on a GPU, emulated or not.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/text.hpp>

#include <array>
#include <string>
#include <string_view>

namespace ridge::pairs {

/// Whether each target visits all sources, or each pair of bodies is computed once for both.
enum class Form { direct, symmetric };
constexpr auto enum_names(Form) {
  return std::array<std::string_view, 2>{"direct", "symmetric"};
}

/// How the lanes share what one of them has loaded: `shared`, tiles of sources in shared memory;
/// `shuffle`, a source a lane, exchanged within the warp; `both`, tiles in shared memory from which
/// each warp takes a source a lane; `warp`, tiles in shared memory that each warp has for itself,
/// so that warps do not wait for each other.
enum class Stage { shared, shuffle, both, warp };
constexpr auto enum_names(Stage) {
  return std::array<std::string_view, 4>{"shared", "shuffle", "both", "warp"};
}

/// What the warps of a block divide among them: the block's targets, each warp visiting all sources
/// of the block; or its sources, all warps having the same targets, for few of those.
enum class Divide { targets, sources };
constexpr auto enum_names(Divide) {
  return std::array<std::string_view, 2>{"targets", "sources"};
}

/// How the partial sums of blocks that share targets come together: `ordered`, each block adds its
/// own when those before it have; `last`, the last block to finish adds all in order; `atomic`, as
/// they come. Only the last kind gives other bits from run to run.
enum class Combine { ordered, last, atomic };
constexpr auto enum_names(Combine) {
  return std::array<std::string_view, 3>{"ordered", "last", "atomic"};
}

/// Larger register tiles leave registers for fewer threads.
constexpr int most_threads(Stage stage, int tile) {
  return stage == Stage::warp ? 512 : tile >= 8 ? 128 : 256;
}

struct GpuSchedule {
  Form form = Form::direct;
  Stage stage = Stage::shared;
  int tile = 1;
  int block = 128;
  Divide divide = Divide::targets;
  int ways = 1;
  int split = 1;
  int unroll = 4;
  Combine combine = Combine::ordered;

  friend bool operator==(const GpuSchedule&, const GpuSchedule&) = default;

  static constexpr auto fields() {
    return std::tuple{
        text::field("form", &GpuSchedule::form, text::one_of(Form::direct, Form::symmetric),
                    "every target visits all sources, or every pair of bodies is computed once"),
        text::field("stage", &GpuSchedule::stage,
                    text::one_of(Stage::shared, Stage::shuffle, Stage::both, Stage::warp),
                    "sources shared through shared memory, shuffles, first one and then the other, "
                    "or shared memory of each warp"),
        text::field("tile", &GpuSchedule::tile, text::one_of(1, 2, 4, 8), "targets of a thread"),
        text::field("block", &GpuSchedule::block, text::one_of(64, 128, 256, 512),
                    "threads of a block"),
        text::field("divide", &GpuSchedule::divide, text::one_of(Divide::targets, Divide::sources),
                    "what the warps of a block divide among them; stage=warp or shuffle"),
        text::field("ways", &GpuSchedule::ways, text::one_of(1, 2, 4),
                    "parts of a warp that visit sources of their own, for as many times fewer "
                    "targets; stage=warp, at most tile"),
        text::field("split", &GpuSchedule::split, text::in_range(1, 65536, 1, 3),
                    "parts of the sources, each visited by blocks of its own; form=direct"),
        text::field("unroll", &GpuSchedule::unroll, text::one_of(2, 4),
                    "sources a turn of the inner loop takes"),
        text::field("combine", &GpuSchedule::combine,
                    text::one_of(Combine::ordered, Combine::last, Combine::atomic),
                    "partial sums of split sources: in turn, by the last block, or atomically")};
  }

  static std::string problem(const GpuSchedule& s) {
    const int most = most_threads(s.stage, s.tile);
    if (s.block > most) {
      return "this stage and tile=" + std::to_string(s.tile) + " go with blocks of at most " +
             std::to_string(most) + " threads";
    }
    if (s.form == Form::symmetric) {
      if (s.stage != Stage::shared || s.divide != Divide::targets || s.ways != 1 || s.split != 1 ||
          s.combine != Combine::ordered) {
        return "form=symmetric goes with stage=shared divide=targets ways=1 split=1 "
               "combine=ordered";
      }
      if (s.tile < 4) return "form=symmetric is compiled for tile=4 and tile=8";
      const int unroll = s.tile == 8 ? 4 : 2;
      if (s.unroll != unroll) {
        return "form=symmetric with tile=" + std::to_string(s.tile) +
               " is compiled for unroll=" + std::to_string(unroll);
      }
    } else {
      if (s.stage != Stage::shared && s.unroll != 4) {
        return "only stage=shared is compiled for other values than unroll=4";
      }
      if (s.stage == Stage::warp && s.tile > 4) {
        return "stage=warp is compiled for tile=1, 2 and 4";
      }
      if (s.divide == Divide::sources && s.stage != Stage::warp && s.stage != Stage::shuffle) {
        return "divide=sources goes with stage=warp or stage=shuffle";
      }
      if (s.ways > 1 && s.stage != Stage::warp) return "ways=2 and 4 go with stage=warp";
      if (s.ways > s.tile) return "ways is at most tile";
      if (s.split == 1 && s.combine != Combine::ordered) {
        return "combine is for split sources; with split=1 give combine=ordered";
      }
    }
    return {};
  }
};

} // namespace ridge::pairs
