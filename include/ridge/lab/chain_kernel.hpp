// Benchmarks of chains in files of the user's, on random arrays.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/chain_on_views.hpp>
#include <ridge/lab/on_arrays/chain.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace ridge::lab {

/// Chains that can be run on random arrays and compared with the reference: inputs, temporaries,
/// and one output, the last.
template <class C>
[[nodiscard]] constexpr bool runs_on_random_arrays() {
  using chain::Role;
  for (std::size_t i = 0; i + 1 < C::arrays.size(); ++i) {
    const Role role = C::arrays[i].role;
    if (role != Role::input && role != Role::temporary) return false;
  }
  return C::arrays.back().role == Role::output;
}

/// A queue and arrays for a range of that size.
template <class C, class T>
class RandomArrays {
protected:
  RandomArrays(const Device& device, const C& chain, const Extents& size)
      : own_queue_(device), request_{chain, range_of(chain::describe<C, T>(), size), {}} {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make(std::integral_constant<int, A>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
  }

  static constexpr int count = chain::arrays_of<C>;
  Queue own_queue_;
  chain::Request<C, T> request_;

private:
  template <int A>
  void make(std::integral_constant<int, A> /*slot*/) {
    using chain::Role;
    constexpr auto array = C::arrays[A];
    if constexpr (array.role != Role::temporary) {
      const auto& n = request_.extents;
      const Extents points{array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y,
                           n.z + array.extra.z, n.instances()};
      fields_[A] = Field<T>(own_queue_.device(), points, array.name);
      if (array.role == Role::input) fill_random(own_queue_, fields_[A].elements(), A + 1);
      request_.views.set(chain::Slot<A>{}, fields_[A].view(), n.instances());
    }
  }

  std::array<Field<T>, count> fields_;
};

template <class C, class T>
class RandomChain final : RandomArrays<C, T>, public ChainOnViews<C, T> {
public:
  RandomChain(const std::string& name, const C& chain, const BenchRequest& request)
      : RandomArrays<C, T>(request.device, chain, request.size),
        ChainOnViews<C, T>(name, RandomArrays<C, T>::own_queue_, RandomArrays<C, T>::request_) {}
};

/// Throws UsageError for more dimensions than the chain has, and for a precision that is neither
/// fp32 nor fp64.
void require_chain(const std::string& name, int dimensions, const Extents& size,
                   const std::string& precision);

/// All dimensions of C's ranges.
template <class C>
inline constexpr int
    chain_dimensions = static_cast<int>(C::dimensions.size()) + chain::outer_of<C>();

/// A chain's entry, which runs nowhere yet.
template <class C>
[[nodiscard]] BenchKernel chain_entry(const std::string& name, const std::string& meaning) {
  constexpr int dimensions = chain_dimensions<C>;
  return {name,
          "chain",
          meaning,
          dimensions == 1   ? Extents{Index{1} << 24}
          : dimensions == 2 ? Extents{4096, 4096}
          : dimensions == 3 ? Extents{256, 256, 256}
                            : Extents{64, 64, 64, 64},
          {}};
}

template <class C>
[[nodiscard]] BenchKernel chain_kernel(const std::string& name, const std::string& meaning,
                                       const C& chain) {
  constexpr int dimensions = chain_dimensions<C>;
  BenchKernel made = chain_entry<C>(name, meaning);
  made.make_case = [=](const BenchRequest& request, RoofSource&) -> std::unique_ptr<Case> {
    require_chain(name, dimensions, request.size, request.precision);
    if (request.precision == "fp32")
      return std::make_unique<RandomChain<C, float>>(name, chain, request);
    return std::make_unique<RandomChain<C, double>>(name, chain, request);
  };
  made.on_arrays = arrays_of_chain<C>();
  made.on_arrays.make = [=](Queue& queue, RoofSource&, const Arguments& arguments) {
    return chain_on_arrays(queue, chain, arguments);
  };
  made.make_menu = [=](const BenchRequest& r, const Place& place) {
    require_chain(name, dimensions, r.size, r.precision);
    const auto d = chain::describe_in<C>(r.precision);
    return menu(d, range_of(d, r.size), place);
  };
  return made;
}

} // namespace ridge::lab
