// Loading targets and sources on a GPU, and handing sources round the block.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/pairs/call.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// What a lane computes with.
template <class P>
using Value = Pack<typename P::Computed, 1>;

/// Components of a body as a lane holds them.
template <class P, int N>
struct Body {
  Value<P> at[N];
};

/// The coordinates of body `i`, for positions to be taken relative to; zero unless the precision
/// asks for it.
template <class I, class P>
struct Origin {
  static constexpr int count = positions_of<I>();
  static constexpr bool used =
      count > 0 && !std::is_same_v<typename P::Stored, typename P::Computed>;
  typename P::Stored at[used ? count : 1];

  template <class Lane, std::size_t N>
  RIDGE_DEVICE Origin(const Lane& lane, const std::array<Span<const typename P::Stored>, N>& from,
                      Index i) {
    if constexpr (used) {
      RIDGE_UNROLL
      for (int c = 0; c < count; ++c)
        at[c] = lane.load(from[c], i);
    } else {
      at[0] = 0;
    }
  }

  /// Component `c` of a body as it is computed with.
  RIDGE_DEVICE Value<P> from(int c, typename P::Stored stored) const {
    if constexpr (used) {
      return Value<P>(computed_from<I, typename P::Computed>(c, stored, at));
    } else {
      return Value<P>(stored);
    }
  }
};

/// Body `i` of `from`.
template <class P, int N, class I, class Lane>
RIDGE_DEVICE Body<P, N> load_body(const Lane& lane, const Origin<I, P>& origin,
                                  const std::array<Span<const typename P::Stored>, N>& from,
                                  Index i) {
  Body<P, N> body;
  RIDGE_UNROLL
  for (int c = 0; c < N; ++c)
    body.at[c] = origin.from(c, lane.load(from[c], i));
  return body;
}

/// Bodies of N components in shared memory, each at a multiple of 16 bytes, so that a lane reads
/// one in as few accesses as there are 16 bytes in it.
template <class P, int N>
struct SharedBodies {
  using T = typename P::Computed;
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  static constexpr int padded = (N + width - 1) / width * width;
  static constexpr int bytes = padded * static_cast<int>(sizeof(T)); ///< of one body

  template <class Array>
  static RIDGE_DEVICE void put(const Array& array, int slot, const Body<P, N>& body) {
    RIDGE_UNROLL
    for (int c = 0; c < N; ++c)
      array[slot * padded + c] = body.at[c][0];
  }
  template <class Lane, class Array>
  static RIDGE_DEVICE Body<P, N> get(const Lane& lane, const Array& array, int slot) {
    Body<P, N> body;
    RIDGE_UNROLL
    for (int part = 0; part < padded / width; ++part) {
      const auto words = lane.template load_shared_pack<width>(array, slot * padded + part * width);
      RIDGE_UNROLL
      for (int w = 0; w < width; ++w) {
        if (part * width + w < N) body.at[part * width + w] = Value<P>(words[w]);
      }
    }
    return body;
  }
};

/// Body of another lane of the warp.
template <class P, int N, class Lane>
RIDGE_DEVICE Body<P, N> shuffled(const Lane& lane, const Body<P, N>& mine, int source) {
  Body<P, N> body;
  RIDGE_UNROLL
  for (int c = 0; c < N; ++c)
    body.at[c] = Value<P>(lane.shuffle(mine.at[c][0], source));
  return body;
}

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
