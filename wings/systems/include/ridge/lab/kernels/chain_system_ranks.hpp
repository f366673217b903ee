// Systems over ranks on random arrays that go round along every dimension.
#pragma once

#include <ridge/chain/stored.hpp>
#include <ridge/lab/kernels/chain_media.hpp>
#include <ridge/lab/kernels/chain_system.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ridge::lab {

/// Numbers of arrays before the first step, at points of the whole range, which goes round; and
/// what a box of an array holds after it.
struct SystemNumbersAt {
  std::function<double(int array, const Index3& at)> before;
  std::function<void(int array, const chain::SystemBox& box, void* to)> after;
  chain::SystemBox box; ///< in the whole range
  Index3 whole;
  double dt = 1; ///< of the step
};
/// Compares a box after one step with the reference.
using CompareSystem = void(const SystemNumbersAt& numbers, Deviation& found);

/// A system over ranks; `ranges` are those of random_ranges. Throws UsageError where it cannot be
/// divided as the request says.
[[nodiscard]] std::unique_ptr<Case>
rank_system_case(const chain::SystemKernel& kernel,
                 const std::vector<std::array<double, 2>>& ranges,
                 const std::function<CompareSystem>& compare, const BenchRequest& request);

namespace detail {
template <class C, class S, unsigned Wide>
struct KeptIn {
  using type = C;
};
template <class C, class S, unsigned Wide>
requires is_stored<S>
struct KeptIn<C, S, Wide> {
  using type = chain::Stored<C, S, Wide>;
};
} // namespace detail

/// `S`: what arrays hold of the numbers, but those whose bits Wide has.
template <class C, class T, class S = T, unsigned Wide = 0>
void compare_system(C chain, const SystemNumbersAt& numbers, Deviation& found) {
  using Bounded = BoundedPack<T>;
  using Kept = typename detail::KeptIn<C, S, Wide>::type;
  constexpr int arrays = chain::arrays_of<Kept>;
  constexpr int own = chain::numbered_arrays<Kept>(); // the reference reads whole numbers
  if constexpr (requires { chain.set_step(1.0, std::array<double, 3>{}); })
    chain.set_step(numbers.dt, {1, 1, 1});
  // Values beyond the ends of what the reference computes are those before the step: with each
  // operation so many points more are wrong.
  Index3 wrong{};
  Index3 beyond[arrays];
  for (int a = 0; a < arrays; ++a) {
    beyond[a] = {chain::beyond_of<Kept>(a, 0), chain::beyond_of<Kept>(a, 1),
                 chain::beyond_of<Kept>(a, 2)};
    wrong.x = std::max(wrong.x, beyond[a].x * chain::operations_of<C>);
    wrong.y = std::max(wrong.y, beyond[a].y * chain::operations_of<C>);
    wrong.z = std::max(wrong.z, beyond[a].z * chain::operations_of<C>);
  }
  const Index3& first = numbers.box.begin;
  const Index3& size = numbers.box.extents;
  const Index3 n{size.x + 2 * wrong.x, size.y + 2 * wrong.y, size.z + 2 * wrong.z};
  std::array<std::vector<Bounded>, arrays> right;
  for (int a = 0; a < own; ++a) {
    const chain::Role role = C::arrays[static_cast<std::size_t>(a)].role;
    if (role != chain::Role::input && role != chain::Role::update) continue;
    const bool wide = a < 32 && (Wide >> a & 1U) != 0;
    const Index3& b = beyond[a];
    for (Index z = -b.z; z < n.z + b.z; ++z)
      for (Index y = -b.y; y < n.y + b.y; ++y)
        for (Index x = -b.x; x < n.x + b.x; ++x) {
          const Index3 at{first.x - wrong.x + x, first.y - wrong.y + y, first.z - wrong.z + z};
          const auto number = static_cast<T>(numbers.before(a, at));
          right[static_cast<std::size_t>(a)].emplace_back(
              static_cast<double>(wide ? number : as_stored<S>(number)), 0.0);
        }
  }
  const Index3 begin{first.x - wrong.x, first.y - wrong.y, first.z - wrong.z};
  chain::apply_reference(chain::PlacedRound<Kept>{{{Kept(chain)}, begin, numbers.whole}}, n, right);
  std::vector<T> of_box(static_cast<std::size_t>(size.x * size.y * size.z));
  for (int a = 0; a < own; ++a) {
    int from = a; // what an output holds is in the array that it becomes
    if constexpr (requires { C::swaps; }) {
      for (const auto& swap : C::swaps)
        from = swap[0] == a ? swap[1] : from;
    }
    const chain::Role role = C::arrays[static_cast<std::size_t>(from)].role;
    if (role != chain::Role::output && role != chain::Role::update) continue;
    if (role == chain::Role::output && from == a) continue;
    numbers.after(a, numbers.box, of_box.data());
    const Index3& b = beyond[from];
    std::size_t i = 0;
    for (Index z = 0; z < size.z; ++z)
      for (Index y = 0; y < size.y; ++y)
        for (Index x = 0; x < size.x; ++x, ++i) {
          const Index at =
              x + wrong.x + b.x +
              (n.x + 2 * b.x) * (y + wrong.y + b.y + (n.y + 2 * b.y) * (z + wrong.z + b.z));
          const Bounded& one = right[static_cast<std::size_t>(from)][static_cast<std::size_t>(at)];
          found.compare(of_box[i], one[0], std::numeric_limits<T>::quiet_NaN(),
                        {first.x + x, first.y + y, first.z + z},
                        [&] { return one.bound + rounding_of<T>(one[0]); });
        }
  }
}

/// Lets a system's entry run over ranks; Places as for system_kernel.
template <bool Places = false, class C>
void add_system_ranks(BenchKernel& made, const C& chain) {
  made.add_ranks([name = made.name, chain](const BenchRequest& request, RoofSource&) {
    const bool stored = is_storage(request.precision);
    chain::require_chain(name, static_cast<int>(C::dimensions.size()), request.size,
                         stored ? "fp32" : request.precision);
    if (stored) {
      return stored_system(typeid(chain::Call<C, float>), std::as_bytes(std::span(&chain, 1)), name,
                           request);
    }
    const bool single = request.precision == "fp32";
    return rank_system_case(
        chain::system_kernel<C, Places>(name, chain), random_ranges<C>(),
        [chain, single](const SystemNumbersAt& numbers, Deviation& found) {
          single ? compare_system<C, float>(chain, numbers, found)
                 : compare_system<C, double>(chain, numbers, found);
        },
        request);
  });
}

template <class E>
void describe_system_entry(const char* header, BuiltIn& all) {
  using C = typename E::Chain;
  chain::know_chain_source<C>(header);
  all.kernels.push_back(system_bench(E::name, E::meaning, E::make()));
  add_system_ranks(all.kernels.back(), E::make());
  if constexpr (requires { E::by_steps(); })
    chain::know_chain_source<std::remove_cvref_t<decltype(E::by_steps())>>(header);
  all.evolving_otherwise.emplace_back(E::name);
  add_evolving_system(EvolvingSystem{
      E::name, E::meaning, [](const chain::NumberValues& numbers, [[maybe_unused]] bool by_step) {
        chain::SystemKernel made = [&] {
          if constexpr (requires { E::by_steps(); }) {
            if (by_step) return system_with(E::name, E::by_steps(), numbers);
          }
          return system_with(E::name, E::make(), numbers);
        }();
        made.problem_at = medium_problem(made);
        return made;
      }});
}

template <class... E>
[[nodiscard]] BuiltIn describe(Systems<E...> /*all*/, const char* header) {
  BuiltIn all;
  (describe_system_entry<E>(header, all), ...);
  return all;
}

} // namespace ridge::lab
