// The lane of the emulated GPU: what ridge/device/lane.hpp says, checked.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/simt/shared.hpp>

#include <atomic>

namespace ridge::simt {

template <int Width>
class Lane : public LaneContext {
public:
  static_assert(Width == 32 || Width == 64);
  static constexpr int warp_width = Width;
  using LaneContext::LaneContext;

  // Fields.

  template <class T>
  [[nodiscard]] RIDGE_FN std::remove_const_t<T> load(Span<T> from, Index i) const {
    check(from, i, "load");
    return from.data[i];
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
  void fence() const { std::atomic_thread_fence(std::memory_order_seq_cst); }

  // Shared memory.

  template <class T>
  [[nodiscard]] SharedArray<T> shared(int byte_offset, int count) const {
    return {*this, byte_offset, count};
  }
  template <class T>
  RIDGE_FN T atomic_add(const SharedArray<T>& to, Index i, std::type_identity_t<T> value) const {
    return to[i].add(value);
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

  /// Begins to copy `count` elements.
  template <class T, class From>
  requires std::is_same_v<T, std::remove_const_t<From>>
  void copy_async(const SharedArray<T>& to, Index to_index, Span<From> from, Index from_index,
                  int count) const {
    static_assert(sizeof(T) % 4 == 0, "asynchronous copies move whole 32-bit words");
    if (count <= 0) return;
    if (to_index < 0 || to_index > to.size() - count)
      fault_shared(to_index < 0 ? to_index : to_index + count - 1, to.size());
    if (from_index < 0 || from_index > from.size - count)
      fault_field("copy_async", from_index, count, from.size);
    issue_copy(to.offset(to_index), from.data + from_index, count * static_cast<int>(sizeof(T)),
               to_index);
  }
  /// Closes a group of the copies that this lane began since the last one.
  void copy_commit() const { commit_copies(); }
  /// Returns when all but the latest `Pending` groups of this lane have arrived.
  template <int Pending>
  void copy_wait() const {
    static_assert(Pending >= 0);
    wait_for_copies(Pending);
  }

private:
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
