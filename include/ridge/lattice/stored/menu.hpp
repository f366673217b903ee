// The menu of a launch on stored fields: its schedules, and the facts of a launch under each.
#pragma once

#include <ridge/lattice/stored/schedule.hpp>
#include <ridge/pattern/menu.hpp>

#include <memory>
#include <string>

namespace ridge::lattice {

/// Memory traffic of a kernel that reads the neighbours along all dimensions, in bytes.
struct StoredUse {
  double neighbours = 0; ///< a value of the field whose neighbours are read
  double link = 0;       ///< one link
  double own = 0;        ///< what a result reads beside, at its own place
  double written = 0;    ///< a result
  double flops = 0;      ///< a result
  int numbers = 66; ///< real ones that a thread holds at once: a sum, a link, half a spinor twice
};

[[nodiscard]] std::unique_ptr<Menu> stored_menu(const SiteGrid& grid, const StoredTraits& traits,
                                                const StoredUse& use, const ridge::Place& place);

} // namespace ridge::lattice
