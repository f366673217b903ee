// Chains made at random at compile time: what operations read and write, how far, over which edges.
#pragma once

#include <ridge/chain/operation.hpp>
#include <ridge/core/pack_math.hpp>

#include <cstdint>

namespace ridge::chain::test {

/// splitmix64: the same at compile time everywhere.
struct Dice {
  std::uint64_t state;
  constexpr int roll(int sides) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int>((z ^ (z >> 31)) % static_cast<std::uint64_t>(sides));
  }
};

// Arrays: two inputs, a profile, an update, a temporary of each operation but the last, the output.
inline constexpr int first_input = 0;
inline constexpr int second_input = 1;
inline constexpr int a_profile = 2;
inline constexpr int the_update = 3;
inline constexpr int temporaries = 4;

/// From this seed on, operations read of each other along one dimension alone, the first or the
/// last: chains whose values GPUs pass in registers.
inline constexpr unsigned first_straight = 12;

template <unsigned Seed>
struct Shape {
  static constexpr bool straight = Seed >= first_straight;
  static constexpr int along = Seed % 2 == 0 ? 0 : 2; ///< which, of straight ones
  static constexpr int operations = straight ? 4 : 2 + static_cast<int>(Seed % 4);
  static constexpr int rank = straight ? 3 : 1 + static_cast<int>(Seed % 3);
  static constexpr int output = temporaries + operations - 1;
  static constexpr int arrays = output + 1;

  /// The dimensions of the range: independent with little or much of a halo, or internal.
  static constexpr std::array<Dimension, 3> dimensions = [] {
    Dice dice{Seed * 77 + 5};
    std::array<Dimension, 3> all{};
    for (int d = 0; d < rank; ++d) {
      const Edge edge = std::array{Edge::none, Edge::periodic,
                                   Edge::clamp}[static_cast<std::size_t>(dice.roll(3))];
      all[static_cast<std::size_t>(d)] =
          dice.roll(4) == 0 ? internal(edge) : independent(1 + dice.roll(9), edge);
    }
    if (straight) {
      constexpr std::array edges{Edge::clamp, Edge::periodic, Edge::none};
      all[along] = independent(9, edges[Seed / 2 % 3]);
    }
    return all;
  }();
  /// The operation that reads and writes the update.
  static constexpr int updater = straight ? operations - 1 : Dice{Seed * 13 + 1}.roll(operations);

  static constexpr int most = 8;
  struct Accesses {
    std::array<Access, most> all{};
    int count = 0;
    constexpr void add(const Access& a) { all[static_cast<std::size_t>(count++)] = a; }
  };

  /// A reach of up to two items, along dimensions that have an edge.
  static constexpr Reach reach(Dice& dice) {
    Reach r;
    const auto set = [&](int d, int& low, int& high) {
      if (d >= rank || dimensions[static_cast<std::size_t>(d)].edge == Edge::none) return;
      low = -dice.roll(3);
      high = low + dice.roll(4);
    };
    set(0, r.low.x, r.high.x);
    set(1, r.low.y, r.high.y);
    set(2, r.low.z, r.high.z);
    return r;
  }

  /// The same of what another operation wrote.
  static constexpr Reach reach_within(Dice& dice) {
    const Reach any = reach(dice);
    if (!straight) return any;
    return along == 0 ? along_x(any.low.x, any.high.x) : along_z(any.low.z, any.high.z);
  }

  static constexpr Accesses accesses(int k) {
    Dice dice{Seed * 1000 + static_cast<unsigned>(k)};
    Accesses a;
    const auto reads = [&](int array, Reach r) { a.add({array, false, array == a_profile, r}); };
    if (k > 0) reads(temporaries + k - 1, reach_within(dice));
    if (k > 1 && dice.roll(2) == 0) reads(temporaries + dice.roll(k - 1), reach_within(dice));
    if (k == 0 || dice.roll(3) == 0) reads(first_input, reach(dice));
    if (k == 1 || dice.roll(4) == 0) reads(second_input, reach(dice));
    if (k == 1 || dice.roll(4) == 0) {
      Reach r = reach(dice);
      r.low.x = r.high.x = 0;
      reads(a_profile, r);
    }
    if (k == updater) {
      reads(the_update, {});
      a.add({the_update, true, false, {}});
    } else if (!straight && dice.roll(4) == 0) {
      reads(the_update, reach(dice));
    }
    a.add({temporaries + k, true, false, {}});
    return a;
  }
};

/// Operation K: a sum over what it reads, at both ends of each reach and in the item.
template <unsigned Seed, int K>
struct RandomOperation {
  static constexpr const char* name = std::array{"one", "two", "three", "four", "five"}[K];
  static constexpr auto found = Shape<Seed>::accesses(K);
  static constexpr auto accesses = [] {
    std::array<Access, static_cast<std::size_t>(found.count)> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = found.all[i];
    return all;
  }();

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    typename At::Value sum(0.01 * K);
    add<0>(at, sum);
    if constexpr (K % 3 == 1) sum = exp(-sum * sum);
    if constexpr (K % 3 == 2) sum = select(sum < 0.1, sqrt(sum * sum + 0.25), 0.75 * sum);
    set<0>(at, sum);
  }

private:
  template <int I, class At, class V>
  static RIDGE_FN void add(const At& at, V& sum) {
    if constexpr (I < found.count) {
      constexpr Access a = accesses[I];
      if constexpr (!a.writes) {
        constexpr Slot<a.array, a.profile> slot{};
        constexpr Offset l = a.reach.low;
        constexpr Offset h = a.reach.high;
        sum = sum + (0.2 + 0.01 * I) * at(slot, l.x, l.y, l.z) - 0.15 * at(slot, h.x, h.y, h.z) +
              0.07 * at(slot, l.x, h.y, l.z);
      }
      add<I + 1>(at, sum);
    }
  }
  template <int I, class At, class V>
  static RIDGE_FN void set(const At& at, const V& sum) {
    if constexpr (I < found.count) {
      constexpr Access a = accesses[I];
      if constexpr (a.writes) at.set(Slot<a.array>{}, sum * (1.0 + 0.25 * I));
      set<I + 1>(at, sum);
    }
  }
};

template <unsigned Seed>
struct RandomChain {
  static constexpr const char* name = "random";
  static constexpr auto arrays = [] {
    using S = Shape<Seed>;
    std::array<Array, static_cast<std::size_t>(S::arrays)> all{};
    for (Array& a : all)
      a = temporary("between");
    all[first_input] = input("first");
    all[second_input] = input("second");
    all[a_profile] = profile("profile");
    all[the_update] = update("update");
    all[static_cast<std::size_t>(S::output)] = output("output");
    return all;
  }();
  static constexpr auto dimensions = Shape<Seed>::dimensions;
  static constexpr std::array<std::array<int, 2>, 1> groups{{{0, Shape<Seed>::straight ? 2 : 1}}};

  template <class Numbers>
  struct All;
  template <int... K>
  struct All<std::integer_sequence<int, K...>> {
    using Tuple = std::tuple<RandomOperation<Seed, K>...>;
  };
  typename All<std::make_integer_sequence<int, Shape<Seed>::operations>>::Tuple operations;
};

#if defined(RIDGE_SANITIZED)
inline constexpr int random_chains = 4; // compile time
#else
inline constexpr int random_chains = 18;
#endif

} // namespace ridge::chain::test
