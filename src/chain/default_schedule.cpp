// The schedule without measuring: from cache sizes, extents and what the chain declares.
#include <ridge/chain/cpu/wave.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/chain/schedule.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/kind.hpp>

#include <algorithm>

namespace ridge::chain {

namespace {

Index bytes_outside(const Description& d, const Range& n) {
  Index bytes = 0;
  for (const Array& a : d.arrays)
    if (a.role != Role::temporary && !a.profile) bytes += n.items() * d.element_bytes;
  return bytes;
}

/// Bytes that one item of a tile along x keeps in use: of temporaries, and of the user's arrays as
/// many rows as operations reach over.
Index bytes_an_item(const Description& d, const Plan& plan, Index items) {
  Index bytes = plan.tile_elements * d.element_bytes / items;
  const int last = static_cast<int>(d.operations.size()) - 1;
  for (std::size_t i = 0; i < d.arrays.size(); ++i) {
    if (d.arrays[i].profile || plan.arrays[i].home != Home::user) continue;
    Index rows = 1;
    for (int k = 0; k <= last; ++k) {
      const Reach r = d.operations[static_cast<std::size_t>(k)].reach(static_cast<int>(i));
      rows = std::max<Index>(rows, (1 + r.high.y - r.low.y) * (1 + r.high.z - r.low.z));
    }
    bytes += rows * d.element_bytes;
  }
  return std::max<Index>(bytes, d.element_bytes);
}

constexpr Index least_tile = 512; // items of a tile, that starting one costs nothing
constexpr Index line_items = 64;  // items along x that tiles are multiples of

/// Of a chain that scans: whole columns, as many as keep what goes from run to run in half of the
/// L2, and no more than leave each thread a few tiles.
TileShape column_tile(const DeviceFacts& facts, const Description& d, const Range& n, Join join) {
  const Index l2 = facts.l2.value > 0 ? facts.l2.value : Index{1} << 20;
  TileShape tile{n.x, d.rank > 2 ? 1 : n.y, n.z};
  const Plan plan = make_plan(d, n, {fuse_all, join == Join::points, tile, false});
  const Index bytes = std::max<Index>(1, plan.tile_elements * d.element_bytes / n.x);
  const Index threads = ridge::cpu::default_threads();
  const Index rows = d.rank > 2 ? n.y : 1;
  const Index share = n.x * rows * n.instances() / (threads * 4);
  const Index room = std::max(line_items, std::min(l2 / 2 / bytes, share));
  const Index parts = tiles_of(n.x, std::min(room, n.x));
  tile.x = (tiles_of(n.x, parts) + line_elements - 1) / line_elements * line_elements;
  tile.x = std::min(tile.x, n.x);
  if (rows > 1 && tile.x == n.x) tile.y = std::clamp<Index>(room / n.x, 1, n.y);
  return tile;
}

/// Tiles of one item along the last dimension, or as many as make a tile worth its start.
/// What they keep in use fits half of the L1, or where such tiles are too short, half of the L2.
TileShape cpu_tile(const DeviceFacts& facts, const Description& d, const Range& n, Join join) {
  if (d.scans_in(0, d.last())) return column_tile(facts, d, n, join);
  const Index l2 = facts.l2.value > 0 ? facts.l2.value : Index{1} << 20;
  TileShape tile{n.x, n.y > 1 ? 1 : n.y, n.z > 1 ? 1 : n.z};
  TileShape trial = tile;
  trial.x = std::min(trial.x, Index{4096});
  const Plan plan = make_plan(d, n, {fuse_all, join == Join::points, trial, false});
  const Index bytes = bytes_an_item(d, plan, d.dimensions[0].independent ? trial.x : n.x);
  const Index near = facts.l1.value / 2 / bytes;
  const Index room = near >= least_tile ? near : l2 / 2 / bytes;
  const Index threads = ridge::cpu::default_threads();
  if (n.y == 1 && n.z == 1) {
    const Index share = (n.x + threads * 4 - 1) / (threads * 4);
    tile.x = std::clamp(std::min(room, share), std::min(least_tile, n.x), n.x);
  } else {
    tile.x = std::clamp(room, std::min(least_tile, n.x), n.x);
  }
  // Equal parts of whole lines: the last tile is no crumb.
  const Index parts = tiles_of(n.x, tile.x);
  tile.x = (tiles_of(n.x, parts) + line_items - 1) / line_items * line_items;
  tile.x = std::min(tile.x, n.x);
  Index items = tile.x;
  for (const int dim : {1, 2}) {
    const Index extent = dim == 1 ? n.y : n.z;
    Index& size = dim == 1 ? tile.y : tile.z;
    if (extent == 1 || items >= least_tile) continue;
    const Index share = std::clamp<Index>(extent * n.instances() / threads, 1, extent);
    size = std::min(share, (least_tile + items - 1) / items);
    items *= size;
  }
  return tile;
}

/// Bytes that one row of a wave's block keeps in use until its last group is done with them.
Index wave_row_bytes(const Description& d, const Plan& plan, const std::vector<WaveLag>& wave) {
  Index planes = 0;
  for (std::size_t a = 0; a < d.arrays.size(); ++a) {
    Index first = 1;
    Index last = 0;
    for (std::size_t g = 0; g < wave.size(); ++g) {
      for (int k = plan.groups[g].first; k <= plan.groups[g].last; ++k) {
        for (const Access& access : d.operations[static_cast<std::size_t>(k)].accesses) {
          if (access.array != static_cast<int>(a)) continue;
          const bool none = first > last;
          first = none ? access.reach.low.z - wave[g].z
                       : std::min(first, access.reach.low.z - wave[g].z);
          last = none ? access.reach.high.z - wave[g].z
                      : std::max(last, access.reach.high.z - wave[g].z);
        }
      }
    }
    planes += last - first + 1;
  }
  return planes * (plan.extents.x + 2 * Index{d.dimensions[0].beyond}) * d.element_bytes;
}

/// Operations between given ends that run as a wave: blocks of rows whose planes fit the L2.
bool set_wave(const DeviceFacts& facts, const Description& d, const Range& n, CpuSchedule& s) {
  if (d.dimensions[0].edge != Edge::given || d.rank != 3 || n.instances() > 1) return false;
  const Plan plan = make_plan(d, n, {fuse_all, true, {n.x, n.y, n.z}, false});
  const std::vector<WaveLag> wave = wave_of(d, plan, fuse_all);
  if (wave.empty()) return false;
  const Index l2 = facts.l2.value > 0 ? facts.l2.value : Index{1} << 20;
  const Index rows = wave_rows(d, wave, l2 / 4 * 3 / wave_row_bytes(d, plan, wave));
  s.tile = {n.x, std::min(rows, n.y), 1};
  return true;
}

CpuSchedule cpu_default(const DeviceFacts& facts, const Description& d, const Range& n,
                        Join join = Join::points) {
  CpuSchedule s;
  s.join = join;
  if (set_wave(facts, d, n, s)) return s;
  s.tile = cpu_tile(facts, d, n, join);
  if (bytes_outside(d, n) > facts.last_level_cache.value) {
    s.store = Store::nontemporal;
    // Memory follows the items in one dimension only.
    if (n.y == 1 && n.z == 1 && stalls_between_pages(facts)) s.streams = 8;
  }
  return s;
}

/// True where an operation reads an array around the item by itself.
bool reads_across(const Description& d) {
  if (d.rank < 2) return false;
  for (const OperationInfo& op : d.operations) {
    for (const Access& a : op.accesses) {
      const Reach& r = a.reach;
      if (r.high.x > r.low.x && r.high.y > r.low.y && (d.rank < 3 || r.high.z > r.low.z))
        return true;
    }
  }
  return false;
}

/// True where all operations say which items are interior, for which lanes then march.
bool says_interior(const Description& d) {
  return std::all_of(d.operations.begin(), d.operations.end(),
                     [](const OperationInfo& op) { return op.says_interior; });
}

/// True where an operation reads more than two items away along the last dimension.
bool reads_far(const Description& d) {
  constexpr int near = 2;
  for (const OperationInfo& op : d.operations) {
    for (const Access& a : op.accesses)
      if (std::max(a.reach.high.z, -a.reach.low.z) > near) return true;
  }
  return false;
}

/// Threads along x, and rows where x is short. Lanes that march read what the rows beside theirs
/// have read: a block is square then.
BlockShape block_for(const Description& d, const Range& n) {
  if (d.marches_alone())
    return d.rank > 2 && n.y > 1 ? BlockShape{{32, 4, 1}} : BlockShape{{128, 1, 1}};
  // For each row of its own a block of one row reads five from the L2 in three dimensions, one of 4
  // rows in two planes 2.5; in two dimensions three, and one of 8 rows 1.25. Chains that do not say
  // which items are interior compute more at each, and are fastest in these
  // (docs/design/python.md).
  const Edge edge = d.dimensions[0].edge;
  const bool wide = n.x >= 32 && n.y >= 8 && reads_across(d);
  if (wide && (edge == Edge::clamp || edge == Edge::periodic)) {
    if (n.z == 1) return BlockShape{{32, 8, 1}};
    if (says_interior(d)) return BlockShape{{32, 4, 2}};
    return reads_far(d) ? BlockShape{{32, 4, 1}} : BlockShape{{64, 4, 1}};
  }
  // Adjoints of stencils, which stay within their arrays (docs/design/chains.md).
  if (wide && edge == Edge::none && n.z > 1 && d.operations.size() == 1)
    return BlockShape{{32, 4, 1}};
  // Where several arrays are read around the item a lane takes 100 registers and more: of blocks of
  // 128 a multiprocessor holds more warps.
  BlockShape block{{d.dimensions[0].edge == Edge::given ? 128 : 256, 1, 1}};
  while (block.x > 32 && block.x / 2 >= n.x && (n.y > 1 || n.instances() > 1)) {
    block.x /= 2;
    (n.y > 1 ? block.y : block.z) *= 2;
  }
  return block;
}

/// The groups that the chain lists, each in one launch.
Fuse listed_groups(const Description& d) {
  Fuse fuse = fuse_none;
  for (const auto& g : d.groups) {
    for (int k = g.first; k < g.last; ++k)
      fuse.joints |= std::uint64_t{1} << k;
  }
  return fuse;
}

/// How the groups of several operations pass values, and the most that any overlaps;
/// Passing::memory where they differ or need shared memory for their tiles.
PassedGroup passing_of_groups(const Description& d, const Range& n, const Fuse& fuse) {
  PassedGroup all;
  bool first = true;
  for (const GroupPlan& g : make_plan(d, n, {fuse, true, {n.x, n.y, n.z}, true}).groups) {
    if (g.runs.size() < 2) continue;
    const PassedGroup one = d.passing_of(g.first, g.last);
    if (!first && all.passing != one.passing) return {};
    const int overlap = std::max(all.overlap, one.overlap);
    all = one;
    all.overlap = overlap;
    first = false;
  }
  return all;
}

/// Ranges so small that a launch waits for its instructions one after the other, not for memory.
bool few_items(const DeviceFacts& facts, const Range& n) {
  constexpr Index items_a_unit = 2048;
  return n.items() <= items_a_unit * std::max(facts.units, 1);
}

/// Where lanes of a warp exchange values: rows of a block's warps, or a row a warp.
void set_warp_tile(const DeviceFacts& facts, const Range& n, int overlap, GpuSchedule& s) {
  constexpr Index most_rows = 8;
  constexpr int small_rows = 4;
  const int width = std::max(facts.warp_width, 1);
  if (few_items(facts, n) && n.y > 1) {
    s.block = BlockShape{{width, small_rows, 1}};
    s.tile = {width - overlap, small_rows, 1};
    return;
  }
  s.block = BlockShape{{128, 1, 1}};
  const Index rows = std::clamp<Index>(n.items() / (4096 * std::max(facts.units, 1)), 1, most_rows);
  s.tile = {s.block.x / width * (width - overlap), n.y > 1 ? rows : 1, 1};
}

/// Where lanes march along the last dimension: as many rows as leave lanes enough.
void set_march_tile(const DeviceFacts& facts, const Range& n, GpuSchedule& s) {
  constexpr Index most_rows = 64;
  s.block = BlockShape{{128, 1, 1}};
  s.tile = {128, 1, 1};
  (n.z > 1 ? s.tile.z : s.tile.y) =
      std::clamp<Index>(n.items() / (256 * std::max(facts.units, 1)), 1, most_rows);
}

/// Where lanes of a block exchange values along a dimension: the rows of a block that give the
/// units the fewest warps to compute, those that compute the same among them.
void set_block_tile(const DeviceFacts& facts, const PassedGroup& group, const Range& n,
                    GpuSchedule& s) {
  constexpr int warp = 32; // blocks are whole warps of any width that fit this one's
  const Index units = std::max(facts.units, 1);
  const bool in_rows = group.along == 0;
  const int across = in_rows ? 1 : 8; // half a cache line of each row
  const Index row_items = group.along == 0 ? n.x : group.along == 1 ? n.y : n.z;
  const Index others = tiles_of(n.items() / row_items, across);
  Index fewest = 0;
  for (int threads = warp; threads <= most_block_threads; threads += warp) {
    const int rows = threads / across;
    const int each = rows - group.overlap;
    if (each < 1) continue;
    const Index blocks = tiles_of(row_items, each) * others;
    const Index warps = tiles_of(blocks, units) * (threads / warp);
    if (fewest > 0 && warps >= fewest) continue;
    fewest = warps;
    s.block = group.along == 0   ? BlockShape{{rows, 1, 1}}
              : group.along == 1 ? BlockShape{{across, rows, 1}}
                                 : BlockShape{{across, 1, rows}};
    s.tile = group.along == 0   ? TileShape{each, 1, 1}
             : group.along == 1 ? TileShape{across, each, 1}
                                : TileShape{across, 1, each};
  }
}

/// Groups whose lanes keep the items they compute. False where a group needs shared memory for its
/// tiles.
bool set_lane_tile(const DeviceFacts& facts, const Description& d, const Range& n, GpuSchedule& s) {
  constexpr Index most_blocks = 65535; // along y and z
  const PassedGroup all = passing_of_groups(d, n, s.fuse);
  if (all.passing == Passing::memory) return false;
  s.steps = 1;
  if (all.passing == Passing::march) set_march_tile(facts, n, s);
  if (all.passing == Passing::lanes) set_warp_tile(facts, n, all.overlap, s);
  if (all.passing == Passing::block) set_block_tile(facts, all, n, s);
  s.tile.y = std::max(s.tile.y, tiles_of(n.y, most_blocks));
  s.tile.z = std::max(s.tile.z, tiles_of(n.z, most_blocks));
  s.tile = {std::min(s.tile.x, n.x), std::min(s.tile.y, n.y), std::min(s.tile.z, n.z)};
  return true;
}

/// Blocks of rows where tiles overlap along x: together with the overlap, a warp's width divides
/// them. Else rows follow each other, and overlap only at the begin. Halved until three blocks fit
/// the shared memory.
void set_gpu_tile(const DeviceFacts& facts, const Description& d, const Range& n, GpuSchedule& s) {
  if (set_lane_tile(facts, d, n, s)) return;
  constexpr Index large = Index{1} << 20; // items, from which on tiles may be large
  const bool small = n.items() < large;
  const int halo = d.dimensions[0].halo;
  if (halo > 0) {
    s.block = small ? BlockShape{{128, 1, 1}} : BlockShape{{32, 8, 1}};
    s.tile = {(small ? 128 : 256) - halo, small ? 2 : 8, 1};
  } else {
    s.block = small ? BlockShape{{128, 1, 1}} : BlockShape{{256, 1, 1}};
    s.tile = {small ? 128 : 256, 4, 1};
    s.steps = small ? 1 : 8;
  }
  s.tile = {std::min(s.tile.x, n.x), std::min(s.tile.y, n.y), 1};
  for (;;) {
    const Plan plan = make_plan(d, n, {s.fuse, true, s.tile, true});
    if (3 * plan.tile_elements * d.element_bytes <= facts.shared_per_block.value) return;
    if (s.tile.x <= 1 && s.tile.y <= 1) return;
    Index& longer = s.tile.y > 1 ? s.tile.y : s.tile.x;
    longer = (longer + 1) / 2;
  }
}

/// One launch of all operations whose lanes keep the items they compute, if there can be one.
bool set_one_launch(const DeviceFacts& facts, const Description& d, const Range& n,
                    GpuSchedule& s) {
  GpuSchedule one = s;
  one.fuse = fuse_all;
  if (!set_lane_tile(facts, d, n, one) ||
      make_plan(d, n, {one.fuse, true, one.tile, true}).groups.size() > 1)
    return false;
  s = one;
  return true;
}

/// Lanes of a block that have a column each: as many as leave the units several blocks, and less
/// where columns keep much in shared memory, which blocks of few lanes fill best. Columns that do
/// not fit run one operation a launch.
void set_columns(const Device& device, const Description& d, const Range& n, GpuSchedule& s) {
  const DeviceFacts& facts = device.facts();
  const bool copies = copies_asynchronously(device);
  s.fuse = d.groups.empty() ? fuse_all : listed_groups(d);
  const Plan plan = make_plan(d, n, {s.fuse, true, s.tile, true});
  Index elements = 0;
  for (const GroupPlan& g : plan.groups)
    elements = std::max(elements, d.passing_of(g.first, g.last).lane_elements(n, copies));
  const Index bytes = elements * d.element_bytes;
  const int width = std::max(facts.warp_width, 1);
  const Index columns = n.x * (d.rank > 2 ? n.y : 1) * n.instances();
  int threads = std::min(4 * width, most_block_threads);
  while (threads > width && columns < Index{4} * threads * std::max(facts.units, 1))
    threads /= 2;
  while (threads > width && 4 * threads * bytes > facts.shared_per_block.value)
    threads /= 2;
  s.block = BlockShape{{threads, 1, 1}};
  if (!plan.note.empty() || threads * bytes > facts.shared_per_block.value) s.fuse = fuse_none;
}

/// Items of a lane that marches: as many as leave lanes enough, and in three dimensions no more
/// than 16: 32 cost up to 4 % of what elastic waves and Maxwell reach (docs/design/chains.md).
int marched_items(const DeviceFacts& facts, const Description& d, const Range& n) {
  constexpr Index lanes_of_unit = 1536;
  const Index most = d.rank > 2 ? std::min<Index>(16, n.z) : std::min<Index>(32, n.y);
  const Index lanes = lanes_of_unit * std::max(facts.units, 1);
  return static_cast<int>(std::clamp<Index>(ceil_div(n.items(), lanes), 1, most));
}

/// Lanes that march through the items away from all ends, where the chain says which these are:
/// rows that leave the units blocks enough, and blocks of few rows beside theirs. A lane of a short
/// column spends its time on the rows before it; other chains have an item a lane.
void set_interior(const DeviceFacts& facts, const Description& d, const Range& n, GpuSchedule& s) {
  constexpr Index access_bytes = 16;
  constexpr Index lanes_of_unit = 4096;
  constexpr Index least = 8;
  if (!reads_across(d) || !says_interior(d) || d.joined_ends()[0] != d.last() || n.x < 32) return;
  const Index items = access_bytes / d.element_bytes;
  const Index rows = n.items() / (items * lanes_of_unit * std::max(facts.units, 1));
  if (rows < least) return;
  s.steps = static_cast<int>(std::min<Index>(d.rank > 2 ? 64 : 16, rows));
  s.block = d.rank > 2 ? BlockShape{{32, 4, 1}} : BlockShape{{128, 1, 1}};
}

GpuSchedule gpu_default(const Device& device, const Description& d, const Range& n) {
  const DeviceFacts& facts = device.facts();
  GpuSchedule s;
  s.block = block_for(d, n);
  if (d.marches_alone()) s.steps = marched_items(facts, d, n);
  s.tile = {std::min<Index>(64, n.x), std::min<Index>(4, n.y), 1};
  if (d.scans_in(0, d.last())) {
    set_columns(device, d, n, s);
    return s;
  }
  // In registers all operations cost one launch and no traffic between them. Where lanes compute
  // some items twice instead, few launches are what counts only for few items. A march of two
  // operations computes one row of many twice: what they pass need not go through the memory then
  // (docs/design/chains.md).
  const bool marches = d.groups.empty() && d.last() == 1 &&
                       passing_of_groups(d, n, fuse_all).passing == Passing::march;
  const bool pays =
      few_items(facts, n) || (marches && bytes_outside(d, n) > facts.last_level_cache.value);
  set_interior(facts, d, n, s);
  if (d.last() > 0 && d.joined_ends()[0] == d.last()) {
    s.fuse = fuse_all;
  } else if (pays && set_one_launch(facts, d, n, s)) {
  } else if (!d.groups.empty()) {
    s.fuse = listed_groups(d);
    if (n.instances() == 1) set_gpu_tile(facts, d, n, s); // else items by themselves
  }
  return s;
}

std::vector<NamedSchedule> cpu_names(const Device& device, const Description& d, const Range& n) {
  const CpuSchedule chosen = cpu_default(device.facts(), d, n);
  CpuSchedule fission = chosen;
  fission.fuse = fuse_none;
  fission.join = Join::none;
  fission.store = Store::plain;
  CpuSchedule streaming = fission;
  streaming.store = Store::nontemporal;
  const CpuSchedule tiled = cpu_default(device.facts(), d, n, Join::none);
  return {{"fission", fission},
          {"fission-nontemporal", streaming},
          {"tiled", tiled},
          {"fused", chosen}};
}

} // namespace

bool copies_asynchronously(const Device& device) {
  return is_from(device.facts().architecture, facts_of(device).asynchronous_copies_from);
}

int cpu_threads(const CpuSchedule& s, const Range& n) {
  if (s.threads > 0) return s.threads;
  constexpr Index items_worth_a_thread = 16384;
  const Index worth = n.items() / items_worth_a_thread;
  return static_cast<int>(std::clamp<Index>(worth, 1, ridge::cpu::default_threads()));
}

/// Schedules are chosen for the range that executors have; their tiles are those of the user's.
template <class S>
S unfolded_of(const Description& d, const Range& range, S schedule) {
  schedule.tile = unfolded(d, range, schedule.tile);
  return schedule;
}

std::vector<NamedSchedule> named_schedules(const Device& device, const Description& d,
                                           const Range& range) {
  const Range n = folded(d, range);
  std::vector<NamedSchedule> all;
  if (!facts_of(device).takes_gpu_schedules) {
    all = cpu_names(device, d, n);
  } else {
    GpuSchedule fused = gpu_default(device, d, n);
    GpuSchedule fission = fused;
    fission.fuse = fuse_none;
    if (fission.steps == 1) fission.block = block_for(d, n);
    if (fused.fuse != fuse_all) {
      fused.fuse = fuse_all;
      if (!d.scans_in(0, d.last()) && n.instances() == 1) set_gpu_tile(device.facts(), d, n, fused);
    }
    all = {{"fission", fission}, {"fused", fused}};
  }
  for (NamedSchedule& s : all) {
    std::visit([&](auto& of_kind) { of_kind = unfolded_of(d, range, of_kind); }, s.schedule);
  }
  return all;
}

Schedule default_schedule(const Device& device, const Description& d, const Range& range) {
  const Range n = folded(d, range);
  if (!facts_of(device).takes_gpu_schedules)
    return unfolded_of(d, range, cpu_default(device.facts(), d, n));
  return unfolded_of(d, range, gpu_default(device, d, n));
}

} // namespace ridge::chain
