// Compiled once per device kind: faces of stored fields to messages and back.
#include <ridge/comm/box_launch.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/lattice/stored/faces.hpp>

#include <cstdint>
#include <type_traits>

namespace ridge::lattice {

namespace {

/// Where a value of a face lies: the first element of its group, and its lane.
struct FacePlace {
  Index base;
  int lane;
};

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

/// Numbers of 32 bits: divisions of 64 take several times as long on GPUs.
template <class T>
RIDGE_FN FacePlace place_in(const StoredCopies<T>& copies, const SiteWindow& face, unsigned value) {
  const unsigned site = value / static_cast<unsigned>(copies.values);
  const int s = static_cast<int>(value - site * static_cast<unsigned>(copies.values));
  int c[grid_dimensions];
  unsigned rest = site;
  RIDGE_UNROLL
  for (int d = 0; d < grid_dimensions; ++d) {
    const auto n = static_cast<unsigned>(face.end[d] - face.begin[d]);
    const unsigned quotient = rest / n;
    c[d] = face.begin[d] + static_cast<int>(rest - quotient * n);
    rest = quotient;
  }
  const StoredPlace p = stored_place(copies.grid, c, true, s, copies.lanes);
  return {p.group * copies.lanes * copies.words, p.lane};
}

#if defined(RIDGE_TARGET_CPU)

/// A cpu's fields have one element of a lane at a time.
template <class T>
void copy_values(const StoredCopies<T>& copies, const StoredFace& face, cpu::Range values) {
  const Index all = face.sites.count() * copies.values;
  T* const packed = copies.buffer.data + face.buffer;
  const auto number = [&](const T* field, int e) {
    const T first = field[Index{e} * copies.lanes];
    const int other = copies.sums ? face.sums.other[e] : 0;
    if (other == 0) return first;
    return sum_of(first, field[Index{(other < 0 ? -other : other) - 1} * copies.lanes], other < 0);
  };
  for (Index v = values.begin; v < values.end; ++v) {
    const FacePlace at = place_in(copies, face.sites, static_cast<unsigned>(v));
    T* const field = copies.field.data + at.base + at.lane;
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

/// A block row of the grid for each face; threads walk over packs of N elements that lie together,
/// and then over single ones. Neighbouring threads have neighbouring elements of both sides.
template <class T, int N>
struct CopyFaces {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "copying faces of stored fields";

  StoredCopies<T> copies;

  /// Elements of a value that lie in packs.
  static RIDGE_FN unsigned packed(const StoredCopies<T>& c) {
    return N == 1 ? 0U : static_cast<unsigned>(c.sent_elements / N * N);
  }
  static RIDGE_FN Index items(const StoredCopies<T>& c, const StoredFace& face) {
    const auto in_packs = static_cast<int>(packed(c));
    return face.sites.count() * c.values * (in_packs / N + c.sent_words - in_packs);
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const StoredFace& face = copies.boxes[lane.block().y];
    const auto values = static_cast<unsigned>(face.sites.count() * copies.values);
    const unsigned packs = values * packed(copies) / N;
    const auto all = static_cast<unsigned>(items(copies, face));
    const unsigned stride = static_cast<unsigned>(lane.grid_extent().x) * max_threads;
    for (unsigned i = static_cast<unsigned>(lane.block().x) * max_threads +
                      static_cast<unsigned>(lane.thread().x);
         i < all; i += stride) {
      if (i < packs) {
        copy_pack(lane, face, values, i);
      } else {
        copy_element(lane, face, values, i - packs + packs * N);
      }
    }
  }

private:
  template <class Lane>
  RIDGE_DEVICE void copy_pack(Lane& lane, const StoredFace& face, unsigned values,
                              unsigned pack) const {
    const unsigned k = pack / values;
    const unsigned first = k * N;
    const FacePlace at = place_in(copies, face.sites, pack - k * values);
    const Index field = at.base + Index{first} * copies.lanes + at.lane * N;
    const Index there = face.buffer + Index{pack} * N;
    if (copies.to_field) {
      lane.store(copies.field, field, lane.template load_pack<N>(copies.buffer, there));
      if (copies.sums)
        lane.store(copies.field, field + Index{copies.sent_elements} * copies.lanes, Pack<T, N>{});
      return;
    }
    Pack<T, N> numbers = lane.template load_pack<N>(copies.field, field);
    if (copies.sums) {
      RIDGE_UNROLL
      for (int e = 0; e < N; ++e)
        numbers.set(e, sent(lane, face, at, first + static_cast<unsigned>(e), numbers[e]));
    }
    lane.store(copies.buffer, there, numbers);
  }

  template <class Lane>
  RIDGE_DEVICE void copy_element(Lane& lane, const StoredFace& face, unsigned values,
                                 unsigned i) const {
    const auto chunk = static_cast<unsigned>(copies.chunk);
    const auto elements = static_cast<unsigned>(copies.sent_elements);
    const unsigned whole = elements / chunk * chunk;
    const unsigned tail = elements - whole;
    unsigned value = 0;
    unsigned first = 0, together = 1, e = 0; // elements before it in the group, beside it
    if (i < values * whole) {
      const unsigned k = i / (values * chunk);
      const unsigned rest = i - k * values * chunk;
      value = rest / chunk;
      e = rest - value * chunk;
      first = k * chunk;
      together = chunk;
    } else if (i < values * elements) {
      const unsigned rest = i - values * whole;
      value = rest / tail;
      e = rest - value * tail;
      first = whole;
      together = tail;
    } else { // the scale
      value = i - values * elements;
      first = elements;
    }
    const FacePlace at = place_in(copies, face.sites, value);
    const Index field = at.base + Index{first} * copies.lanes +
                        at.lane * static_cast<int>(together) + static_cast<int>(e);
    if (copies.to_field) {
      lane.store(copies.field, field, lane.load(copies.buffer, face.buffer + i));
      if (copies.sums) lane.store(copies.field, field + Index{elements} * copies.lanes, T(0));
      return;
    }
    const T number = lane.load(copies.field, field);
    lane.store(copies.buffer, face.buffer + i,
               copies.sums ? sent(lane, face, at, first + e, number) : number);
  }

  /// What is sent in place of number `e` of a value at `at`.
  template <class Lane>
  RIDGE_DEVICE T sent(Lane& lane, const StoredFace& face, const FacePlace& at, unsigned e,
                      T number) const {
    const int other = face.sums.other[e];
    if (other == 0) return number;
    const auto chunk = static_cast<unsigned>(copies.chunk);
    const unsigned from = static_cast<unsigned>(other < 0 ? -other : other) - 1;
    const Index place = at.base + Index{from / chunk * chunk} * copies.lanes +
                        at.lane * copies.chunk + static_cast<int>(from % chunk);
    return sum_of(number, lane.load(copies.field, place), other < 0);
  }
};

template <class T, int N>
Bound bind_in_packs(Queue& queue, const StoredCopies<T>& copies) {
  using Body = CopyFaces<T, N>;
  return comm::bind_box_copies<Body>(
      queue, copies, [&](const StoredFace& face) { return Body::items(copies, face); });
}

/// In packs of 16 bytes, where they begin at multiples of that everywhere.
template <class T>
Bound bind_faces(Queue& queue, const StoredCopies<T>& copies) {
  constexpr int pack = 16 / static_cast<int>(sizeof(T));
  const auto is_whole = [](const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0;
  };
  bool whole = copies.chunk == pack && Index{copies.lanes} * copies.words % pack == 0 &&
               is_whole(copies.field.data) && is_whole(copies.buffer.data);
  for (int b = 0; b < copies.count; ++b)
    whole = whole && copies.boxes[b].buffer % pack == 0;
  return whole ? bind_in_packs<T, pack>(queue, copies) : bind_in_packs<T, 1>(queue, copies);
}

#endif

const Offer face_words(kind_of<Here>, typeid(StoredCopier<std::uint32_t>*),
                       &bind_faces<std::uint32_t>);
const Offer long_face_words(kind_of<Here>, typeid(StoredCopier<std::uint64_t>*),
                            &bind_faces<std::uint64_t>);

} // namespace

} // namespace ridge::lattice
