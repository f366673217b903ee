// The schedule of a pair summation on a GPU, emulated or not.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/pairs/schedule_fields.hpp>

#include <string>

namespace ridge::pairs {

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
    return Fields{
        text::field("form", &GpuSchedule::form, text::one_of(Form::direct, Form::symmetric),
                    "every target visits all sources, or every pair of bodies is computed once"),
        text::field("stage", &GpuSchedule::stage,
                    text::one_of(Stage::shared, Stage::shuffle, Stage::both, Stage::warp),
                    "sources shared through shared memory, shuffles, first one and then the other, "
                    "or shared memory of each warp"),
        text::field("tile", &GpuSchedule::tile, text::in_range(1, 16, 1, 2, 4, 8),
                    "targets of a thread"),
        text::field("block", &GpuSchedule::block, text::in_range(32, 512, 64, 128, 256, 512),
                    "threads of a block; whole warps"),
        text::field("divide", &GpuSchedule::divide, text::one_of(Divide::targets, Divide::sources),
                    "what the warps of a block divide among them; stage=warp or shuffle"),
        text::field("ways", &GpuSchedule::ways, text::in_range(1, 32, 1, 2, 4),
                    "parts of a warp that visit sources of their own, for as many times fewer "
                    "targets: a power of two; stage=warp"),
        text::field("split", &GpuSchedule::split, text::in_range(1, 65536, 1, 3),
                    "parts of the sources, each visited by blocks of its own; form=direct"),
        text::field("unroll", &GpuSchedule::unroll, text::in_range(1, 16, 2, 4),
                    "sources a turn of the inner loop takes"),
        text::field("combine", &GpuSchedule::combine, text::one_of(Combine::ordered, Combine::last),
                    "partial sums of split sources: in turn, or by the last block")};
  }

  static std::string problem(const GpuSchedule& s) {
    const int most = most_threads(s.stage, s.tile);
    if (s.block > most) {
      return "this stage and tile=" + std::to_string(s.tile) + " go with blocks of at most " +
             std::to_string(most) + " threads";
    }
    if (s.block % 32 != 0) return "block is a multiple of 32";
    return s.form == Form::symmetric ? symmetric_problem(s) : direct_problem(s);
  }

private:
  static std::string symmetric_problem(const GpuSchedule& s) {
    if (s.stage != Stage::shared || s.divide != Divide::targets || s.ways != 1 || s.split != 1 ||
        s.combine != Combine::ordered) {
      return "form=symmetric goes with stage=shared divide=targets ways=1 split=1 "
             "combine=ordered";
    }
    if (s.block * s.tile % symmetric_chunk != 0) {
      return "form=symmetric takes rows of block times tile bodies, a multiple of " +
             std::to_string(symmetric_chunk);
    }
    if (!is_power_of_two(s.unroll)) return "form=symmetric takes unroll=1, 2, 4, 8 or 16";
    return {};
  }
  static std::string direct_problem(const GpuSchedule& s) {
    if (s.stage == Stage::warp && s.unroll != 4) return "stage=warp goes with unroll=4";
    if (s.divide == Divide::sources && s.stage != Stage::warp && s.stage != Stage::shuffle) {
      return "divide=sources goes with stage=warp or stage=shuffle";
    }
    if (!is_power_of_two(s.ways)) return "ways is 1, 2, 4, 8, 16 or 32";
    if (s.ways > 1 && s.stage != Stage::warp) return "ways=2 and more go with stage=warp";
    if (s.split == 1 && s.combine != Combine::ordered) {
      return "combine is for split sources; with split=1 give combine=ordered";
    }
    return {};
  }
  static constexpr bool is_power_of_two(int value) { return (value & (value - 1)) == 0; }
};

} // namespace ridge::pairs
