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
/// each warp takes a source a lane.
enum class Stage { shared, shuffle, both };
constexpr auto enum_names(Stage) {
  return std::array<std::string_view, 3>{"shared", "shuffle", "both"};
}

/// How the partial sums of blocks that share targets come together: `ordered`, each block adds its
/// own when those before it have; `last`, the last block to finish adds all in order; `atomic`, as
/// they come. Only the last kind gives other bits from run to run.
enum class Combine { ordered, last, atomic };
constexpr auto enum_names(Combine) {
  return std::array<std::string_view, 3>{"ordered", "last", "atomic"};
}

/// Larger register tiles leave registers for fewer threads.
constexpr int most_threads(int tile) {
  return tile >= 8 ? 128 : 256;
}

struct GpuSchedule {
  Form form = Form::direct;
  Stage stage = Stage::shared;
  int tile = 1;
  int block = 128;
  int split = 1;
  int unroll = 4;
  Combine combine = Combine::ordered;

  friend bool operator==(const GpuSchedule&, const GpuSchedule&) = default;

  static constexpr auto fields() {
    return std::tuple{
        text::field("form", &GpuSchedule::form, text::one_of(Form::direct, Form::symmetric),
                    "every target visits all sources, or every pair of bodies is computed once"),
        text::field("stage", &GpuSchedule::stage,
                    text::one_of(Stage::shared, Stage::shuffle, Stage::both),
                    "sources shared through shared memory, shuffles, or first one and then the "
                    "other"),
        text::field("tile", &GpuSchedule::tile, text::one_of(1, 2, 4, 8), "targets of a thread"),
        text::field("block", &GpuSchedule::block, text::one_of(64, 128, 256), "threads of a block"),
        text::field("split", &GpuSchedule::split, text::in_range(1, 65536, 1, 3),
                    "parts of the sources, each visited by blocks of its own; form=direct"),
        text::field("unroll", &GpuSchedule::unroll, text::one_of(2, 4),
                    "sources a turn of the inner loop takes"),
        text::field("combine", &GpuSchedule::combine,
                    text::one_of(Combine::ordered, Combine::last, Combine::atomic),
                    "partial sums of split sources: in turn, by the last block, or atomically")};
  }

  static std::string problem(const GpuSchedule& s) {
    if (s.block > most_threads(s.tile)) {
      return "tile=" + std::to_string(s.tile) + " goes with blocks of at most " +
             std::to_string(most_threads(s.tile)) + " threads";
    }
    if (s.form == Form::symmetric) {
      if (s.stage != Stage::shared || s.split != 1 || s.combine != Combine::ordered) {
        return "form=symmetric goes with stage=shared split=1 combine=ordered";
      }
      if (s.tile < 4) return "form=symmetric is compiled for tile=4 and tile=8";
      if (s.unroll != 2) return "form=symmetric is compiled for unroll=2";
    } else {
      if (s.stage != Stage::shared && s.unroll != 4) {
        return "stage=shuffle and stage=both are compiled for unroll=4";
      }
      if (s.split == 1 && s.combine != Combine::ordered) {
        return "combine is for split sources; with split=1 give combine=ordered";
      }
    }
    return {};
  }
};

} // namespace ridge::pairs
