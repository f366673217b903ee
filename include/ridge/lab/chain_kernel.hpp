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
  for (std::size_t i = 0; i + 1 < C::arrays.size(); ++i) {
    const chain::Role role = C::arrays[i].role;
    if (role != chain::Role::input && role != chain::Role::temporary) return false;
  }
  return C::arrays.back().role == chain::Role::output;
}

/// A queue and arrays for a range of so many items.
template <class C, class T>
class RandomArrays {
protected:
  RandomArrays(const Device& device, const C& chain, Index3 n)
      : own_queue_(device), request_{chain, n, {}} {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make(std::integral_constant<int, A>{}), ...);
    }
    (std::make_integer_sequence<int, chain::arrays_of<C>>{});
  }

  Queue own_queue_;
  chain::Request<C, T> request_;

private:
  template <int A>
  void make(std::integral_constant<int, A> /*slot*/) {
    constexpr chain::Array array = C::arrays[A];
    if constexpr (array.role != chain::Role::temporary) {
      const Index3 n = request_.extents;
      const Extents points{array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y,
                           n.z + array.extra.z};
      fields_[A] = Field<T>(own_queue_.device(), points, array.name);
      if (array.role == chain::Role::input) fill_random(own_queue_, fields_[A].elements(), A + 1);
      request_.views.set(chain::Slot<A>{}, fields_[A].view());
    }
  }

  std::array<Field<T>, chain::arrays_of<C>> fields_;
};

template <class C, class T>
class RandomChain final : RandomArrays<C, T>, public ChainOnViews<C, T> {
public:
  RandomChain(const std::string& name, const C& chain, const BenchRequest& request)
      : RandomArrays<C, T>(request.device, chain, request.size.xyz()),
        ChainOnViews<C, T>(name, RandomArrays<C, T>::own_queue_, RandomArrays<C, T>::request_) {}
};

/// Throws UsageError for more dimensions than the chain has, and for a precision that is neither
/// fp32 nor fp64.
void require_chain(const std::string& name, int dimensions, const Extents& size,
                   const std::string& precision);

/// A chain's entry, which runs nowhere yet.
template <class C>
[[nodiscard]] BenchKernel chain_entry(const std::string& name, const std::string& meaning) {
  constexpr int dimensions = static_cast<int>(C::dimensions.size());
  return {name,
          "chain",
          meaning,
          dimensions == 1   ? Extents{Index{1} << 24}
          : dimensions == 2 ? Extents{4096, 4096}
                            : Extents{256, 256, 256},
          {}};
}

template <class C>
[[nodiscard]] BenchKernel chain_kernel(const std::string& name, const std::string& meaning,
                                       const C& chain) {
  constexpr int dimensions = static_cast<int>(C::dimensions.size());
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
    return chain::menu(r.precision == "fp32" ? chain::describe<C, float>()
                                             : chain::describe<C, double>(),
                       r.size.xyz(), place);
  };
  return made;
}

} // namespace ridge::lab
