// Traffic of a launch between memory and the last-level cache, and its causes.
#pragma once

#include <ridge/model/description.hpp>
#include <ridge/model/reuse.hpp>
#include <ridge/model/stencil_access.hpp>

#include <string>

namespace ridge::model {

/// Which reuse fails first, by the bytes that it costs.
enum class Failing {
  none,
  planes,          ///< planes are gone when the next block comes to them
  slab_halos,      ///< planes at the edges of blocks or chunks
  rows,            ///< rows are gone when the next block comes to them
  columns,         ///< points in x at the edges of blocks
  subdomain_halos, ///< rows at the edges of launches
  tile_halos,      ///< rows and points at the edges of tiles
  spills,          ///< registers that go to memory
  line_fills       ///< lines of results that are read before they are written
};
[[nodiscard]] std::string to_text(Failing failing);

/// Traffic of one launch (of all its parts), in bytes.
struct Traffic {
  double fetched = 0;      ///< from memory
  double fetched_low = 0;  ///< under the assumptions that are kindest ...
  double fetched_high = 0; ///< ... and unkindest: hash of the cache, waits, its parts
  double written = 0;      ///< to memory
  double requested = 0;    ///< rows read and written by threads, as the cache counts them
  Failing failing = Failing::none;
  std::string cause; ///< `failing` and its figures, as a sentence; "none" when nothing fails

  /// The share of all requests that did not go to memory; 0 to 1.
  [[nodiscard]] double hit_rate() const;
};

/// The part of a cache in parts where a line lies that units read.
enum class Copies {
  none,   ///< in the part where its memory is: one cache
  likely, ///< there, and in another part where a unit of that one read it
  all     ///< in every part
};

/// Assumptions about what no data sheet tells.
struct Assumptions {
  Hash hash = Hash::between;
  Copies copies = Copies::likely;
  double wait_share = -1; ///< of a block's life between two planes; < 0: from the latencies
  bool halos = true;      ///< rows at the edges of sub-domains and tiles are fetched again
  bool sectors = true;    ///< memory is read by sectors, not by elements
};

/// The skewed layer condition (docs/model.md): analytic, a few microseconds. The band covers the
/// assumptions; `assume` is what the figure in its middle takes.
[[nodiscard]] Traffic traffic_of(const StencilAccess& access, const Description& device,
                                 const Assumptions& assume = {});

/// Blocks that are resident on the whole device; at most those of a launch.
[[nodiscard]] double resident_blocks(const StencilAccess& access, const Description& device);

/// Registers a thread has no room for, of 32 bits.
[[nodiscard]] double spilled_registers(const StencilAccess& access, const Description& device);

/// The part of a block's life between its uses of two planes that follow each other; 0 where
/// nothing is waited for in between.
[[nodiscard]] double wait_share(const StencilAccess& access, const Description& device);

} // namespace ridge::model
