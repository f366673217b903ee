// The schedule of a site loop or a reduction on a GPU, emulated or not.
#pragma once

#include <ridge/core/text.hpp>
#include <ridge/lattice/schedule_fields.hpp>
#include <ridge/lattice/variant.hpp>

namespace ridge::lattice {

/// A block has a thread for each lane of `groups` site groups.
struct GpuSchedule {
  int groups = 64;
  int items = 4;
  Components components = Components::threads;
  int bounds = 1024;
  Store store = Store::plain;
  Passes reduce = Passes::fused;
  Finish finish = Finish::last;
  int spread = 0;

  friend bool operator==(const GpuSchedule&, const GpuSchedule&) = default;

  static constexpr auto fields() {
    return Fields{
        text::field("groups", &GpuSchedule::groups, text::in_range(1, 256, 2, 4, 8, 16, 32, 64),
                    "site groups of a block"),
        text::field(
            "items", &GpuSchedule::items, text::in_range(1, 32, 1, 4, 8, 16),
            "accesses of 16 bytes, or sites, that a thread has under way at once; 8: each is "
            "replaced as soon as it is taken, in reductions of whole fields; else like 16"),
        text::field("components", &GpuSchedule::components,
                    text::one_of(Components::threads, Components::serial),
                    "components of a site across threads, or one after the other in a thread"),
        text::field("bounds", &GpuSchedule::bounds, text::in_range(32, 1024, 1024, 256),
                    "most threads a block may have, a multiple of 32; told to the compiler, but in "
                    "reductions and maps of fields, where items says it"),
        text::field("store", &GpuSchedule::store, text::one_of(Store::plain, Store::nontemporal),
                    "through the caches, or past them"),
        text::field("reduce", &GpuSchedule::reduce,
                    text::one_of(Passes::fused, Passes::staged, Passes::once),
                    "reductions in one pass, or through a result a site in memory; once: in one "
                    "pass without a loop, a block for each tile"),
        text::field("finish", &GpuSchedule::finish, text::one_of(Finish::last, Finish::second),
                    "what blocks leave is added up by the last block, or by a second launch"),
        text::field("spread", &GpuSchedule::spread, text::in_range(0, 64, 0, 4),
                    "blocks a unit in reductions; 0: as many as it holds")};
  }

  static std::string problem(const GpuSchedule& s) {
    if (s.bounds % 32 != 0) return "bounds is a multiple of 32";
    if (s.items > 4 && s.bounds > 256) {
      return "items beyond 4 need the registers of bounds=256";
    }
    if (s.items == 8 && (s.reduce != Passes::fused || s.finish != Finish::second)) {
      return "items=8 goes with reduce=fused finish=second";
    }
    if (s.reduce == Passes::once && (s.finish != Finish::second || s.spread != 0)) {
      return "reduce=once has a block for each tile: it goes with finish=second spread=0";
    }
    return {};
  }
};

} // namespace ridge::lattice
