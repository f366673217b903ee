// The lane of the emulated GPU: what ridge/device/lane.hpp says, checked.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/simt/shared.hpp>

#include <atomic>

namespace ridge::simt {

/// A lane's knowledge of its warp when it is compiled: the width, or with 0 nothing, so that a body
/// is compiled once for both.
template <int Width>
class WarpWidth {
public:
  static_assert(Width == 32 || Width == 64);
  static constexpr int warp_width = Width;
  static constexpr int least_width = Width;
};
template <>
class WarpWidth<0> {
public:
  static constexpr int least_width = 32;
};

template <int Width>
class Lane : public LaneContext, public WarpWidth<Width> {
public:
  static constexpr bool has_bulk_copy = true;
  static constexpr bool has_async_copy = true;
  static constexpr bool emulated = true;
  using LaneContext::LaneContext;

  [[nodiscard]] RIDGE_FN int width() const {
    if constexpr (Width == 0) {
      return 1 << state().warp_shift;
    } else {
      return Width;
    }
  }

  // Fields.

  template <class T>
  [[nodiscard]] RIDGE_FN std::remove_const_t<T> load(Span<T> from, Index i) const {
    check(from, i, "load");
    return from.data[i];
  }
  /// A read of what this launch may write.
  template <class T>
  [[nodiscard]] RIDGE_FN std::remove_const_t<T> load_written(Span<T> from, Index i) const {
    return load(from, i);
  }
  /// A read that sees what other blocks write meanwhile.
  template <class T>
  [[nodiscard]] RIDGE_FN T load_relaxed(Span<T> from, Index i) const {
    check(from, i, "load_relaxed");
    return std::atomic_ref<T>(from.data[i]).load(std::memory_order_relaxed);
  }
  /// A read past the caches.
  template <class T>
  [[nodiscard]] RIDGE_FN std::remove_const_t<T> load_nontemporal(Span<T> from, Index i) const {
    return load(from, i);
  }
  template <int N, class T>
  [[nodiscard]] RIDGE_FN Pack<std::remove_const_t<T>, N> load_pack(Span<T> from, Index i) const {
    check_pack<N>(from, i, "load");
    return Pack<std::remove_const_t<T>, N>::load(from.data + i);
  }
  template <class T>
  RIDGE_FN void store(Span<T> to, Index i, std::type_identity_t<T> value) const {
    check(to, i, "store");
    to.data[i] = value;
  }
  template <class T, int N>
  RIDGE_FN void store(Span<T> to, Index i, const Pack<T, N>& value) const {
    check_pack<N>(to, i, "store");
    value.store(to.data + i);
  }
  template <class T>
  RIDGE_FN void store_nontemporal(Span<T> to, Index i, std::type_identity_t<T> value) const {
    store(to, i, value);
  }
  template <class T, int N>
  RIDGE_FN void store_nontemporal(Span<T> to, Index i, const Pack<T, N>& value) const {
    store(to, i, value);
  }
  /// Returns the value before. Blocks run on several host threads, so this is atomic indeed.
  template <class T>
  RIDGE_FN T atomic_add(Span<T> to, Index i, std::type_identity_t<T> value) const {
    check(to, i, "atomic_add");
    return std::atomic_ref<T>(to.data[i]).fetch_add(value);
  }
  /// Here reads are over when the next statement runs: nothing to order.
  void fence_bulk() const {}
  void fence() const { std::atomic_thread_fence(std::memory_order_seq_cst); }
  void fence_system() const { fence(); }
  void signal(Span<unsigned> to, Index i, unsigned value) const {
    check(to, i, "signal");
    std::atomic_ref<unsigned>(to.data[i]).store(value, std::memory_order_release);
  }
  void await(Span<unsigned> from, Index i, unsigned value) const {
    check(from, i, "await");
    await_signal(std::atomic_ref<unsigned>(from.data[i]), value, i);
  }

  // Shared memory.

  template <class T>
  [[nodiscard]] SharedArray<T> shared(int byte_offset, int count) const {
    return {*this, byte_offset, count};
  }
  template <class T>
  RIDGE_FN T atomic_add(const SharedArray<T>& to, Index i, std::type_identity_t<T> value) const {
    return to[i].add(value);
  }

  /// Elements index to index + N - 1; the first begins at a multiple of the pack's size. Elements
  /// that nobody has written are NaN: a pack may hold more than its reader needs.
  template <int N, class T>
  [[nodiscard]] RIDGE_FN Pack<T, N> load_shared_pack(const SharedArray<T>& from, int index) const {
    check_shared_pack<N>(from, index);
    Pack<T, N> pack;
    for (int i = 0; i < N; ++i)
      pack.set(i, from[index + i].read_or_poison());
    return pack;
  }

  // Exchange within the warp.

  template <class T>
  [[nodiscard]] T shuffle(const T& value, int source) const {
    return exchange(value, source, Collective::shuffle);
  }
  template <class T>
  [[nodiscard]] T shuffle_xor(const T& value, int mask) const {
    return exchange(value, lane() ^ mask, Collective::shuffle_xor);
  }

  // Asynchronous copies from fields into shared memory. The destination must be left alone from the
  // copy until this lane has waited for it; other lanes see the data after a barrier behind that.

  /// Begins to copy N elements, 4, 8 or 16 bytes, both sides aligned likewise.
  template <int N, class T, class From>
  requires std::is_same_v<T, std::remove_const_t<From>>
  void copy_async(const SharedArray<T>& to, Index to_index, Span<From> from,
                  Index from_index) const {
    constexpr int bytes = N * static_cast<int>(sizeof(T));
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    check_shared_pack<N>(to, to_index);
    check_pack<N>(from, from_index, "copy_async");
    issue_copy(to.offset(to_index), from.data + from_index, bytes, to_index);
  }
  /// Closes a group of the copies that this lane began since the last one.
  void copy_commit() const { commit_copies(); }
  /// Returns when all but the latest `Pending` groups of this lane have arrived.
  template <int Pending>
  void copy_wait() const {
    static_assert(Pending >= 0);
    wait_for_copies(Pending);
  }

  // Phase barriers, and bulk copies into shared memory that they count. Who has waited for a phase
  // sees what those who arrived in it did before, and the data of its copies.

  /// Phase 0 begins. A phase is over after so many arrivals, and the bytes that it expects; then
  /// the next begins, with the same number. Once a block, before a barrier().
  void phase_begin(const SharedArray<PhaseBarrier>& bars, int i, int arrivals) const {
    begin_phases(place(bars, i), arrivals);
  }
  void phase_arrive(const SharedArray<PhaseBarrier>& bars, int i) const {
    arrive_at_phase(place(bars, i), 0);
  }
  /// Arrives, and adds to the bytes that the phase must receive.
  void phase_arrive_expecting(const SharedArray<PhaseBarrier>& bars, int i, int bytes) const {
    arrive_at_phase(place(bars, i), bytes);
  }
  /// Returns when the current phase is not, or no longer, of this parity.
  void phase_wait(const SharedArray<PhaseBarrier>& bars, int i, int parity) const {
    wait_for_phase(place(bars, i), parity);
  }
  /// Begins to copy `count` elements; barrier `i` counts their bytes.
  template <class T, class From>
  requires std::is_same_v<T, std::remove_const_t<From>>
  void bulk_copy(const SharedArray<PhaseBarrier>& bars, int i, const SharedArray<T>& to,
                 Index to_index, Span<From> from, Index from_index, int count) const {
    const PhasePlace at = place(bars, i);
    if (count <= 0) return;
    if (to_index < 0 || to_index > to.size() - count)
      fault_shared(to_index < 0 ? to_index : to_index + count - 1, to.size());
    if (from_index < 0 || from_index > from.size - count)
      fault_field("bulk_copy", from_index, count, from.size);
    const From* source = from.data + from_index;
    const int bytes = count * static_cast<int>(sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(source);
    if (address % bulk_alignment != 0) fault_bulk_alignment(to_index, "source", address);
    const auto offset = static_cast<std::uintptr_t>(to.offset(to_index));
    if (offset % bulk_alignment != 0) fault_bulk_alignment(to_index, "destination", offset);
    if (bytes % bulk_alignment != 0)
      fault_bulk_alignment(to_index, "size", static_cast<std::uintptr_t>(bytes));
    issue_bulk(at, to.offset(to_index), source, bytes, to_index);
  }

private:
  [[nodiscard]] PhasePlace place(const SharedArray<PhaseBarrier>& bars, int i) const {
    if (i < 0 || i >= bars.size()) fault_shared(i, bars.size());
    return {bars.offset(i), i};
  }

  template <class T>
  RIDGE_FN void check(Span<T> span, Index i, const char* what) const {
    if (i < 0 || i >= span.size) [[unlikely]]
      fault_field(what, i, 1, span.size);
  }
  template <int N, class T>
  RIDGE_FN void check_pack(Span<T> span, Index i, const char* what) const {
    if (i < 0 || i > span.size - N) [[unlikely]]
      fault_field(what, i, N, span.size);
    if (reinterpret_cast<std::uintptr_t>(span.data + i) % (N * sizeof(T)) != 0) [[unlikely]]
      fault_alignment(what, i, span.data, N, sizeof(T));
  }

  template <int N, class T>
  RIDGE_FN void check_shared_pack(const SharedArray<T>& array, Index index) const {
    if (index < 0 || index > array.size() - N) [[unlikely]]
      fault_shared(index < 0 ? index : index + N - 1, array.size());
    if (array.offset(index) % (N * static_cast<int>(sizeof(T))) != 0) [[unlikely]]
      fault_shared_alignment(index, array.offset(index), N, sizeof(T));
  }

  template <class T>
  [[nodiscard]] T exchange(const T& value, int source, Collective kind) const {
    static_assert(std::is_trivially_copyable_v<T>, "to shuffle s[i], name its type first");
    static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= max_shuffle_bytes,
                  "shuffles move whole 32-bit words, 64 bytes at most");
    if (source < 0 || source >= warp().lanes) [[unlikely]]
      fault_missing_lane(source);
    // The half is this shuffle's until all lanes have come to the next.
    auto& values = warp().exchange[warp().half];
    std::memcpy(values[lane()], &value, sizeof(T));
    meet(kind, sizeof(T));
    T result;
    std::memcpy(&result, values[source], sizeof(T));
    return result;
  }
};

} // namespace ridge::simt
