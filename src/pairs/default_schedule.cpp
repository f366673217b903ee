// The schedules without measuring: from the numbers of bodies and what the device runs at a time.
#include "schedule_detail.hpp"

#include <algorithm>

namespace ridge::pairs {

namespace {

Index pieces(Index whole, Index part) {
  return (whole + part - 1) / part;
}

/// Threads a multiprocessor runs at a time when each has this many registers' worth of targets.
constexpr Index threads_a_unit = 512;

/// Splits the sources so that blocks come in many rounds: the last, part-filled one then costs
/// little. A part is no smaller than `least` sources.
int split_for(const Device& device, Index blocks, Index block, Index sources, Index least,
              Index rounds) {
  const Index at_once = std::max<Index>(1, device.facts().units * (threads_a_unit / block));
  const Index wanted = pieces(rounds * at_once, blocks);
  const Index most = std::max<Index>(1, sources / least);
  return static_cast<int>(std::clamp<Index>(wanted, 1, std::min<Index>(most, 65536)));
}

} // namespace

namespace detail {

/// Every target visits all sources.
GpuSchedule direct_for(const Device& device, const Traits& traits, const Bodies& bodies) {
  GpuSchedule s;
  s.block = 128;
  const Index at_once = Index{device.facts().units} * threads_a_unit;
  // A register tile where there are enough targets to fill the device several times over, or where
  // splitting the sources makes up for it.
  const bool many = bodies.targets * bodies.sources > at_once * 16384;
  if (many) {
    s.tile = traits.computed_bytes == 4 && traits.whole_space && traits.precision == "fp32" ? 8 : 4;
    s.unroll = traits.whole_space ? 2 : 4;
    const Index blocks = pieces(bodies.targets, Index{s.block} * s.tile);
    s.split = split_for(device, blocks, s.block, bodies.sources, 1024, 60);
  } else {
    s.tile = 1;
    const Index blocks = pieces(bodies.targets, s.block);
    s.split = split_for(device, blocks, s.block, bodies.sources, 128, 2);
    // Blocks that take turns would wait longer than they work.
    if (s.split > 1) s.combine = Combine::last;
  }
  return s;
}

/// Every pair once.
GpuSchedule symmetric_for(const Traits& traits, const Bodies& bodies) {
  GpuSchedule s;
  s.form = Form::symmetric;
  s.unroll = 2;
  s.tile = traits.whole_space && traits.computed_bytes == 4 ? 8 : 4;
  s.block = bodies.sources >= 200000 ? 128 : 64;
  return s;
}

} // namespace detail

Schedule default_schedule(const Device& device, const Traits& traits, const Bodies& bodies) {
  if (device.kind() == DeviceKind::cpu) {
    CpuSchedule s;
    const Index lanes = device.facts().simd_bytes / traits.computed_bytes;
    // A tile that leaves threads without targets is too large.
    const Index threads = device.facts().units;
    while (s.tile > 1 && bodies.targets < threads * lanes * s.tile * 2)
      s.tile /= 2;
    return s;
  }
  const GpuSchedule symmetric = detail::symmetric_for(traits, bodies);
  // Enough rows of bodies that all pairs of rows fill the device a few times.
  const Index rows = bodies.sources / (Index{symmetric.block} * symmetric.tile);
  const Index at_once = Index{device.facts().units} * (threads_a_unit / symmetric.block);
  if (traits.mutual && bodies.same && rows * rows / 2 > 4 * at_once) return symmetric;
  return detail::direct_for(device, traits, bodies);
}

} // namespace ridge::pairs
