// Votes and reductions of a warp, for kernels that see a lane context (ridge/device/lane.hpp):
//
//   LaneMask ballot(lane, bool)       a bit for each lane of the warp; collective, as shuffles are
//   int popcount(LaneMask)            how many bits are set
//   int first_lane(LaneMask)          the lowest of them; one must be set
//   int lanes_before(lane, LaneMask)  how many of them are of lanes before this one
//   T warp_min(lane, T), warp_max(lane, T)   of the values of all lanes; collective
//
// On CUDA and HIP each is an instruction or a few.
#pragma once

#include <ridge/core/config.hpp>

#include <cstdint>

#if defined(RIDGE_TARGET_SIMT)
#include <ridge/device/simt/lane.hpp>
#elif defined(RIDGE_TARGET_GPU)
#include <ridge/device/gpu/lane.hpp>
#endif

#if defined(RIDGE_TARGET_GPU)

namespace ridge::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CUDA)
using LaneMask = std::uint32_t;
#else
using LaneMask = std::uint64_t;
#endif

template <class Lane>
RIDGE_DEVICE LaneMask ballot(const Lane& lane, bool vote) {
#if defined(RIDGE_TARGET_CUDA)
  (void)lane;
  return __ballot_sync(0xffffffffu, vote);
#elif defined(RIDGE_TARGET_HIP)
  (void)lane;
  return __ballot(vote);
#else
  auto& votes = lane.warp().exchange[lane.warp().half];
  votes[lane.lane()][0] = std::byte{vote};
  lane.meet(simt::Collective::shuffle, 1);
  LaneMask mask = 0;
  for (int l = 0; l < lane.warp().lanes; ++l)
    mask |= LaneMask{votes[l][0] == std::byte{1}} << l;
  return mask;
#endif
}

RIDGE_DEVICE int popcount(LaneMask mask) {
#if defined(RIDGE_TARGET_CUDA)
  return __popc(mask);
#else
  return __builtin_popcountll(mask);
#endif
}

RIDGE_DEVICE int first_lane(LaneMask mask) {
#if defined(RIDGE_TARGET_CUDA)
  return __ffs(static_cast<int>(mask)) - 1;
#else
  return __builtin_ctzll(mask);
#endif
}

template <class Lane>
RIDGE_DEVICE int lanes_before(const Lane& lane, LaneMask mask) {
  return popcount(mask & ((LaneMask{1} << lane.lane()) - 1));
}

template <class Lane, class T>
RIDGE_DEVICE T warp_min(const Lane& lane, T value) {
  RIDGE_UNROLL
  for (int mask = lane.width() / 2; mask > 0; mask /= 2) {
    const T other = lane.shuffle_xor(value, mask);
    value = other < value ? other : value;
  }
  return value;
}

template <class Lane, class T>
RIDGE_DEVICE T warp_max(const Lane& lane, T value) {
  RIDGE_UNROLL
  for (int mask = lane.width() / 2; mask > 0; mask /= 2) {
    const T other = lane.shuffle_xor(value, mask);
    value = value < other ? other : value;
  }
  return value;
}

} // namespace ridge::inline RIDGE_TARGET_NAME

#endif
