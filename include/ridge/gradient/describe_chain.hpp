// Descriptions of the adjoints of chains, which are compiled when they are asked for: see
// ridge/gradient/bench.hpp.
#pragma once

#include <ridge/chain/bench.hpp>
#include <ridge/chain/rank_case.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/chain/source.hpp>
#include <ridge/core/random.hpp>
#include <ridge/gradient/bench.hpp>
#include <ridge/gradient/chain.hpp>
#include <ridge/pattern/call_case.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace ridge::gradient {

namespace detail {

/// A proof on a small range, in fp64 by the reference of chains, as ridge/gradient/proof.hpp has
/// it.
template <class C>
class ProofOfChain {
  using D = DualOf<Pack<double, 1, abi::Array>>;
  static constexpr int count = chain::arrays_of<C>;
  template <class E>
  using Arrays = std::array<std::vector<E>, static_cast<std::size_t>(count)>;

public:
  explicit ProofOfChain(const C& chain) : chain_(chain) {
    for (int d = 0; d < static_cast<int>(C::dimensions.size()); ++d) {
      const int reach = farthest_along(d);
      (d == 0 ? n_.x : d == 1 ? n_.y : n_.z) = 7 + 4 * reach;
    }
    for (std::size_t a = 0; a < x_.size(); ++a) {
      const chain::Array& array = C::arrays[a];
      const Index items = (n_.x + array.extra.x) * (n_.y + array.extra.y) * (n_.z + array.extra.z);
      for (Index i = 0; i < items; ++i) {
        if (array.role == chain::Role::input) {
          x_[a].push_back(1 + 0.5 * random_value(10 + a, i));
          v_[a].push_back(random_value(40 + a, i));
        } else if (array.role == chain::Role::output) {
          w_[a].push_back(random_value(70 + a, i));
        }
      }
    }
  }

  [[nodiscard]] Proof proof(const std::string& name) {
    Arrays<D> moving;
    for (std::size_t a = 0; a < x_.size(); ++a) {
      for (std::size_t i = 0; i < x_[a].size(); ++i)
        moving[a].emplace_back(x_[a][i], v_[a][i]);
    }
    chain::apply_reference(chain_, n_, moving);
    double left = 0, size = 0;
    for (std::size_t a = 0; a < w_.size(); ++a) {
      for (std::size_t i = 0; i < w_[a].size(); ++i) {
        if (std::isnan(moving[a][i].value[0])) w_[a][i] = 0; // no item of the chain
        if (w_[a][i] == 0) continue;
        left += w_[a][i] * moving[a][i].derivative[0];
        size += std::abs(w_[a][i] * moving[a][i].derivative[0]);
      }
    }
    if (size == 0)
      throw UsageError(name + " has no derivative: its results are made of numbers, comparisons "
                              "and whole numbers alone");
    Proof proof;
    proof.dot_error = std::abs(left - along(w_)) / size;
    proof.slope = slope();
    return proof;
  }

private:
  static int farthest_along(int d) {
    int reach = 0;
    for_constants<chain::operations_of<C>>([&](auto k) {
      using Op = chain::Operation<C, k.value>;
      const chain::Domain domain = chain::domain_of<Op>();
      reach = std::max({reach, std::abs(domain.begin.along(d)), std::abs(domain.end.along(d))});
      for (const chain::Access& a : Op::accesses)
        reach = std::max({reach, -a.reach.low.along(d), a.reach.high.along(d)});
    });
    return reach;
  }

  /// <v, J^T w>.
  [[nodiscard]] double along(const Arrays<double>& w) const {
    std::array<std::vector<double>, static_cast<std::size_t>(2 * count)> all;
    std::copy(x_.begin(), x_.end(), all.begin());
    for (std::size_t a = 0; a < w.size(); ++a)
      all[static_cast<std::size_t>(count) + a] = w[a];
    chain::apply_reference(Backward<C>(chain_), n_, all);
    double total = 0;
    for (std::size_t a = 0; a < v_.size(); ++a) {
      const std::vector<double>& gradient = all[static_cast<std::size_t>(count) + a];
      for (std::size_t i = 0; i < v_[a].size() && !gradient.empty(); ++i)
        total += v_[a][i] * gradient[i];
    }
    return total;
  }

  /// Results, moved along v by a step.
  [[nodiscard]] Arrays<double> results(double step) const {
    Arrays<double> all = x_;
    for (std::size_t a = 0; a < v_.size(); ++a) {
      for (std::size_t i = 0; i < v_[a].size(); ++i)
        all[a][i] += step * v_[a][i];
    }
    chain::apply_reference(chain_, n_, all);
    return all;
  }

  /// How fast differences come to the derivative of the loss, the sum of w sin(f).
  [[nodiscard]] double slope() const {
    const auto loss = [&](double step) {
      const Arrays<double> f = results(step);
      double total = 0;
      for (std::size_t a = 0; a < w_.size(); ++a) {
        for (std::size_t i = 0; i < w_[a].size(); ++i)
          total += w_[a][i] == 0 ? 0 : w_[a][i] * std::sin(f[a][i]);
      }
      return total;
    };
    Arrays<double> weights = w_;
    const Arrays<double> f = results(0);
    for (std::size_t a = 0; a < w_.size(); ++a) {
      for (std::size_t i = 0; i < w_[a].size(); ++i)
        weights[a][i] = w_[a][i] == 0 ? 0 : w_[a][i] * std::cos(f[a][i]);
    }
    const double right = along(weights);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
      const double h = 2e-3 / (k + 1);
      errors[k] = std::abs((loss(h) - loss(-h)) / (2 * h) - right);
    }
    return std::log2(errors[0] / errors[1]);
  }

  C chain_;
  chain::Range n_{1, 1, 1};
  Arrays<double> x_, v_, w_;
};

} // namespace detail

/// The adjoint of a benchmark of the chain C; `file` is what it can be compiled from. Throws
/// UsageError for a chain that has none. `OverRanks`: it runs over ranks, too.
template <class C, bool OverRanks>
[[nodiscard]] BenchKernel
describe_chain_adjoint(const std::string& name, const std::string& meaning,
                       const BenchKernel& forward, const Case& of, const std::string& file) {
  constexpr const char* why = why_no_adjoint<C>();
  if constexpr (*why != 0) {
    throw UsageError(forward.name + " has no adjoint here: " + why);
  } else {
    const auto* const its = dynamic_cast<const CallCase<chain::Request<C, double>>*>(&of);
    if (its == nullptr) throw Failure(forward.name + " is no chain; please report this");
    const C& chain = its->call().chain;
    chain::know_chain_source<Backward<C>>(file);
    BenchKernel made = chain::chain_kernel(name, meaning, Backward<C>(chain));
    if constexpr (OverRanks) {
      chain::know_chain_source<chain::Placed<Backward<C>>>(file);
      chain::add_rank_case(made, Backward<C>(chain));
    }
    made.default_size = forward.default_size;
    prove_cases(made, detail::ProofOfChain<C>(chain).proof(forward.name));
    return made;
  }
}

} // namespace ridge::gradient
