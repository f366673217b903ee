#include "cores.hpp"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace ridge::comm {

namespace {

struct Place {
  char host[64];
  cpu_set_t cores;
};

/// Binds this process to the `rank`-th of `ranks` parts of the cores it may use; cores of one cache
/// stay together.
void take_share(int rank, int ranks) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return;
  if (hwloc_topology_load(topology) == 0) {
    const hwloc_bitmap_t mine = hwloc_bitmap_alloc();
    std::vector<hwloc_bitmap_t> parts(static_cast<std::size_t>(ranks));
    if (hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_topology_restrict(topology, mine, 0) == 0) {
      hwloc_obj_t root = hwloc_get_root_obj(topology);
      const auto count = static_cast<unsigned>(ranks);
      const int cores = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
      if (hwloc_distrib(topology, &root, 1, parts.data(), count, cores, 0) == 0) {
        (void)hwloc_set_cpubind(topology, parts[static_cast<std::size_t>(rank)],
                                HWLOC_CPUBIND_PROCESS); // a wish, not a need
        for (const hwloc_bitmap_t part : parts)
          hwloc_bitmap_free(part);
      }
    }
    hwloc_bitmap_free(mine);
  }
  hwloc_topology_destroy(topology);
}

} // namespace

void share_cores(Communicator& world) {
  Place mine{};
  CPU_ZERO(&mine.cores);
  (void)gethostname(mine.host, sizeof(mine.host) - 1);
  (void)sched_getaffinity(0, sizeof(mine.cores), &mine.cores);
  std::vector<Place> all(static_cast<std::size_t>(world.ranks()));
  world.all_gather(&mine, sizeof(mine), all.data());
  if (world.local_ranks() == 1) return;
  // Where the ranks of a machine may use the same cores nobody has placed them.
  for (const Place& other : all) {
    const bool here = std::strcmp(other.host, mine.host) == 0;
    if (here && CPU_EQUAL(&other.cores, &mine.cores) == 0) return;
  }
  take_share(world.local_rank(), world.local_ranks());
}

} // namespace ridge::comm
