// Comparing sums over near pairs with the reference: a search of all pairs, in double.
#pragma once

#include <ridge/pairs/check.hpp>
#include <ridge/pairs/lists/box.hpp>

namespace ridge::pairs {

/// The bodies within the cutoff of body `i`, but for itself, each moved by periods to its nearest
/// image. The first three components are positions.
template <std::size_t N>
[[nodiscard]] std::array<std::vector<double>, N>
near_bodies(const std::array<std::vector<double>, N>& bodies, std::size_t i,
            const ListOptions& options) {
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
                                     std::size_t i, ListOptions options, double unsure) {
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
[[nodiscard]] Check check_near_sums(Queue& queue, const Call<I, P>& call,
                                    const HostBodies<I::sources>& bodies,
                                    const ListOptions& options, double unsure = 0) {
  using Computed = typename P::Computed;
  const auto count = static_cast<Index>(bodies[0].size());
  std::vector<Index> compared = targets_to_compare(count, count);
  std::erase_if(compared, [&](Index i) {
    return unsure > 0 && has_one_at_cutoff(bodies, static_cast<std::size_t>(i), options, unsure);
  });
  HostBodies<I::targets> targets;
  std::copy_n(bodies.begin(), I::targets, targets.begin());
  const double tolerance = pairs_tolerance<P>(count);
  return compare_sums<I, P>(
      queue, call.sums, targets, compared, tolerance,
      [&](Index i, const auto& target, const auto& /*found*/) {
        const auto near = near_bodies(bodies, static_cast<std::size_t>(i), options);
        ReferenceSums<I> right = reference_sums(call.interaction, target, near);
        const auto bounds = bounds_of_terms<Computed>(call.interaction, target, near);
        for (int c = 0; c < I::sums; ++c) {
          right.scale[c] = std::max<double>(right.scale[c], std::numeric_limits<Computed>::min()) +
                           bounds[c] / tolerance;
        }
        return right;
      });
}

} // namespace ridge::pairs
