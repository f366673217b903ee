// Adjoints of calls of stencils, for ridge::Program.
//
//   stencil::Call<Heat, double> call{heat, {u.view()}, y.view()};
//   Program backward(queue, adjoint(call, y_bar.view(), u_bar.view()));
//
// With L a loss and y_bar its derivative by y, backward.run() sets u_bar to its derivative by u:
// u_bar[p] is the sum over the neighbours k that Heat reads of (df/du[k])(p - k) y_bar[p - k]. As
// of any stencil, points nearer to an edge than the adjoint's radius keep their values; give fields
// a margin where their gradient is wanted too. y_bar is 0 where the forward call writes nothing, or
// what the transpose of a boundary makes of it.
//
// A kernel with `static constexpr bool linear = true` has a stencil of the same radius that reads
// y_bar alone; others read their inputs as well, twice as far. Executors are compiled ahead by
// `template struct ridge::stencil::Executor<ridge::gradient::AdjointOf<Heat, 0>, double,
// ridge::Here>;`, or on demand where the forward call's source is known. Host code only.
#pragma once

#include <ridge/chain/launch.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/gradient/together.hpp>
#include <ridge/stencil/launch.hpp>

#include <array>
#include <cstddef>
#include <typeinfo>
#include <utility>

namespace ridge {

namespace gradient {

/// Says that the adjoint `call` is compiled from what `forward` is, where that is known, and
/// `header`, which has the adjoint.
void know_adjoint_source(const std::type_info& forward, const std::type_info& call,
                         const char* header = "ridge/gradient/together.hpp");

} // namespace gradient

/// The adjoint by input I.
template <int I = 0, class K, class T>
[[nodiscard]] auto adjoint(const stencil::Call<K, T>& forward, const View<const T>& cotangent,
                           const View<T>& gradient) {
  using G = gradient::AdjointOf<K, I>;
  stencil::Call<G, T> call{gradient::adjoint_kernel<I>(forward.kernel), {}, gradient};
  for (std::size_t n = 0; n < call.in.size(); ++n) {
    const auto number = static_cast<std::size_t>(G::inputs.all[n].x);
    call.in[n] = number < forward.in.size() ? forward.in[number] : cotangent;
  }
  gradient::know_adjoint_source(typeid(stencil::Call<K, T>), typeid(stencil::Call<G, T>));
  return call;
}
template <int I = 0, class K, class T>
[[nodiscard]] auto adjoint(const stencil::Call<K, T>& forward, const View<T>& cotangent,
                           const View<T>& gradient) {
  return adjoint<I>(forward, View<const T>(cotangent), gradient);
}

/// The adjoints by all inputs, one gradient each, in one pass over memory: a chain, on fields of
/// `Rank` dimensions.
template <class K, class T, int Rank = gradient::rank_of_stencil<K>>
[[nodiscard]] auto adjoint(const stencil::Call<K, T>& forward, const View<const T>& cotangent,
                           const std::array<View<T>, stencil::inputs_of<K>>& gradients) {
  using C = gradient::AdjointsOf<K, Rank>;
  using Arrays = typename C::Arrays;
  chain::Request<C, T> request{{}, cotangent.extents, {}};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::get<0>(request.chain.operations).adjoints = {
        gradient::adjoint_kernel<static_cast<int>(I)>(forward.kernel)...};
    const auto read = [&]<int N>(std::integral_constant<int, N>) {
      if constexpr (Arrays::is_read(N))
        request.views.set(chain::Slot<Arrays::array_of(N)>{}, forward.in[N]);
    };
    (read(std::integral_constant<int, static_cast<int>(I)>{}), ...);
    request.views.set(chain::Slot<Arrays::cotangent>{}, cotangent);
    (request.views.set(chain::Slot<Arrays::cotangent + 1 + static_cast<int>(I)>{}, gradients[I]),
     ...);
  }
  (gradient::InputNumbers<K>{});
  gradient::know_adjoint_source(typeid(stencil::Call<K, T>), typeid(chain::Call<C, T>));
  return request;
}

} // namespace ridge
