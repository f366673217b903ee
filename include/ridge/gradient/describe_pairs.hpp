// Descriptions of the adjoints of interactions, which are compiled when they are asked for: see
// ridge/gradient/bench.hpp.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/gradient/bench.hpp>
#include <ridge/gradient/pairs.hpp>
#include <ridge/pairs/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace ridge::gradient {

namespace detail {

/// An interaction, and bodies that it is benched on.
template <class I>
struct InteractionAndBodies {
  I interaction;
  pairs::HostBodies<I::sources> bodies;
};

/// Those of a benchmark of so many bodies.
template <class I>
[[nodiscard]] InteractionAndBodies<I> found_in(const BenchKernel& forward, Index count) {
  const BenchRequest request{Device("cpu"), Extents{count}, "fp64", "auto", {}};
  RoofSource roof(request.device, false, false);
  const auto the_case = forward.make_case(request, roof);
  const auto* const of = dynamic_cast<const CallCase<pairs::Call<I, pairs::Fp64>>*>(the_case.get());
  if (of == nullptr) throw Failure(forward.name + " is no sum over pairs; please report this");
  return {of->call().interaction, pairs::bodies_on_host(the_case->queue(), of->call().sources)};
}

/// A proof on a few bodies, in fp64 on the host, as ridge/gradient/proof.hpp has it.
template <class I>
class ProofOfPairs {
  using V = Pack<double, 1, abi::Array>;
  using D = DualOf<V>;
  static constexpr Index count = 24;
  using Numbers = std::array<double, static_cast<std::size_t>(count)>;

public:
  explicit ProofOfPairs(const InteractionAndBodies<I>& of) : interaction_(of.interaction) {
    for (int c = 0; c < I::sources; ++c) {
      for (Index i = 0; i < count; ++i) {
        x_[c][i] = of.bodies[c][static_cast<std::size_t>(i)];
        v_[c][i] = random_value(static_cast<std::uint64_t>(50 + c), i);
      }
    }
    for (int c = 0; c < I::sums; ++c) {
      for (Index i = 0; i < count; ++i)
        w_[c][i] = random_value(static_cast<std::uint64_t>(80 + c), i);
    }
  }

  [[nodiscard]] Proof proof(const std::string& name) const {
    double left = 0, size = 0;
    for_each_sum([&](int c, Index i, const D& sum) {
      left += w_[c][i] * sum.derivative[0];
      size += std::abs(w_[c][i] * sum.derivative[0]);
    });
    if (size == 0)
      throw UsageError(name + " has no derivative: its sums are made of numbers, comparisons and "
                              "whole numbers alone");
    Proof proof;
    proof.dot_error = std::abs(left - along(w_)) / size;
    const std::array<Numbers, I::sums> at_x = sums(0);
    std::array<Numbers, I::sums> weights = w_; // of sum w s sin(f / s)
    for (int c = 0; c < I::sums; ++c) {
      for (Index i = 0; i < count; ++i)
        weights[c][i] *= std::cos(at_x[c][i] / scale(at_x[c]));
    }
    const double slope = along(weights);
    double errors[2];
    for (int n = 0; n < 2; ++n) {
      const double h = 1e-4 / (n + 1);
      errors[n] = std::abs((loss(sums(h), at_x) - loss(sums(-h), at_x)) / (2 * h) - slope);
    }
    proof.slope = std::log2(errors[0] / errors[1]);
    return proof;
  }

private:
  /// Calls take(c, i, sum), where all moves along v.
  template <class Take>
  void for_each_sum(const Take& take) const {
    for (Index i = 0; i < count; ++i) {
      D sum[I::sums], target[I::targets], source[I::sources];
      for (D& s : sum)
        s = D(0);
      for (int c = 0; c < I::targets; ++c)
        target[c] = D(V(x_[c][i]), V(v_[c][i]));
      for (Index j = 0; j < count; ++j) {
        if (j == i) continue;
        for (int c = 0; c < I::sources; ++c)
          source[c] = D(V(x_[c][j]), V(v_[c][j]));
        interaction_(target, source, sum);
      }
      for (int c = 0; c < I::sums; ++c)
        take(c, i, sum[c]);
    }
  }

  /// <v, J^T w>.
  [[nodiscard]] double along(const std::array<Numbers, I::sums>& w) const {
    constexpr int components = I::sources + I::sums;
    const OfBodies<I> adjoint{interaction_};
    const auto body = [&](Index i, V* to) {
      for (int c = 0; c < components; ++c)
        to[c] = V(c < I::sources ? x_[c][i] : w[c - I::sources][i]);
    };
    double total = 0;
    for (Index i = 0; i < count; ++i) {
      V a[components], b[components], sum[I::sources];
      for (V& s : sum)
        s = V(0);
      body(i, a);
      for (Index j = 0; j < count; ++j) {
        if (j == i) continue;
        body(j, b);
        adjoint(a, b, sum);
      }
      for (int c = 0; c < I::sources; ++c)
        total += v_[c][i] * sum[c][0];
    }
    return total;
  }

  [[nodiscard]] std::array<Numbers, I::sums> sums(double step) const {
    ProofOfPairs moved = *this;
    for (int c = 0; c < I::sources; ++c) {
      for (Index i = 0; i < count; ++i)
        moved.x_[c][i] += step * v_[c][i];
    }
    std::array<Numbers, I::sums> found;
    moved.for_each_sum([&](int c, Index i, const D& sum) { found[c][i] = sum.value[0]; });
    return found;
  }

  [[nodiscard]] static double scale(const Numbers& f) {
    double most = 0;
    for (const double value : f)
      most = std::max(most, std::abs(value));
    return most > 0 ? most : 1;
  }

  [[nodiscard]] double loss(const std::array<Numbers, I::sums>& f,
                            const std::array<Numbers, I::sums>& at_x) const {
    double total = 0;
    for (int c = 0; c < I::sums; ++c) {
      const double s = scale(at_x[c]);
      for (Index i = 0; i < count; ++i)
        total += w_[c][i] * s * std::sin(f[c][i] / s);
    }
    return total;
  }

  I interaction_;
  std::array<Numbers, I::sources> x_, v_;
  std::array<Numbers, I::sums> w_;
};

} // namespace detail

/// The adjoint of a benchmark of I by the components of its bodies, whose sums have random weights;
/// `file` is what it can be compiled from.
template <class I>
[[nodiscard]] BenchKernel
describe_pairs_adjoint(const std::string& name, const std::string& meaning,
                       const BenchKernel& forward, const Case& /*of*/, const std::string& file) {
  using G = OfBodies<I>;
  constexpr Index few = 24;
  const auto found = detail::found_in<I>(forward, few);
  pairs::know_interactions<G>(file);
  BenchKernel made = pairs::named_kernel(name, meaning, G{found.interaction});
  made.default_size = forward.default_size;
  const Proof proof = detail::ProofOfPairs<I>(found).proof(forward.name);
  made.make_case = [=](const BenchRequest& request, RoofSource& roof) -> std::unique_ptr<Case> {
    const Index count = pairs::bodies_asked(request.size, request.precision, name, false);
    if (request.options.has("theta") || request.options.has("error"))
      throw UsageError(name + " has no far field by proxies; give a cutoff, or none");
    const auto own = detail::found_in<I>(forward, count);
    pairs::HostBodies<G::sources> bodies;
    for (int c = 0; c < G::sources; ++c) {
      auto& row = bodies[static_cast<std::size_t>(c)];
      if (c < I::sources) row = own.bodies[static_cast<std::size_t>(c)];
      for (Index i = 0; c >= I::sources && i < count; ++i)
        row.push_back(random_value(static_cast<std::uint64_t>(90 + c), i));
    }
    return pairs::in_precision_of<G>(request.precision, [&]<class P>(P /*precision*/) {
      return pairs::requested_case<G, P>(name, G{own.interaction}, std::move(bodies), request,
                                         roof);
    });
  };
  prove_cases(made, proof);
  return made;
}

} // namespace ridge::gradient
