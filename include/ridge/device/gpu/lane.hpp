// The lane of CUDA and HIP: each call is an instruction or two. See ridge/device/lane.hpp.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/gpu/intrinsics.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/device/view.hpp>

#if defined(RIDGE_TARGET_CUDA)
#include <ridge/device/gpu/bulk.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// The register-sized vector that moves a pack of `Bytes` bytes in one access.
template <int Bytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned int;
};
#if defined(RIDGE_TARGET_CUDA)
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};
#else
// The compiler's own vectors: HIP's have no non-temporal store.
template <>
struct Word<8> {
  using type = unsigned int __attribute__((ext_vector_type(2)));
};
template <>
struct Word<16> {
  using type = unsigned int __attribute__((ext_vector_type(4)));
};
#endif

/// Copies a few bytes between registers. NVRTC has no builtin for it; HIP's memcpy is a loop.
RIDGE_DEVICE void copy_bytes(void* to, const void* from, std::size_t bytes) {
#if defined(__CUDACC_RTC__)
  memcpy(to, from, bytes);
#else
  __builtin_memcpy(to, from, bytes);
#endif
}

template <class To, class From>
RIDGE_DEVICE To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  copy_bytes(&to, &from, sizeof(To));
  return to;
}

template <class V>
RIDGE_DEVICE V streaming_load(const V* from) {
#if defined(RIDGE_TARGET_CUDA)
  return __ldcs(from);
#else
  return __builtin_nontemporal_load(from);
#endif
}
template <class V>
RIDGE_DEVICE void streaming_store(V* to, V value) {
#if defined(RIDGE_TARGET_CUDA)
  __stcs(to, value);
#else
  __builtin_nontemporal_store(value, to);
#endif
}

class Lane
#if defined(RIDGE_TARGET_CUDA)
    : public BulkCopies
#endif
{
public:
#if defined(RIDGE_TARGET_HIP)
  static constexpr bool has_bulk_copy = false;
  static constexpr bool has_async_copy = false;
#endif
#if defined(RIDGE_TARGET_CUDA)
  static constexpr int warp_width = 32;
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
  static constexpr int warp_width = __AMDGCN_WAVEFRONT_SIZE;
#else
  static constexpr int warp_width = 64; // the host's pass of a HIP source: lanes never run there
#endif

  static constexpr int least_width = warp_width;
  static RIDGE_DEVICE constexpr int width() {
    return warp_width;
  }

  RIDGE_DEVICE Dim3 block() const {
    return dim(blockIdx);
  }
  RIDGE_DEVICE Dim3 thread() const {
    return dim(threadIdx);
  }
  RIDGE_DEVICE Dim3 grid_extent() const {
    return dim(gridDim);
  }
  RIDGE_DEVICE Dim3 block_extent() const {
    return dim(blockDim);
  }
  RIDGE_DEVICE int rank() const {
    return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  }
  RIDGE_DEVICE int lane() const {
    return rank() % warp_width;
  }

  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> load(const Span<T>& from, Index i) const {
#if defined(RIDGE_TARGET_CUDA)
    return __ldg(from.data + i);
#else
    return from.data[i];
#endif
  }
  /// A read of what this launch may write.
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> load_written(const Span<T>& from, Index i) const {
    return from.data[i];
  }
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> load_nontemporal(const Span<T>& from, Index i) const {
    return streaming_load(from.data + i);
  }
  template <class T>
  RIDGE_DEVICE T load_relaxed(const Span<T>& from, Index i) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    Bits value;
#if defined(RIDGE_TARGET_CUDA)
    if constexpr (sizeof(T) == 4) {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(from.data + i)
                   : "memory");
    } else {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                   : "=l"(value)
                   : "l"(from.data + i)
                   : "memory");
    }
#else
    value = __atomic_load_n(reinterpret_cast<const Bits*>(from.data + i), __ATOMIC_RELAXED);
#endif
    return bit_cast<T>(value);
  }
  template <int N, class T>
  RIDGE_DEVICE Pack<std::remove_const_t<T>, N> load_pack(const Span<T>& from, Index i) const {
    using P = Pack<std::remove_const_t<T>, N>;
#if defined(RIDGE_TARGET_CUDA)
    // As doubles from the start: put together from halves they would be copied between registers.
    if constexpr (std::is_same_v<std::remove_const_t<T>, double> && N == 2) {
      return bit_cast<P>(__ldg(reinterpret_cast<const double2*>(from.data + i)));
    }
#endif
    using W = typename Word<sizeof(P)>::type;
    const W* const at = reinterpret_cast<const W*>(from.data + i);
#if defined(RIDGE_TARGET_CUDA)
    return bit_cast<P>(__ldg(at));
#else
    return bit_cast<P>(*at);
#endif
  }
  template <class T>
  RIDGE_DEVICE void store(const Span<T>& to, Index i, std::type_identity_t<T> value) const {
    to.data[i] = value;
  }
  template <class T, int N>
  RIDGE_DEVICE void store(const Span<T>& to, Index i, const Pack<T, N>& value) const {
    using W = typename Word<sizeof(value)>::type;
    *reinterpret_cast<W*>(to.data + i) = bit_cast<W>(value);
  }
  template <class T>
  RIDGE_DEVICE void store_nontemporal(const Span<T>& to, Index i,
                                      std::type_identity_t<T> value) const {
    streaming_store(to.data + i, value);
  }
  template <class T, int N>
  RIDGE_DEVICE void store_nontemporal(const Span<T>& to, Index i, const Pack<T, N>& value) const {
    using W = typename Word<sizeof(value)>::type;
    streaming_store(reinterpret_cast<W*>(to.data + i), bit_cast<W>(value));
  }
  template <class T>
  RIDGE_DEVICE T atomic_add(const Span<T>& to, Index i, std::type_identity_t<T> value) const {
    return atomicAdd(to.data + i, value);
  }
  template <class T>
  RIDGE_DEVICE T atomic_add(T* to, Index i, std::type_identity_t<T> value) const {
    return atomicAdd(to + i, value);
  }

  template <class T>
  RIDGE_DEVICE T* shared(int byte_offset, int /*count*/) const {
    extern __shared__ __attribute__((aligned(128))) unsigned char ridge_shared_memory[];
    return reinterpret_cast<T*>(ridge_shared_memory + byte_offset);
  }

  template <int N, class T>
  RIDGE_DEVICE Pack<T, N> load_shared_pack(const T* from, int i) const {
    using W = typename Word<sizeof(Pack<T, N>)>::type;
    W word = *reinterpret_cast<const W*>(from + i);
#if defined(RIDGE_TARGET_CUDA)
    // Using all of it at once keeps the compiler from loading its parts one by one, each with bank
    // conflicts (docs/design/stencils_on_gpus.md).
    if constexpr (sizeof(W) == 16) asm("" : "+r"(word.x), "+r"(word.y), "+r"(word.z), "+r"(word.w));
#endif
    return bit_cast<Pack<T, N>>(word);
  }

  RIDGE_DEVICE void barrier() const {
    __syncthreads();
  }
  RIDGE_DEVICE void warp_barrier() const {
#if defined(RIDGE_TARGET_CUDA)
    __syncwarp();
#else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
  }
  RIDGE_DEVICE void fence() const {
    __threadfence();
  }
  RIDGE_DEVICE void fence_system() const {
    __threadfence_system();
  }
  RIDGE_DEVICE void signal(const Span<unsigned>& to, Index i, unsigned value) const {
#if defined(RIDGE_TARGET_CUDA)
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to.data + i), "r"(value) : "memory");
#else
    __atomic_store_n(to.data + i, value, __ATOMIC_RELEASE);
#endif
  }
  RIDGE_DEVICE void await(const Span<unsigned>& from, Index i, unsigned value) const {
    unsigned found = 0;
    do {
#if defined(RIDGE_TARGET_CUDA)
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                   : "=r"(found)
                   : "l"(from.data + i)
                   : "memory");
#else
      found = __atomic_load_n(from.data + i, __ATOMIC_ACQUIRE);
#endif
    } while (static_cast<int>(found - value) < 0);
  }

  template <class T>
  RIDGE_DEVICE T shuffle(T value, int source) const {
    return by_words(value, [&](int word) {
#if defined(RIDGE_TARGET_CUDA)
      return __shfl_sync(0xffffffffu, word, source);
#else
      return __shfl(word, source);
#endif
    });
  }
  template <class T>
  RIDGE_DEVICE T shuffle_xor(T value, int mask) const {
    return by_words(value, [&](int word) {
#if defined(RIDGE_TARGET_CUDA)
      return __shfl_xor_sync(0xffffffffu, word, mask);
#else
      return __shfl_xor(word, mask);
#endif
    });
  }

private:
  template <class D>
  static RIDGE_DEVICE Dim3 dim(const D& d) {
    return {static_cast<int>(d.x), static_cast<int>(d.y), static_cast<int>(d.z)};
  }

  /// Moves a value of any size through a 32-bit exchange.
  template <class T, class Exchange>
  static RIDGE_DEVICE T by_words(const T& value, Exchange exchange) {
    static_assert(sizeof(T) % 4 == 0, "shuffles move whole 32-bit words");
    int words[sizeof(T) / 4];
    copy_bytes(words, &value, sizeof(T));
    RIDGE_UNROLL
    for (int& word : words)
      word = exchange(word);
    T result;
    copy_bytes(&result, words, sizeof(T));
    return result;
  }
};

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
