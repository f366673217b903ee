// The lane context: everything a GPU kernel may do beside arithmetic.
//
// A kernel body is called once per thread with a lane. Lanes of CUDA and HIP turn each call into an
// instruction or two; lanes of the emulated GPU check it first. All lanes offer:
//
//   int width() const                            lanes of a warp: a constant to GPUs' compilers;
//                                                bodies for the emulated GPU are compiled once for
//                                                both of its widths
//   static constexpr int warp_width;             the same as a constant everywhere, for bodies with
//                                                constant_width (launch.hpp)
//   static constexpr int least_width;            width() is this times a power of two
//   Dim3 block() const, thread() const;         index of the block in the grid, thread in the block
//   Dim3 grid_extent() const, block_extent() const;
//   int rank() const;                            x + y * nx + z * nx * ny within the block
//   int lane() const;                            rank() % width()
//
//   T load(Span<const T>, Index)                 cached read, of what the launch does not write;
//                                                load_nontemporal: past the caches
//   T load_written(Span<T>, Index)               read of what the launch may write
//   Pack<T, N> load_pack<N>(Span<const T>, Index)   N elements, the first aligned to N * sizeof(T)
//   void store(Span<T>, Index, T) / store_nontemporal(...)   also of packs (aligned likewise)
//   T atomic_add(Span<T>, Index, T)              returns the value before; int, unsigned, float or
//                                                double; also on a shared array
//
//   T load_relaxed(Span<T>, Index)               a read that sees what other blocks write meanwhile
//
//   auto shared<T>(int byte_offset, int count)   an array in the block's shared memory; s[i] reads
//                                                and writes; name the type when you keep a value:
//                                                `const double v = s[i]`
//   Pack<T, N> load_shared_pack<N>(s, int)       N elements of a shared array, aligned likewise
//   void barrier()                               all threads of the block
//   void warp_barrier()                          all lanes of the warp
//   T shuffle(T, int source_lane)                value of another lane of the warp
//   T shuffle_xor(T, int mask)
//   void fence()                                 device-wide order of this lane's memory accesses
//   void fence_system()                          the same for what other devices see
//   void signal(Span<unsigned>, Index, unsigned) a store that another device, or block, awaits: it
//                                                sees then what this lane did and saw before
//   void await(Span<unsigned>, Index, unsigned)  returns when this value, or a later one in the
//                                                order of counting, was signalled
//
// Barriers and shuffles are collective: every thread of the block, or lane of the warp, reaches the
// same one. Shared memory written by one lane is read by another only after a barrier. Blocks of
// kernels that shuffle are whole warps.
//
// Where Lane::has_bulk_copy (Hopper, emulated), some warps may fetch while others compute:
//
//   auto bars = shared<PhaseBarrier>(...)        barriers that count arrivals and bytes
//   void phase_begin(bars, i, int arrivals)      once, by one lane, before a barrier()
//   void phase_arrive(bars, i)
//   void phase_arrive_expecting(bars, i, int bytes)   arrives; the phase also needs these bytes
//   void phase_wait(bars, i, int parity)         returns when the phase of that parity is over
//   void bulk_copy(bars, i, s, int, Span<const T>, Index, int count)
//                                                copies into a shared array, counted on barrier i;
//                                                addresses and size are multiples of 16 bytes
//   void fence_bulk()                            before the arrival that lets a bulk copy overwrite
//                                                what this lane has read
//
// Where Lane::has_async_copy (NVIDIA from compute capability 8.0 on, emulated):
//
//   void copy_async<N>(s, int, Span<const T>, Index)   begins to copy N elements, 4, 8 or 16 bytes,
//                                                aligned likewise, into a shared array
//   void copy_commit()                           closes a group of the copies this lane began
//   void copy_wait<Pending>()                    returns when all but its latest `Pending` groups
//                                                have arrived: this lane may read them now
#pragma once

#include <cstdint>

namespace ridge {

/// A barrier in shared memory whose phases end after so many arrivals and bytes copied.
struct PhaseBarrier {
  std::uint64_t state;
};

/// Three small extents or coordinates: of blocks in a grid or threads in a block.
struct Dim3 {
  int x = 1, y = 1, z = 1;
  [[nodiscard]] constexpr long long count() const { return static_cast<long long>(x) * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

} // namespace ridge
