// Compiled once per device kind: faces of stored fields to messages and back.
#include <ridge/comm/box_launch.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lattice/stored/faces.hpp>

#if defined(RIDGE_TARGET_GPU)
#include <ridge/comm/push_frame.hpp>
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ridge::lattice {

namespace {

/// a + b or a - b, numbers of T's size.
template <class T>
RIDGE_FN T sum_of(T a, T b, bool minus) {
  using Real = std::conditional_t<sizeof(T) == 8, double, float>;
  Real x, y;
  __builtin_memcpy(&x, &a, sizeof x);
  __builtin_memcpy(&y, &b, sizeof y);
  x = minus ? x - y : x + y;
  __builtin_memcpy(&a, &x, sizeof x);
  return a;
}

/// A value of a face: its site from the face's first one, and which of the site's.
struct FaceValue {
  int c[grid_dimensions];
  int s;
};

/// Numbers of 32 bits: divisions of 64 take several times as long on GPUs.
RIDGE_FN FaceValue value_of(int values, const SiteWindow& face, unsigned value) {
  FaceValue v{{}, 0};
  unsigned rest = value;
  const auto divide = [&](int by) {
    if (by == 1) return 0;
    const unsigned quotient = rest / static_cast<unsigned>(by);
    const auto remainder = static_cast<int>(rest - quotient * static_cast<unsigned>(by));
    rest = quotient;
    return remainder;
  };
  v.s = divide(values);
  RIDGE_UNROLL
  for (int d = 0; d < grid_dimensions - 1; ++d)
    v.c[d] = divide(face.end[d] - face.begin[d]);
  v.c[grid_dimensions - 1] = static_cast<int>(rest);
  return v;
}

#if defined(RIDGE_TARGET_CPU)

/// A cpu's fields have one element of a lane at a time.
template <class T>
void copy_values(const StoredCopies<T>& copies, const StoredFace& face, cpu::Range values) {
  const Index all = face.sites.count() * copies.values;
  T* const packed = copies.buffer.data + face.buffer;
  SiteGrid grid = copies.grid;
  for (int d = 0; d < grid_dimensions; ++d)
    grid.extent[d] = face.extent[d];
  const auto number = [&](const T* field, int e) {
    const T first = field[Index{e} * copies.lanes];
    const int other = copies.sums ? face.sums.other[e] : 0;
    if (other == 0) return first;
    return sum_of(first, field[Index{(other < 0 ? -other : other) - 1} * copies.lanes], other < 0);
  };
  for (Index v = values.begin; v < values.end; ++v) {
    const FaceValue value = value_of(copies.values, face.sites, static_cast<unsigned>(v));
    int c[grid_dimensions];
    for (int d = 0; d < grid_dimensions; ++d)
      c[d] = face.sites.begin[d] + value.c[d];
    const StoredPlace at = stored_place(grid, c, true, value.s, copies.lanes);
    T* const field = copies.field.data + at.group * copies.lanes * copies.words + at.lane;
    for (int e = 0; e < copies.sent_words; ++e) {
      T& there = packed[e * all + v];
      if (!copies.to_field) {
        there = number(field, e);
        continue;
      }
      field[Index{e} * copies.lanes] = there;
      if (copies.sums) field[Index{e + copies.sent_words} * copies.lanes] = 0;
    }
  }
}

template <class T>
Bound bind_faces(Queue& /*queue*/, const StoredCopies<T>& copies) {
  const auto values = [n = copies.values](const StoredFace& face) {
    return face.sites.count() * n;
  };
  return comm::bind_box_copies(copies, values, &copy_values<T>);
}

#else

/// Where a value of a face lies: the first element of its group, and its lane.
struct FacePlace {
  Index base;
  int lane;
};

/// Elements of a value that lie together: N, or one.
struct FacePiece {
  unsigned value;
  unsigned first, together,
      e; ///< elements before them in the group, beside them, before them there
};

/// What is added to numbers that are sent: nothing, packs as the numbers' own, as along t, or
/// others.
enum class Adds { nothing, packs, numbers };

/// Faces in packs of N elements that lie together, and then in single ones.
template <class T, int N>
struct FacePieces {
  const StoredCopies<T>& copies;
  const StoredFace& face;

  /// Elements of a value that lie in packs.
  RIDGE_FN unsigned packed() const {
    return N == 1 ? 0U : static_cast<unsigned>(copies.sent_elements / N * N);
  }
  RIDGE_FN unsigned values() const {
    return static_cast<unsigned>(face.sites.count() * copies.values);
  }
  RIDGE_FN unsigned packs() const { return values() * (packed() / N); }
  RIDGE_FN unsigned items() const {
    return packs() + values() * (static_cast<unsigned>(copies.sent_words) - packed());
  }
  RIDGE_FN FacePiece pack(unsigned i) const {
    const unsigned k = i / values();
    return {i - k * values(), k * N, N, 0};
  }
  /// By the number of the element among all.
  RIDGE_FN FacePiece element(unsigned i) const {
    const auto chunk = static_cast<unsigned>(copies.chunk);
    const auto elements = static_cast<unsigned>(copies.sent_elements);
    const unsigned whole = elements / chunk * chunk;
    if (i >= values() * elements) return {i - values() * elements, elements, 1, 0}; // the scale
    const bool in_chunk = i < values() * whole;
    const unsigned together = in_chunk ? chunk : elements - whole;
    const unsigned k = in_chunk ? i / (values() * chunk) : 0;
    const unsigned rest = in_chunk ? i - k * values() * chunk : i - values() * whole;
    const unsigned value = rest / together;
    return {value, in_chunk ? k * chunk : whole, together, rest - value * together};
  }

  /// Where a value lies in a field on a grid, from a site on.
  RIDGE_FN FacePlace place(const FaceValue& value, const int (&begin)[grid_dimensions],
                           const int (&extent)[grid_dimensions]) const {
    unsigned site = 0;
    RIDGE_UNROLL
    for (int d = grid_dimensions - 1; d >= 0; --d)
      site = site * static_cast<unsigned>(extent[d]) + static_cast<unsigned>(begin[d] + value.c[d]);
    int lane = value.s;
    if (copies.values == 1) {
      const auto lanes = static_cast<unsigned>(copies.lanes);
      lane = static_cast<int>(site % lanes);
      site /= lanes;
    }
    return {Index{site} * copies.lanes * copies.words, lane};
  }
  RIDGE_FN Index index(const FacePlace& at, const FacePiece& piece) const {
    return at.base + Index{piece.first} * copies.lanes +
           at.lane * static_cast<int>(piece.together) + static_cast<int>(piece.e);
  }
  RIDGE_FN FacePlace place(const FaceValue& value) const {
    return place(value, face.sites.begin, face.extent);
  }
  RIDGE_FN FaceValue value(const FacePiece& piece) const {
    return value_of(copies.values, face.sites, piece.value);
  }

  RIDGE_FN Adds adds() const {
    if (!copies.sums) return Adds::nothing;
    bool packs = N > 1;
    for (int e = 0; e < copies.sent_elements && packs; ++e) {
      const unsigned first = number(e / N * N);
      packs = face.sums.other[e] != 0 && first % N == 0 &&
              number(e) == first + static_cast<unsigned>(e % N);
    }
    return packs ? Adds::packs : Adds::numbers;
  }
  /// The element of a value with this number.
  RIDGE_FN FacePiece element_of(unsigned value, unsigned e) const {
    const auto chunk = static_cast<unsigned>(copies.chunk);
    const auto elements = static_cast<unsigned>(copies.sent_elements);
    const unsigned whole = elements / chunk * chunk;
    if (e < whole) return {value, e / chunk * chunk, chunk, e % chunk};
    if (e < elements) return {value, whole, elements - whole, e - whole};
    return {value, e, 1, 0}; // the scale
  }
  /// What is sent of M elements of a value at `at`.
  template <int M, Adds What, class Lane>
  RIDGE_DEVICE Pack<T, M> read(Lane& lane, const FacePlace& at, const FacePiece& piece) const {
    Pack<T, M> numbers = lane.template load_pack<M>(copies.field, index(at, piece));
    const int first = static_cast<int>(piece.first + piece.e);
    if constexpr (What == Adds::packs) {
      const FacePiece other{0, number(first), N, 0};
      const Pack<T, M> others = lane.template load_pack<M>(copies.field, index(at, other));
      RIDGE_UNROLL
      for (int e = 0; e < M; ++e)
        numbers.set(e, sum_of(numbers[e], others[e], face.sums.other[first + e] < 0));
    } else if constexpr (What == Adds::numbers) {
      const unsigned chunk = N == 1 ? static_cast<unsigned>(copies.chunk) : N;
      RIDGE_UNROLL
      for (int e = 0; e < M; ++e) {
        const int other = face.sums.other[first + e];
        if (other == 0) continue;
        const unsigned k = number(first + e);
        const Index place = index(at, {0, k / chunk * chunk, chunk, k % chunk});
        numbers.set(e, sum_of(numbers[e], lane.load(copies.field, place), other < 0));
      }
    }
    return numbers;
  }
  /// The other half of sums.
  template <int M, class Lane>
  RIDGE_DEVICE void clear_other(Lane& lane, const FacePlace& at, const FacePiece& piece) const {
    lane.store(copies.field, index(at, piece) + Index{copies.sent_elements} * copies.lanes,
               Pack<T, M>{});
  }

private:
  /// What is added to number e.
  RIDGE_FN unsigned number(int e) const {
    const int other = face.sums.other[e];
    return static_cast<unsigned>(other < 0 ? -other : other) - 1;
  }
};

/// A block row of the grid for each face. Neighbouring threads have neighbouring elements of both
/// sides.
template <class T, int N>
struct CopyFaces {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "copying faces of stored fields";

  StoredCopies<T> copies;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const FacePieces<T, N> pieces{copies, copies.boxes[lane.block().y]};
    const unsigned packs = pieces.packs();
    const unsigned all = pieces.items();
    const unsigned stride = static_cast<unsigned>(lane.grid_extent().x) * max_threads;
    for (unsigned i = static_cast<unsigned>(lane.block().x) * max_threads +
                      static_cast<unsigned>(lane.thread().x);
         i < all; i += stride) {
      if (i < packs) {
        move<N>(lane, pieces, pieces.pack(i), i * N);
      } else {
        const unsigned element = i - packs + packs * N;
        move<1>(lane, pieces, pieces.element(element), element);
      }
    }
  }

private:
  template <int M, class Lane>
  RIDGE_DEVICE void move(Lane& lane, const FacePieces<T, N>& pieces, const FacePiece& piece,
                         unsigned in_buffer) const {
    const FacePlace at = pieces.place(pieces.value(piece));
    const Index there = pieces.face.buffer + in_buffer;
    if (!copies.to_field) {
      lane.store(copies.buffer, there,
                 copies.sums ? pieces.template read<M, Adds::numbers>(lane, at, piece)
                             : pieces.template read<M, Adds::nothing>(lane, at, piece));
      return;
    }
    lane.store(copies.field, pieces.index(at, piece),
               lane.template load_pack<M>(copies.buffer, there));
    if (copies.sums) pieces.template clear_other<M>(lane, at, piece);
  }
};

template <class T, int N>
Bound bind_in_packs(Queue& queue, const StoredCopies<T>& copies) {
  return comm::bind_box_copies<CopyFaces<T, N>>(queue, copies, [&](const StoredFace& face) {
    return Index{FacePieces<T, N>{copies, face}.items()};
  });
}

/// Messages are read at their faces and stored in neighbours' fields, a value at a time.
template <class T, int N>
struct PushFaces {
  static constexpr int max_threads = 512;
  static constexpr const char* name = "pushing faces of stored fields";

  StoredPushes<T> pushes;

  template <class Lane>
  RIDGE_DEVICE void store(Lane& lane, const comm::PushCall& call, int message, int part) const {
    const StoredCopies<T>& copies = pushes.copies;
    const FacePieces<T, N> pieces{copies, copies.boxes[message]};
    const StoredLanding& landing = pushes.landings[message];
    const Span<T> there{reinterpret_cast<T*>(call.sends.at(lane, message).to.data), landing.size};
    const auto threads = static_cast<unsigned>(lane.block_extent().x);
    const unsigned stride = static_cast<unsigned>(call.parts) * threads;
    const unsigned values = pieces.values();
    const auto store_all = [&](auto what) {
      for (unsigned v =
               static_cast<unsigned>(part) * threads + static_cast<unsigned>(lane.thread().x);
           v < values; v += stride)
        store_value<decltype(what)::value>(lane, pieces, there, landing, v);
    };
    switch (pieces.adds()) {
    case Adds::nothing:
      return store_all(std::integral_constant<Adds, Adds::nothing>{});
    case Adds::packs:
      return store_all(std::integral_constant<Adds, Adds::packs>{});
    case Adds::numbers:
      return store_all(std::integral_constant<Adds, Adds::numbers>{});
    }
  }

private:
  struct Places {
    FacePlace from, to, layer;
  };

  template <Adds What, class Lane>
  RIDGE_DEVICE void store_value(Lane& lane, const FacePieces<T, N>& pieces, const Span<T>& there,
                                const StoredLanding& landing, unsigned v) const {
    const StoredCopies<T>& copies = pushes.copies;
    const FaceValue value = value_of(copies.values, pieces.face.sites, v);
    const Places places{pieces.place(value), pieces.place(value, landing.begin, landing.extent),
                        pieces.place(value, landing.own, pieces.face.extent)};
    const auto elements = static_cast<unsigned>(copies.sent_elements);
    unsigned e = 0;
    constexpr int at_a_time = 3; // what is under way hides the way
    for (; e + at_a_time * N <= elements; e += at_a_time * N)
      move<N, at_a_time, What>(lane, pieces, there, places, e);
    for (; e + N <= elements; e += N)
      move<N, 1, What>(lane, pieces, there, places, e);
    for (; e < static_cast<unsigned>(copies.sent_words); ++e)
      move<1, 1, What == Adds::nothing ? What : Adds::numbers>(lane, pieces, there, places, e);
  }
  /// So many packs of M elements of a value, from one on.
  template <int M, int Count, Adds What, class Lane>
  RIDGE_DEVICE void move(Lane& lane, const FacePieces<T, N>& pieces, const Span<T>& there,
                         const Places& places, unsigned e) const {
    const auto piece = [&](int k) {
      const unsigned first = e + static_cast<unsigned>(k * M);
      return M == N && N > 1 ? FacePiece{0, first, N, 0} : pieces.element_of(0, first);
    };
    Pack<T, M> numbers[Count];
    RIDGE_UNROLL
    for (int k = 0; k < Count; ++k)
      numbers[k] = pieces.template read<M, What>(lane, places.from, piece(k));
    RIDGE_UNROLL
    for (int k = 0; k < Count; ++k) {
      lane.store(there, pieces.index(places.to, piece(k)), numbers[k]);
      if constexpr (What != Adds::nothing)
        pieces.template clear_other<M>(lane, places.layer, piece(k));
    }
  }
};

template <class T>
bool is_in_packs(const StoredCopies<T>& copies) {
  constexpr int pack = 16 / static_cast<int>(sizeof(T));
  return copies.chunk == pack && Index{copies.lanes} * copies.words % pack == 0 &&
         reinterpret_cast<std::uintptr_t>(copies.field.data) % 16 == 0;
}

/// In packs of 16 bytes, where they begin at multiples of that everywhere.
template <class T>
Bound bind_faces(Queue& queue, const StoredCopies<T>& copies) {
  constexpr int pack = 16 / static_cast<int>(sizeof(T));
  bool whole =
      is_in_packs(copies) && reinterpret_cast<std::uintptr_t>(copies.buffer.data) % 16 == 0;
  for (int b = 0; b < copies.count; ++b)
    whole = whole && copies.boxes[b].buffer % pack == 0;
  return whole ? bind_in_packs<T, pack>(queue, copies) : bind_in_packs<T, 1>(queue, copies);
}

/// Few blocks, each of which takes the registers of another kernel's: more would bring messages
/// sooner and keep more of the interior waiting (docs/design/ranks.md).
template <class T>
Bound bind_pushes(Queue& queue, const comm::PushCall& call, const StoredPushes<T>& pushes) {
  constexpr Index most_blocks = 16;
  constexpr Index threads = PushFaces<T, 1>::max_threads;
  Index values = 1;
  for (int b = 0; b < pushes.copies.count; ++b)
    values = std::max(values, pushes.copies.boxes[b].sites.count() * pushes.copies.values);
  comm::PushCall shaped = call;
  shaped.parts = static_cast<int>(std::min(most_blocks, ceil_div(values, threads)));
  constexpr int pack = 16 / static_cast<int>(sizeof(T));
  bool whole = is_in_packs(pushes.copies);
  for (int m = 0; m < call.sends.count; ++m)
    whole = whole && reinterpret_cast<std::uintptr_t>(call.sends.at_hand[m].to.data) % 16 == 0;
  if (whole) return comm::bind_push(queue, shaped, PushFaces<T, pack>{pushes});
  return comm::bind_push(queue, shaped, PushFaces<T, 1>{pushes});
}

const Offer pushed_words(kind_of<Here>, typeid(StoredPusher<std::uint32_t>*),
                         &bind_pushes<std::uint32_t>);
const Offer pushed_long_words(kind_of<Here>, typeid(StoredPusher<std::uint64_t>*),
                              &bind_pushes<std::uint64_t>);

#endif

const Offer face_words(kind_of<Here>, typeid(StoredCopier<std::uint32_t>*),
                       &bind_faces<std::uint32_t>);
const Offer long_face_words(kind_of<Here>, typeid(StoredCopier<std::uint64_t>*),
                            &bind_faces<std::uint64_t>);

} // namespace

} // namespace ridge::lattice
