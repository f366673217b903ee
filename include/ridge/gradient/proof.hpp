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
#include <ridge/device/view.hpp>
#include <ridge/gradient/found.hpp>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace ridge::gradient {

struct Proof {
  double dot_error = 0; ///< relative to the sum of the magnitudes of its terms
  double slope = 0;     ///< log2 of the quotient of the errors of differences: 2
  [[nodiscard]] bool ok() const { return fault().empty(); }
  /// What failed; empty if nothing did.
  [[nodiscard]] std::string fault() const;
};

/// The part of a proof that knows no kernel: random fields, and sums over them.
class ProofFields {
public:
  /// `radius` of the kernel and `reach` of its adjoints, on fields of `rank` dimensions; numbers
  /// from `least` to `least` + 2.
  ProofFields(int inputs, int rank, Offset radius, Offset reach, double least, int seed);

  struct Box {
    Index3 begin, end;
  };
  [[nodiscard]] const Index3& extents() const { return n_; }
  /// The points whose results have weights, and those that they depend on, which adjoints write.
  [[nodiscard]] const Box& weighted() const { return weighted_; }
  [[nodiscard]] const Box& written() const { return written_; }
  [[nodiscard]] std::size_t at(Index x, Index y, Index z) const {
    return static_cast<std::size_t>(x + n_.x * (y + n_.y * z));
  }
  /// Input `input` moved by so much along its direction v.
  [[nodiscard]] std::vector<double> moved(int input, double step) const;
  [[nodiscard]] const std::vector<double>& direction(int input) const {
    return v_[static_cast<std::size_t>(input)];
  }
  std::vector<double> weights; ///< w; 0 where no result is

private:
  Index3 n_;
  Box weighted_, written_;
  std::vector<std::vector<double>> u_, v_;
};

/// Results at the weighted points, and the choices that led to them.
struct ProofResults {
  std::vector<double> values;
  std::vector<std::vector<double>> choices;
};

/// Results of the kernel with all inputs moved by a step.
using ResultsAt = std::function<ProofResults(double step)>;
/// J v at the weighted points.
using TangentAt = std::function<std::vector<double>()>;
/// <v, J^T cotangent> over all inputs, and the sum of the magnitudes of its terms.
using AdjointDot = std::function<double(const std::vector<double>& cotangent)>;
[[nodiscard]] Proof prove(ProofFields& fields, const ResultsAt& results, const TangentAt& tangent,
                          const AdjointDot& adjoint);

namespace detail {

template <class F>
void each_point(const ProofFields::Box& box, const F& f) {
  for (Index z = box.begin.z; z < box.end.z; ++z) {
    for (Index y = box.begin.y; y < box.end.y; ++y) {
      for (Index x = box.begin.x; x < box.end.x; ++x)
        f(x, y, z);
    }
  }
}

/// Field values at a point's neighbours, as numbers that note choices.
struct NotedNeighbours {
  const double* at;
  Index row, plane;
  TracedPack operator()(int dx, int dy = 0, int dz = 0) const {
    return {at[dx + dy * row + dz * plane], Trace::current().read({})};
  }
};
/// The same with a direction in which all move.
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

/// The sum of v times what adjoint G gives.
template <class G>
double dot_of(const G& adjoint, const ProofFields& fields,
              const std::vector<const std::vector<double>*>& arrays) {
  const Index row = fields.extents().x;
  const Index plane = row * fields.extents().y;
  double sum = 0;
  each_point(fields.written(), [&](Index x, Index y, Index z) {
    const std::size_t p = fields.at(x, y, z);
    const auto gradient = [&]<std::size_t... N>(std::index_sequence<N...>) {
      return adjoint(PlainNeighbours{
          arrays[static_cast<std::size_t>(G::inputs.all[N].x)]->data() + p, row, plane}...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(G::inputs.count)>{});
    sum += fields.direction(G::input)[p] * gradient[0];
  });
  return sum;
}

} // namespace detail

/// The proof of adjoints of `kernel`, by all inputs that its result has a derivative by.
template <class K, class... G>
[[nodiscard]] Proof prove_once(const K& kernel, const std::tuple<G...>& adjoints, int rank,
                               double least, int seed) {
  constexpr int inputs = stencil::inputs_of<K>;
  Offset reach;
  const auto grow = [&](Offset o) {
    reach = {std::max(reach.x, o.x), std::max(reach.y, o.y), std::max(reach.z, o.z)};
  };
  (grow(stencil::radius_of<G>()), ...);
  ProofFields fields(inputs, rank, stencil::radius_of<K>(), reach, least, seed);
  const Index row = fields.extents().x;
  const Index plane = row * fields.extents().y;
  const auto all_moved = [&](double step) {
    std::vector<std::vector<double>> all;
    for (int i = 0; i < inputs; ++i)
      all.push_back(fields.moved(i, step));
    return all;
  };
  const auto results = [&](double step) {
    const auto u = all_moved(step);
    ProofResults made{std::vector<double>(fields.weights.size()), {}};
    made.choices.resize(fields.weights.size());
    detail::each_point(fields.weighted(), [&](Index x, Index y, Index z) {
      const std::size_t p = fields.at(x, y, z);
      const Trace trace;
      made.values[p] = [&]<std::size_t... J>(std::index_sequence<J...>) {
        return TracedPack(kernel(detail::NotedNeighbours{u[J].data() + p, row, plane}...)).value;
      }
      (InputNumbers<K>{});
      made.choices[p] = trace.choices();
    });
    return made;
  };
  const auto start = all_moved(0);
  const auto tangent = [&] {
    std::vector<double> made(fields.weights.size());
    detail::each_point(fields.weighted(), [&](Index x, Index y, Index z) {
      const std::size_t p = fields.at(x, y, z);
      const DualOf<Pack<double, 1, abi::Array>> result = [&]<std::size_t... J>(
          std::index_sequence<J...>) {
        return kernel(detail::MovingNeighbours{
            start[J].data() + p, fields.direction(static_cast<int>(J)).data() + p, row, plane}...);
      }
      (InputNumbers<K>{});
      made[p] = result.derivative[0];
    });
    return made;
  };
  const auto adjoint = [&](const std::vector<double>& cotangent) {
    std::vector<const std::vector<double>*> arrays;
    for (const auto& one : start)
      arrays.push_back(&one);
    arrays.push_back(&cotangent);
    return std::apply([&](const G&... one) { return (detail::dot_of(one, fields, arrays) + ...); },
                      adjoints);
  };
  return prove(fields, results, tangent, adjoint);
}

/// On fields of [-1, 1), or of [0.5, 2.5) for kernels that take no numbers below zero. Of a third
/// derivative that happens to be next to none the errors say nothing: then other numbers do.
template <class K, class... G>
[[nodiscard]] Proof prove_adjoints(const K& kernel, const std::tuple<G...>& adjoints, int rank) {
  Proof proof;
  for (const double least : {-1.0, 0.5}) {
    for (int seed = 1; seed <= 3; ++seed) {
      proof = prove_once(kernel, adjoints, rank, least, seed);
      if (proof.ok()) return proof;
    }
  }
  return proof;
}

} // namespace ridge::gradient
