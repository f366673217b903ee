// Comparing sums over near pairs with the reference: a search of all pairs, in double.
#pragma once

#include <ridge/lab/pairs_check.hpp>
#include <ridge/pairs/lists/box.hpp>

namespace ridge::lab {

/// The bodies within the cutoff of body `i`, but for itself, each moved by periods to its nearest
/// image. The first three components are positions.
template <std::size_t N>
[[nodiscard]] std::array<std::vector<double>, N>
near_bodies(const std::array<std::vector<double>, N>& bodies, std::size_t i,
            const pairs::ListOptions& options) {
  std::array<std::vector<double>, N> near;
  const double limit = options.cutoff * options.cutoff;
  for (std::size_t j = 0; j < bodies[0].size(); ++j) {
    std::array<double, 3> at{};
    double squared = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      double away = bodies[a][j] - bodies[a][i];
      const double length = options.box.length[a];
      if (options.box.periodic[a]) away -= length * std::round(away / length);
      at[a] = bodies[a][i] + away;
      squared += away * away;
    }
    if (!(squared < limit) || j == i) continue;
    for (std::size_t c = 0; c < N; ++c)
      near[c].push_back(c < 3 ? at[c] : bodies[c][j]);
  }
  return near;
}

/// Whether a body is as far from body `i` as the cutoff, to within `unsure` of it.
template <std::size_t N>
[[nodiscard]] bool has_one_at_cutoff(const std::array<std::vector<double>, N>& bodies,
                                     std::size_t i, pairs::ListOptions options, double unsure) {
  const auto within = [&](double factor) {
    auto nearer = options;
    nearer.cutoff *= factor;
    return near_bodies(bodies, i, nearer)[0].size();
  };
  return within(1 + unsure) != within(1 - unsure);
}

/// Compares the sums of a call among themselves at some targets with the reference of the bodies
/// near them. Targets with a body at the cutoff, to within `unsure` of it, are not compared.
template <class I, class P>
[[nodiscard]] Check check_near_sums(Queue& queue, const pairs::Call<I, P>& call,
                                    const pairs::HostBodies<I::sources>& bodies,
                                    const pairs::ListOptions& options, double unsure = 0) {
  using Summed = typename P::Summed;
  using Computed = typename P::Computed;
  const auto count = static_cast<Index>(bodies[0].size());
  std::array<std::vector<Summed>, I::sums> got;
  for (int c = 0; c < I::sums; ++c) {
    got[c].resize(static_cast<std::size_t>(count));
    copy_to_host(queue, got[c].data(), static_cast<const Summed*>(call.sums[c].data), count);
  }
  queue.wait();
  std::vector<Index> compared = targets_to_compare(count, count);
  std::erase_if(compared, [&](Index i) {
    return unsure > 0 && has_one_at_cutoff(bodies, static_cast<std::size_t>(i), options, unsure);
  });
  std::vector<pairs::ReferenceSums<I>> expected(compared.size());
  const double tolerance = pairs_tolerance<P>(count);
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (auto n = static_cast<std::size_t>(thread); n < compared.size();
         n += static_cast<std::size_t>(threads)) {
      const auto i = static_cast<std::size_t>(compared[n]);
      const auto near = near_bodies(bodies, i, options);
      std::array<double, I::targets> target;
      for (int c = 0; c < I::targets; ++c)
        target[c] = bodies[c][i];
      expected[n] = pairs::reference_sums(call.interaction, target, near);
      const auto bounds = pairs::bounds_of_terms<Computed>(call.interaction, target, near);
      for (int c = 0; c < I::sums; ++c) {
        auto& scale = expected[n].scale[c];
        scale =
            std::max<double>(scale, std::numeric_limits<Computed>::min()) + bounds[c] / tolerance;
      }
    }
  });
  std::vector<SumError> errors(I::sums);
  double vector_error = 0;
  for (std::size_t n = 0; n < compared.size(); ++n) {
    double error_squared = 0;
    double length_squared = 0;
    for (int c = 0; c < I::sums; ++c) {
      SumError& e = errors[static_cast<std::size_t>(c)];
      const Summed sum = got[c][static_cast<std::size_t>(compared[n])];
      const auto value = static_cast<double>(sum);
      const double right = expected[n].sum[c];
      const double error = value == right ? 0 : std::abs(value - right);
      const double by_terms = error / expected[n].scale[c];
      if (!(by_terms <= e.by_terms) && !e.odd) {
        e = {
            by_terms, compared[n], !std::isfinite(by_terms), same_bits(sum, poisoned<Summed>(0xff)),
            value,    right};
      }
      if (c < pairs::vector_of<I>()) {
        error_squared += error * error;
        length_squared += right * right;
      }
    }
    if (length_squared > 0 && std::isfinite(error_squared / length_squared))
      vector_error = std::max(vector_error, std::sqrt(error_squared / length_squared));
  }
  return judge_sums(errors, pairs::vector_of<I>(), vector_error,
                    static_cast<Index>(compared.size()), count, tolerance);
}

} // namespace ridge::lab
