// The schedules without measuring: from the numbers of bodies and what the device runs at a time.
#include <ridge/device/kind.hpp>
#include <ridge/pairs/variants.hpp>

#include "schedule_detail.hpp"

#include <algorithm>

namespace ridge::pairs {

namespace {

/// Threads a multiprocessor runs at a time when each has a register tile of targets.
constexpr Index threads_a_unit = 512;

/// Whether a thread has registers for tiles of eight bodies in fp32; with half of them eight would
/// spill.
bool fits_eight(const Device& device) {
  return device.facts().warp_width >= facts_of(device).full_warp;
}

TileFacts tile_facts(const Traits& traits) {
  return {traits.mutual, traits.stored_bytes == 4 && traits.computed_bytes == 4,
          traits.stored_bytes != traits.computed_bytes, traits.targets + traits.sums,
          traits.sources};
}

void take(GpuSchedule& s, const DirectVariant& variant) {
  s.stage = variant.stage;
  s.tile = variant.tile;
  s.unroll = variant.unroll;
  s.ways = variant.ways;
}

/// Blocks whose sources and totals fit the shared memory, of one warp at least: interactions of
/// many sums have large totals.
void shrink_to_fit(GpuSchedule& s, const Device& device, const Traits& traits) {
  constexpr Index control = 16;
  const Index body = ceil_div(Index{traits.sources} * traits.computed_bytes, 16) * 16;
  const Index staged = (s.stage == Stage::warp ? 4 : 2) * body;
  const Index totals = Index{s.tile} * traits.sums * traits.summed_bytes;
  const Index room = device.facts().shared_per_block.value;
  const int width = std::max(1, device.facts().warp_width);
  while (s.block / 2 >= width && control + s.block * (staged + totals) > room)
    s.block /= 2;
}

/// Targets for which tiles of sources are shared by a block and each thread has several targets:
/// sources are split so that blocks come in many rounds, of which the last, part-filled one costs
/// little, but no part is small.
GpuSchedule for_many(const Device& device, const Traits& traits, const Bodies& bodies) {
  GpuSchedule s;
  s.block = 128;
  take(s, variant_for_many(tile_facts(traits), fits_eight(device)));
  shrink_to_fit(s, device, traits);
  const Index blocks = ceil_div(bodies.targets, Index{s.block} * s.tile);
  const Index at_once = std::max<Index>(1, device.facts().units * (threads_a_unit / s.block));
  const Index most = std::clamp<Index>(bodies.sources / 1024, 1, 65536);
  s.split = static_cast<int>(std::clamp<Index>(ceil_div(60 * at_once, blocks), 1, most));
  return s;
}

/// Fewer targets: a warp's width of targets, or a few times that, a block, whose warps divide the
/// sources among them. Where a warp's width is enough, so do the parts of a warp: each source that
/// a lane reads serves several targets all the same.
GpuSchedule for_few(const Device& device, const Traits& traits, const Bodies& bodies) {
  GpuSchedule s;
  s.divide = Divide::sources;
  const Index width = std::max(1, device.facts().warp_width);
  const Index units = std::max(1, device.facts().units);
  // The most targets of a block that leave a block for nearly every multiprocessor.
  Index widths = 1;
  const TileFacts facts = tile_facts(traits);
  for (const int more : {2, 4})
    if (takes_four_of_few(facts) && bodies.targets * 10 >= width * more * units * 9) widths = more;
  take(s, variant_for_few(facts, static_cast<int>(widths)));
  s.block =
      std::min(widths == 4 ? 256 : most_threads(s.stage, s.tile), device.facts().max_block_threads);
  shrink_to_fit(s, device, traits);
  const Index blocks = ceil_div(bodies.targets, width * widths);
  const Index wanted = widths == 4 ? 4 * units : units;
  const Index warps = s.block / width;
  const Index most = std::clamp<Index>(bodies.sources / (warps * width), 1, 65536);
  s.split = static_cast<int>(std::clamp<Index>(wanted / blocks, 1, most));
  // Blocks that take turns would wait longer than they work.
  if (s.split > 1) s.combine = Combine::last;
  return s;
}

} // namespace

namespace detail {

/// Every target visits all sources.
GpuSchedule direct_for(const Device& device, const Traits& traits, const Bodies& bodies) {
  const double enough = static_cast<double>(device.facts().units) * threads_a_unit * 32768;
  const bool many =
      static_cast<double>(bodies.targets) * static_cast<double>(bodies.sources) > enough;
  return many ? for_many(device, traits, bodies) : for_few(device, traits, bodies);
}

/// Every pair once.
GpuSchedule symmetric_for(const Device& device, const Traits& traits, const Bodies& bodies) {
  GpuSchedule s;
  s.form = Form::symmetric;
  const SymmetricVariant variant = symmetric_variant(
      takes_wide_tiles(tile_facts(traits)) && fits_eight(device) && bodies.sources >= 131072);
  s.tile = variant.tile;
  s.unroll = variant.unroll;
  s.block = bodies.sources < 49152 ? 64 : 128;
  return s;
}

} // namespace detail

Schedule default_schedule(const Device& device, const Traits& traits, const Bodies& bodies) {
  if (!facts_of(device).takes_gpu_schedules) {
    CpuSchedule s;
    const Index lanes = device.facts().simd_bytes / traits.computed_bytes;
    // A tile that leaves threads without targets is too large.
    const Index threads = device.facts().units;
    while (s.tile > 1 && bodies.targets < threads * lanes * s.tile * 2)
      s.tile /= 2;
    return s;
  }
  const GpuSchedule symmetric = detail::symmetric_for(device, traits, bodies);
  // Enough rows of bodies that all pairs of rows fill the device a few times; once where arithmetic
  // is in fp64, of which half is saved. On an H100 12288 bodies take 255 us, direct 220, and 14336
  // take 283, direct 339.
  const Index rows = bodies.sources / (Index{symmetric.block} * symmetric.tile);
  const Index at_once = Index{device.facts().units} * (threads_a_unit / symmetric.block);
  const double rounds =
      static_cast<double>(rows) * static_cast<double>(rows) / 2 / static_cast<double>(at_once);
  const double enough = traits.computed_bytes == 8 ? 1.25 : 3;
  // Each lane reads another source there: beyond six components that takes longer than what is
  // computed with it, where all lanes of the direct form read the same one.
  constexpr int most_components = 6;
  const bool reads_little = traits.computed_bytes == 8 || traits.sources <= most_components;
  if (traits.mutual && bodies.same && reads_little && rounds > enough) return symmetric;
  return detail::direct_for(device, traits, bodies);
}

} // namespace ridge::pairs
