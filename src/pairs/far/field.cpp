#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/far/field.hpp>
#include <ridge/pairs/far/reach.hpp>

#include "../../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ridge::pairs {

namespace {

int leaf_of(const FarOptions& o) {
  const int points = o.degree + 1;
  return o.leaf > 0 ? o.leaf : std::max(32, points * points * points / 2);
}

template <class T>
std::array<Span<const T>, 4> for_octree(const std::vector<Span<const T>>& bodies,
                                        const FarOptions& options) {
  require_sound(options);
  if (bodies.size() < 3) throw UsageError("bodies need positions: x, y, z");
  refuse_if(bodies.size() > 3 + most_weights,
            "bodies have {} components beside their positions; {} are possible", bodies.size() - 3,
            most_weights);
  // What a tree makes of masses, a far field does not look at.
  return {bodies[0], bodies[1], bodies[2], bodies[0]};
}

} // namespace

void require_sound(const FarOptions& o) {
  refuse_if(!(o.theta >= 0 && o.theta <= 1),
            "theta {:g}: of a far field by proxies it is from 0, which computes all pairs, to 1",
            o.theta);
  refuse_if(o.degree < 1 || o.degree > most_degree,
            "degree {}: polynomials have a degree from 1 to {}", o.degree, most_degree);
  refuse_if(o.leaf < 0 || o.leaf > 1 << 20, "leaf={}: a leaf has 1 to {} bodies", o.leaf, 1 << 20);
}

double far_error_at(const FarOptions& o) {
  // Polynomials through two points follow no force from nodes that are close by their size. The
  // factor is half again what charges at random had at worst: theta 0.5 to 1, degrees 1 to 6.
  const double close = std::pow(o.theta, 4) / (o.degree * o.degree);
  return (1 + 24 * close) * std::pow(o.theta / 2, o.degree + 1);
}

std::optional<double> far_rms_at(const FarOptions& o) {
  constexpr double says_little = 0.25;
  if (o.degree > 2 || far_error_at(o) <= says_little) return {};
  // Nearly three times the worst of 3000 charges, masses, Gaussians and vortices at random: 0.19
  // and 0.014 at theta 1, of Gaussians.
  return (o.degree == 1 ? 0.5 : 0.04) * std::pow(o.theta, o.degree + 1);
}

namespace {

constexpr std::array<double, 3> far_thetas{0.3, 0.5, 0.7};
// `ridge bench coulomb --size 30000 --precision fp64 --theta T --degree D`, 2026-11-27, cpu:
// error_rms of degrees 1 to 8.
constexpr std::array<std::array<double, 3>, most_degree> far_errors{{{6.75e-4, 4.12e-3, 3.37e-2},
                                                                     {5.37e-5, 4.21e-4, 2.91e-3},
                                                                     {5.31e-6, 6.59e-5, 6.71e-4},
                                                                     {1.69e-7, 5.90e-6, 7.97e-5},
                                                                     {1.55e-8, 9.22e-7, 1.92e-5},
                                                                     {1.45e-9, 1.56e-7, 5.42e-6},
                                                                     {1.75e-11, 8.69e-9, 7.61e-7},
                                                                     {1e-12, 1.79e-9, 2.31e-7}}};
// Degrees from the cheapest one on, each down to the error from which the next took less time
// there.
constexpr std::array<double, most_degree - 1> cheapest_degree_down_to{3e-3, 6e-5,  3e-5, 2e-6,
                                                                      1e-8, 1e-11, 0};

/// Along straight lines of logarithms.
double far_theta_of(const std::array<double, 3>& errors, double error) {
  std::size_t k = 1;
  while (k + 1 < errors.size() && errors[k] < error)
    ++k;
  const double slope =
      std::log(far_thetas[k] / far_thetas[k - 1]) / std::log(errors[k] / errors[k - 1]);
  return std::min(most_chosen_theta,
                  far_thetas[k - 1] * std::exp(slope * std::log(error / errors[k - 1])));
}

} // namespace

FarOptions far_choice(double error, int degree, std::string_view precision) {
  const double least = precision == "fp64" ? 1e-10 : 1e-5;
  refuse_if(!(error >= least && error <= 0.1),
            "error {:g}: by proxies in {} it can be from {:g} to 0.1 of the sums, rms{}", error,
            precision, least,
            error > 0 && error < least && least > 1e-10 ? "; fp64 takes 1e-10" : "");
  FarOptions chosen;
  if (degree == 0) {
    degree = 1;
    for (const double least_of_degree : cheapest_degree_down_to)
      degree += error < least_of_degree ? 1 : 0;
  }
  chosen.degree = degree;
  require_sound(chosen);
  chosen.theta = far_theta_of(far_errors[static_cast<std::size_t>(degree - 1)], error);
  return chosen;
}

double next_far_theta(const FarOptions& o, double asked, double found) {
  const double factor = found > 0 ? std::pow(0.8 * asked / found, 1.0 / (o.degree + 1)) : 1.5;
  if (found <= asked) return std::min(most_chosen_theta, o.theta * std::min(factor, 1.5));
  const double theta = o.theta * std::clamp(factor, 0.4, 0.95);
  return theta < 0.1 ? 0 : theta;
}

void detail::fail_by_far_error(std::string_view precision, double rms, double asked) {
  throw Failure(
      fmt::format("sums over all pairs in {} are off by {:.1e} rms, and {:g} was asked for",
                  precision, rms, asked));
}

template <class T>
FarField<T>::FarField(Queue& queue, const std::vector<Span<const T>>& bodies,
                      const FarOptions& options)
    : queue_(queue), bodies_(bodies), options_(options),
      octree_(queue, for_octree(bodies, options), {leaf_of(options), spatial::most_levels}),
      find_(offered<FindProxies<T>>(queue.device().kind(), typeid(FarData<T>))) {
  data_.theta = options.theta;
  data_.points = options.degree + 1;
  data_.leaf = leaf_of(options);
  data_.weights = static_cast<int>(std::max<std::size_t>(bodies.size() - 3, 1));
  for (std::size_t c = 3; c < bodies.size(); ++c)
    data_.given[c - 3] = bodies[c];
  std::array<double, most_degree + 1> place{};
  for (int k = 0; k < data_.points; ++k)
    place[static_cast<std::size_t>(k)] = std::cos(std::numbers::pi * k / options.degree);
  for (int k = 0; k < data_.points; ++k) {
    double product = 1;
    for (int j = 0; j < data_.points; ++j) {
      if (j != k)
        product *= place[static_cast<std::size_t>(k)] - place[static_cast<std::size_t>(j)];
    }
    data_.place[k] = static_cast<T>(place[static_cast<std::size_t>(k)]);
    data_.scale[k] = static_cast<T>(1 / product);
  }
}

template <class T>
void FarField<T>::update() {
  octree_.build();
  const Index nodes = octree_.nodes();
  if (ranges_.count() < 2 * nodes) {
    const Index room = nodes + nodes / 8;
    ranges_ = {};
    proxies_ = {};
    ranges_ = Field<std::uint32_t>(queue_.device(), Extents{2 * room}, "bodies of nodes");
    proxies_ = Field<T>(queue_.device(), Extents{room * data_.proxies_of_node() * data_.weights},
                        "proxies of nodes");
  }
  data_.tree = octree_.parts();
  data_.ranges = ranges_.elements();
  data_.proxies = proxies_.elements();
  find_(queue_, FarStep::leaves, data_, 0, nodes);
  const auto& begins = octree_.level_begin();
  for (int level = octree_.depth() - 2; level >= 0; --level) {
    const auto l = static_cast<std::size_t>(level);
    find_(queue_, FarStep::inner, data_, begins[l], begins[l + 1]);
  }
}

template class FarField<float>;
template class FarField<double>;

} // namespace ridge::pairs
