// Adjoints of stencils: kernels that give the derivative of a loss by an input of K from its
// derivative by K's result (the cotangent).
//
// With f the result of K at a point and u[k] the neighbours of an input that it reads, the gradient
// at p is
//
//   sum over k of (df/du[k])(p - k) * cotangent[p - k]
//
// which is gathered: each point is written once, in one order, by any executor of stencils. Partial
// derivatives come from K itself, called with dual numbers (ridge/core/dual.hpp) with one neighbour
// seeded at a time; compilers leave of each what it needs. Those of a kernel that is linear in its
// inputs are numbers: Transposed has them once and for all.
//
// Points nearer to an edge than the adjoint's radius are not written, as of any stencil. Where K
// writes nothing the cotangent is 0: the caller's fields say so, or what a boundary makes of it.
#pragma once

#include <ridge/core/dual.hpp>
#include <ridge/record/operations.hpp>
#include <ridge/stencil/kernel.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ridge::gradient {

using stencil::Footprint, stencil::Offset;

template <class K>
using InputNumbers = std::make_index_sequence<static_cast<std::size_t>(stencil::inputs_of<K>)>;

// --- The neighbours that an adjoint reads

namespace detail {

/// The offsets that are used of a larger array.
template <int Most>
struct SomeOffsets {
  std::array<Offset, static_cast<std::size_t>(Most)> all{};
  int count = 0;
  constexpr void add(Offset o) {
    for (int i = 0; i < count; ++i) {
      if (all[static_cast<std::size_t>(i)] == o) return;
    }
    all[static_cast<std::size_t>(count++)] = o;
  }
};

/// What K's results that read input I at a point read of input J, seen from there.
template <class K, int I, int J>
constexpr auto differences() {
  SomeOffsets<stencil::footprint_of<K, I>.size * stencil::footprint_of<K, J>.size> some;
  for (const Offset& k : stencil::footprint_of<K, I>.offsets) {
    for (const Offset& j : stencil::footprint_of<K, J>.offsets)
      some.add({j.x - k.x, j.y - k.y, j.z - k.z});
  }
  return some;
}
template <class K, int I, int J>
constexpr auto difference_footprint() {
  constexpr auto some = differences<K, I, J>();
  Footprint<some.count> f{};
  for (int i = 0; i < some.count; ++i)
    f.offsets[static_cast<std::size_t>(i)] = some.all[static_cast<std::size_t>(i)];
  return f;
}

} // namespace detail

/// The footprint seen from the points that it reads.
template <int N>
constexpr Footprint<N> reflected(Footprint<N> f) {
  for (Offset& o : f.offsets)
    o = {-o.x, -o.y, -o.z};
  return f;
}

/// Reads of the adjoint of K by its input I, as far as footprints tell: all that K's results read
/// that it was read for. Where more is known, such as that K is linear, other types say so; they
/// have the same members.
template <class K, int I>
struct AllReads {
  /// One footprint an input of K, without points where it is not read.
  static constexpr auto inputs = []<std::size_t... J>(std::index_sequence<J...>) {
    return std::make_tuple(detail::difference_footprint<K, I, static_cast<int>(J)>()...);
  }
  (InputNumbers<K>{});
  static constexpr auto cotangent = reflected(stencil::footprint_of<K, I>);
  static constexpr double flops = unknown_operations; ///< a point
};

/// Reads of the adjoint of a linear kernel.
template <class K, int I>
struct CotangentAlone {
  static constexpr auto inputs = []<std::size_t... J>(std::index_sequence<J...>) {
    return std::make_tuple((static_cast<void>(J), Footprint<0>{})...);
  }
  (InputNumbers<K>{});
  static constexpr auto cotangent = reflected(stencil::footprint_of<K, I>);
  static constexpr double flops = 2.0 * cotangent.size - 1;
};

/// Whether K says that it is linear in its inputs.
template <class K>
inline constexpr bool says_linear = [] {
  if constexpr (requires { K::linear; }) {
    return static_cast<bool>(K::linear);
  } else {
    return false;
  }
}();

template <class K, int I>
using ReadsOf = std::conditional_t<says_linear<K>, CotangentAlone<K, I>, AllReads<K, I>>;

// --- K, called with dual numbers

namespace detail {

/// True where an offset is one of input J's. Written out, so that compilers know the answer for
/// those that a kernel names.
template <class Reads, int J>
RIDGE_FN bool is_needed(Offset o) {
  return [&]<std::size_t... P>(std::index_sequence<P...>) {
    [[maybe_unused]] const auto is = [&]<std::size_t Q>(std::integral_constant<std::size_t, Q>) {
      constexpr Offset one = std::get<static_cast<std::size_t>(J)>(Reads::inputs).offsets[Q];
      return o.x == one.x && o.y == one.y && o.z == one.z;
    };
    return (is(std::integral_constant<std::size_t, P>{}) || ...);
  }
  (std::make_index_sequence<std::get<static_cast<std::size_t>(J)>(Reads::inputs).size>{});
}

/// An input of K at the point that lies `shift` before the one that is computed, as dual numbers:
/// that at a distance of `shift` there, which is here, is seeded if the input is. That which an
/// adjoint does not need is not read: compilers leave out what is computed of it.
template <class Reads, int J, class N>
struct SeededNeighbours {
  const N& at;
  Offset shift;
  bool seeded;

  RIDGE_FN auto operator()(int dx, int dy = 0, int dz = 0) const {
    using V = std::remove_cvref_t<decltype(at(0, 0, 0))>;
    const Offset here{dx - shift.x, dy - shift.y, dz - shift.z};
    DualOf<V> value(std::numeric_limits<Element<V>>::quiet_NaN());
    if (is_needed<Reads, J>(here)) value.value = at(here.x, here.y, here.z);
    if (seeded && here.x == 0 && here.y == 0 && here.z == 0) {
      value.derivative = V(1);
      value.active = true;
    }
    return value;
  }
};

/// Calls `f` with each offset of K's input I. They are written out where compilers inline kernels,
/// so that they know which neighbour is seeded; host code and the emulated GPU take them in turn.
template <class K, int I, class Target, class F>
RIDGE_FN void each_offset(const F& f) {
  if constexpr (std::is_same_v<Target, target::None> || std::is_same_v<Target, target::Simt>) {
    for (const Offset& k : stencil::footprint_of<K, I>.offsets)
      f(k);
  } else {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      const auto take = [&]<std::size_t Q>(std::integral_constant<std::size_t, Q>)
          __attribute__((always_inline)) {
        constexpr Offset k = stencil::footprint_of<K, I>.offsets[Q];
        f(k);
      };
      (take(std::integral_constant<std::size_t, P>{}), ...);
    }
    (std::make_index_sequence<stencil::footprint_of<K, I>.size>{});
  }
}

template <std::size_t I, class First, class... More>
RIDGE_FN const auto& argument(const First& first, const More&... more) {
  if constexpr (I == 0) {
    return first;
  } else {
    return argument<I - 1>(more...);
  }
}

} // namespace detail

/// The adjoint of K by its input I. Its inputs are those of K that `Reads` has, and the cotangent.
template <class K, int I, class Reads = ReadsOf<K, I>>
struct Adjoint {
  static constexpr int input = I; ///< of K
  static constexpr int source_inputs = stencil::inputs_of<K>;
  /// Which of K's inputs its inputs are; the cotangent has the number behind them.
  static constexpr auto inputs = [] {
    detail::SomeOffsets<source_inputs + 1> some; // x is the number
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      (void(std::get<J>(Reads::inputs).size > 0 ? some.add({static_cast<int>(J), 0, 0}) : void()),
       ...);
    }
    (InputNumbers<K>{});
    some.add({source_inputs, 0, 0});
    return some;
  }();
  static constexpr auto footprints = []<std::size_t... N>(std::index_sequence<N...>) {
    return std::make_tuple([] {
      constexpr auto number = static_cast<std::size_t>(inputs.all[N].x);
      if constexpr (number == static_cast<std::size_t>(source_inputs)) {
        return Reads::cotangent;
      } else {
        return std::get<number>(Reads::inputs);
      }
    }()...);
  }
  (std::make_index_sequence<static_cast<std::size_t>(inputs.count)>{});
  static constexpr double flops = Reads::flops;

  K kernel;

  template <class... N>
  RIDGE_FN auto operator()(const N&... all) const {
    const auto& cotangent = detail::argument<sizeof...(N) - 1>(all...);
    using V = std::remove_cvref_t<decltype(cotangent(0, 0, 0))>;
    V sum(0);
    bool any = false;
    detail::each_offset<K, I, Here>([&](Offset k) __attribute__((always_inline)) {
      const DualOf<V> result = partial(k, InputNumbers<K>{}, all...);
      if (!result.active) return;
      const V term = result.derivative * cotangent(-k.x, -k.y, -k.z);
      sum = any ? sum + term : term;
      any = true;
    });
    return sum;
  }

private:
  /// K's derivative by the neighbour at k, at the point that lies k before this one.
  template <std::size_t... J, class... N>
  RIDGE_FN auto partial(Offset k, std::index_sequence<J...>, const N&... all) const {
    return kernel(neighbours<static_cast<int>(J)>(k, all...)...);
  }
  static constexpr int place_of(int input) {
    for (int n = 0; n < inputs.count; ++n) {
      if (inputs.all[static_cast<std::size_t>(n)].x == input) return n;
    }
    return -1;
  }
  template <int J, class... N>
  RIDGE_FN static auto neighbours(Offset k, const N&... all) {
    constexpr int place = place_of(J);
    const auto& at = detail::argument < place >= 0 ? static_cast<std::size_t>(place)
                                                   : sizeof...(N) - 1 > (all...);
    return detail::SeededNeighbours<Reads, J, std::remove_cvref_t<decltype(at)>>{at, k, J == I};
  }
};

/// The adjoint by input I of a kernel that is linear in its inputs: the cotangent's neighbours
/// times numbers, those of `Reads`.
template <class K, int I, class Reads = CotangentAlone<K, I>>
struct Transposed {
  static constexpr int input = I; ///< of K
  static constexpr int source_inputs = stencil::inputs_of<K>;
  static constexpr auto inputs = [] {
    detail::SomeOffsets<1> some;
    some.add({source_inputs, 0, 0});
    return some;
  }();
  static constexpr auto footprint = Reads::cotangent;
  static constexpr double flops = 2.0 * footprint.size - 1;
  static constexpr bool linear = true;

  std::array<double, static_cast<std::size_t>(footprint.size)> weights{};

  Transposed() = default;
  explicit Transposed(const K& kernel) {
    using V = Pack<double, 1, abi::Array>;
    const auto none = [](int, int, int) { return V(0); };
    for (std::size_t n = 0; n < weights.size(); ++n) {
      const Offset o = footprint.offsets[n];
      const Offset k{-o.x, -o.y, -o.z};
      const DualOf<V> result = [&]<std::size_t... J>(std::index_sequence<J...>) {
        return kernel(
            detail::SeededNeighbours<CotangentAlone<K, I>, static_cast<int>(J), decltype(none)>{
                none, k, J == I}...);
      }
      (InputNumbers<K>{});
      weights[n] = result.active ? result.derivative[0] : 0;
    }
  }

  template <class N>
  RIDGE_FN auto operator()(const N& cotangent) const {
    // Offsets as constants: a GPU's compiler has no address of a host's array.
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      auto sum = weights[0] * at<0>(cotangent);
      ((sum += weights[M + 1] * at<M + 1>(cotangent)), ...);
      return sum;
    }
    (std::make_index_sequence<static_cast<std::size_t>(footprint.size) - 1>{});
  }

private:
  template <std::size_t M, class N>
  RIDGE_FN static auto at(const N& cotangent) {
    constexpr Offset o = footprint.offsets[M];
    return cotangent(o.x, o.y, o.z);
  }
};

/// The adjoint of K by its input I: transposed weights where K says that it is linear.
template <class K, int I>
using AdjointOf = std::conditional_t<says_linear<K>, Transposed<K, I>, Adjoint<K, I>>;
template <int I, class K>
[[nodiscard]] AdjointOf<K, I> adjoint_kernel(const K& kernel) {
  return AdjointOf<K, I>{kernel};
}

} // namespace ridge::gradient
