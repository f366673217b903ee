// A proof of adjoints, in fp64 on the host, by the very functors that are launched: the dot-product
// test, <J v, w> = <v, J^T w> on random vectors, J v by dual numbers; and finite differences of a
// loss, L = sum of w s sin(f / s) over the points, at two steps, of which the second is half: their
// error falls by four. The first knows nothing of a kernel whose derivatives are wrong both ways,
// the second does.
//
// Points where a choice (select, min, floor, ...) goes another way within a step have no weight in
// the differences.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/gradient/found.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ridge::gradient {

struct Proof {
  double dot_error = 0; ///< relative to the sum of the magnitudes of its terms
  double slope = 0;     ///< log2 of the quotient of the errors of differences: 2
  [[nodiscard]] bool ok() const { return fault().empty(); }
  /// The failure; empty if there is none.
  [[nodiscard]] std::string fault() const;
};

/// A point of fields: where it is in each array, and how far rows and planes are apart.
struct ProofPoint {
  std::vector<const double*> at;
  Index row, plane;
};

/// A kernel and adjoints of it, their types put away.
class ProvedKernel {
public:
  struct AdjointFacts {
    int input;
    Offset radius;
  };
  ProvedKernel(int inputs, Offset radius, std::vector<AdjointFacts> adjoints)
      : inputs_(inputs), radius_(radius), adjoints_(std::move(adjoints)) {}
  ProvedKernel(const ProvedKernel&) = delete;
  ProvedKernel& operator=(const ProvedKernel&) = delete;
  virtual ~ProvedKernel() = default;

  [[nodiscard]] int inputs() const { return inputs_; }
  [[nodiscard]] Offset radius() const { return radius_; }
  [[nodiscard]] const std::vector<AdjointFacts>& adjoints() const { return adjoints_; }
  /// The result; the current trace notes choices.
  [[nodiscard]] virtual double result(const ProofPoint& inputs) const = 0;
  /// How the result changes in a direction, which follows the inputs, one array each.
  [[nodiscard]] virtual double change(const ProofPoint& inputs_and_direction) const = 0;
  /// The result of adjoint number `adjoint`; the cotangent follows the inputs.
  [[nodiscard]] virtual double gradient(std::size_t adjoint,
                                        const ProofPoint& inputs_and_cotangent) const = 0;

private:
  int inputs_;
  Offset radius_;
  std::vector<AdjointFacts> adjoints_;
};

/// On fields of `rank` dimensions, of [-1, 1), or of [0.5, 2.5) for kernels that take no numbers
/// below zero. Where a third derivative happens to be next to none, the errors say nothing: then
/// other numbers do.
[[nodiscard]] Proof prove(const ProvedKernel& kernel, int rank);

namespace detail {

/// Values at a point's neighbours, as numbers that note choices.
struct NotedNeighbours {
  const double* at;
  Index row, plane;
  TracedPack operator()(int dx, int dy = 0, int dz = 0) const {
    return {at[dx + dy * row + dz * plane], Trace::current().read({})};
  }
};
/// Likewise with a direction in which all move.
struct MovingNeighbours {
  const double *at, *direction;
  Index row, plane;
  DualOf<Pack<double, 1, abi::Array>> operator()(int dx, int dy = 0, int dz = 0) const {
    const Index o = dx + dy * row + dz * plane;
    return {at[o], direction[o]};
  }
};
struct PlainNeighbours {
  const double* at;
  Index row, plane;
  Pack<double, 1, abi::Array> operator()(int dx, int dy = 0, int dz = 0) const {
    return at[dx + dy * row + dz * plane];
  }
};

template <class K, class... G>
class ProvedOf final : public ProvedKernel {
public:
  ProvedOf(const K& kernel, const std::tuple<G...>& adjoints)
      : ProvedKernel(stencil::inputs_of<K>, stencil::radius_of<K>(),
                     {{G::input, stencil::radius_of<G>()}...}),
        kernel_(kernel), given_(adjoints) {}

  double result(const ProofPoint& p) const override {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return TracedPack(kernel_(NotedNeighbours{p.at[J], p.row, p.plane}...)).value;
    }
    (InputNumbers<K>{});
  }
  double change(const ProofPoint& p) const override {
    constexpr auto inputs = static_cast<std::size_t>(stencil::inputs_of<K>);
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      const DualOf<Pack<double, 1, abi::Array>> result(
          kernel_(MovingNeighbours{p.at[J], p.at[inputs + J], p.row, p.plane}...));
      return result.derivative[0];
    }
    (InputNumbers<K>{});
  }
  double gradient(std::size_t adjoint, const ProofPoint& p) const override {
    return [&]<std::size_t... A>(std::index_sequence<A...>) {
      return ((A == adjoint ? gradient_of(std::get<A>(given_), p) : 0.0) + ...);
    }
    (std::index_sequence_for<G...>{});
  }

private:
  template <class One>
  static double gradient_of(const One& adjoint, const ProofPoint& p) {
    return [&]<std::size_t... N>(std::index_sequence<N...>) {
      return adjoint(PlainNeighbours{p.at[static_cast<std::size_t>(One::inputs.all[N].x)], p.row,
                                     p.plane}...)[0];
    }
    (std::make_index_sequence<static_cast<std::size_t>(One::inputs.count)>{});
  }

  K kernel_;
  std::tuple<G...> given_;
};

} // namespace detail

/// The proof of adjoints of `kernel`, by all inputs that its result has a derivative by.
template <class K, class... G>
[[nodiscard]] Proof prove_adjoints(const K& kernel, const std::tuple<G...>& adjoints, int rank) {
  return prove(detail::ProvedOf<K, G...>(kernel, adjoints), rank);
}

} // namespace ridge::gradient
