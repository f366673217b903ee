// Adjoints by several inputs of a stencil in one pass: a chain of one operation, which reads what
// any of them needs once and writes all gradients.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/gradient/stencil.hpp>

#include <algorithm>

namespace ridge::gradient {

namespace detail {

/// An array of a chain at an item, as stencils see their inputs.
template <int Array, class At>
struct ArrayNeighbours {
  const At& at;
  RIDGE_FN auto operator()(int dx, int dy = 0, int dz = 0) const {
    return at(chain::Slot<Array>{}, dx, dy, dz);
  }
};

inline constexpr std::array read_names{"input 1", "input 2", "input 3", "input 4",
                                       "input 5", "input 6", "input 7", "input 8"};
inline constexpr std::array gradient_names{"derivative 1", "derivative 2", "derivative 3",
                                           "derivative 4", "derivative 5", "derivative 6",
                                           "derivative 7", "derivative 8"};
inline constexpr auto most_inputs = static_cast<int>(read_names.size());

} // namespace detail

/// Reads of the adjoints `G...` of one kernel, as arrays of a chain: those inputs of the kernel
/// that any of them reads, in their order, then the cotangent, then one gradient each.
template <class... G>
struct ArraysOf {
  static constexpr int source_inputs = std::max({G::source_inputs...});
  static_assert(source_inputs <= detail::most_inputs, "adjoints are of at most eight inputs");
  static constexpr int gradients = sizeof...(G);

  static constexpr bool is_read(int input) {
    bool read = false;
    const auto look = [&](const auto& numbers) {
      for (int n = 0; n < numbers.count; ++n)
        read = read || numbers.all[static_cast<std::size_t>(n)].x == input;
    };
    (look(G::inputs), ...);
    return read;
  }
  /// The array that holds input `input` of the kernel; of the cotangent with the number behind.
  static constexpr int array_of(int input) {
    int array = 0;
    for (int i = 0; i < input; ++i)
      array += is_read(i) ? 1 : 0;
    return array;
  }
  static constexpr int cotangent = array_of(source_inputs);
  static constexpr int count = cotangent + 1 + gradients;

  /// How far an array is read.
  static constexpr chain::Reach reach(int array) {
    chain::Reach r;
    const auto look = [&]<class One>(const One*) {
      int n = 0;
      std::apply(
          [&](const auto&... f) {
            const auto grow = [&](const auto& footprint) {
              if (array_of(One::inputs.all[static_cast<std::size_t>(n++)].x) != array) return;
              for (const Offset& o : footprint.offsets) {
                r.low = {std::min(r.low.x, o.x), std::min(r.low.y, o.y), std::min(r.low.z, o.z)};
                r.high = {std::max(r.high.x, o.x), std::max(r.high.y, o.y),
                          std::max(r.high.z, o.z)};
              }
            };
            (grow(f), ...);
          },
          stencil::footprints_of<One>());
    };
    (look(static_cast<const G*>(nullptr)), ...);
    return r;
  }
  static constexpr Offset radius() {
    Offset r;
    const auto grow = [&](Offset o) {
      r = {std::max(r.x, o.x), std::max(r.y, o.y), std::max(r.z, o.z)};
    };
    (grow(stencil::radius_of<G>()), ...);
    return r;
  }
};

/// The adjoints of one kernel at an item.
template <class... G>
struct Gradients {
  using Arrays = ArraysOf<G...>;
  static constexpr const char* name = "gradients";
  static constexpr auto accesses = [] {
    std::array<chain::Access, static_cast<std::size_t>(Arrays::count)> all{};
    for (int a = 0; a < Arrays::count; ++a) {
      const bool writes = a > Arrays::cotangent;
      all[static_cast<std::size_t>(a)] = {a, writes, false,
                                          writes ? chain::Reach{} : Arrays::reach(a)};
    }
    return all;
  }();
  static constexpr chain::Domain domain = [] {
    constexpr Offset r = Arrays::radius();
    return chain::Domain{{r.x, r.y, r.z}, {-r.x, -r.y, -r.z}};
  }();
  static constexpr double flops = [] { // unknown is no number, which constants may not add
    double sum = 0;
    bool known = true;
    ((G::flops == G::flops ? void(sum += G::flops) : void(known = false)), ...);
    return known ? sum : unknown_operations;
  }();

  std::tuple<G...> adjoints;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    set_all(at, std::index_sequence_for<G...>{});
  }

private:
  template <class At, std::size_t... N>
  RIDGE_FN void set_all(const At& at, std::index_sequence<N...>) const {
    (set<static_cast<int>(N)>(at), ...);
  }
  template <int N, class At>
  RIDGE_FN void set(const At& at) const {
    const auto& adjoint = std::get<static_cast<std::size_t>(N)>(adjoints);
    using One = std::remove_cvref_t<decltype(adjoint)>;
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      at.set(chain::Slot<Arrays::cotangent + 1 + N>{},
             adjoint(detail::ArrayNeighbours<Arrays::array_of(One::inputs.all[J].x), At>{at}...));
    }
    (std::make_index_sequence<static_cast<std::size_t>(One::inputs.count)>{});
  }
};

/// The chain of them, on fields of so many dimensions.
template <int Rank, class... G>
struct Together {
  using Arrays = ArraysOf<G...>;
  static constexpr const char* name = "adjoint";
  static constexpr auto arrays = [] {
    std::array<chain::Array, static_cast<std::size_t>(Arrays::count)> all{};
    for (int i = 0; i < Arrays::source_inputs; ++i) {
      if (Arrays::is_read(i))
        all[static_cast<std::size_t>(Arrays::array_of(i))] =
            chain::input(detail::read_names[static_cast<std::size_t>(i)]);
    }
    all[static_cast<std::size_t>(Arrays::cotangent)] = chain::input("the cotangent");
    for (int n = 0; n < Arrays::gradients; ++n) {
      all[static_cast<std::size_t>(Arrays::cotangent + 1 + n)] =
          chain::output(detail::gradient_names[static_cast<std::size_t>(n)]);
    }
    return all;
  }();
  static constexpr auto dimensions = [] {
    std::array<chain::Dimension, static_cast<std::size_t>(Rank)> all{};
    all.fill(chain::independent());
    return all;
  }();

  std::tuple<Gradients<G...>> operations;
};

/// Dimensions along which a kernel reads neighbours.
template <class K>
inline constexpr int rank_of_stencil = stencil::radius_of<K>().z > 0   ? 3
                                       : stencil::radius_of<K>().y > 0 ? 2
                                                                       : 1;

namespace detail {
template <class K, int Rank, class Inputs>
struct AllAdjoints;
template <class K, int Rank, std::size_t... I>
struct AllAdjoints<K, Rank, std::index_sequence<I...>> {
  using type = Together<Rank, AdjointOf<K, static_cast<int>(I)>...>;
};
} // namespace detail

/// The chain of the adjoints of K by all its inputs.
template <class K, int Rank = rank_of_stencil<K>>
using AdjointsOf = typename detail::AllAdjoints<K, Rank, InputNumbers<K>>::type;

} // namespace ridge::gradient
