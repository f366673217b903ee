#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pairs/far/field.hpp>

#include <fmt/format.h>

#include <algorithm>
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
  if (bodies.size() > 3 + most_weights) {
    throw UsageError(
        fmt::format("bodies have {} components beside their positions; {} are possible",
                    bodies.size() - 3, most_weights));
  }
  // What a tree makes of masses, a far field does not look at.
  return {bodies[0], bodies[1], bodies[2], bodies[0]};
}

} // namespace

void require_sound(const FarOptions& o) {
  if (!(o.theta >= 0 && o.theta <= 1)) {
    throw UsageError(
        fmt::format("theta {:g}: of a far field by proxies it is from 0, which computes "
                    "all pairs, to 1",
                    o.theta));
  }
  if (o.degree < 1 || o.degree > most_degree) {
    throw UsageError(
        fmt::format("degree {}: polynomials have a degree from 1 to {}", o.degree, most_degree));
  }
  if (o.leaf < 0 || o.leaf > 1 << 20)
    throw UsageError(fmt::format("leaf={}: a leaf has 1 to {} bodies", o.leaf, 1 << 20));
}

double far_error_at(const FarOptions& o) {
  // Polynomials through two points follow no force from nodes that are close by their size. The
  // factor is half again what charges at random had at worst: theta 0.5 to 1, degrees 1 to 6.
  const double close = std::pow(o.theta, 4) / (o.degree * o.degree);
  return (1 + 24 * close) * std::pow(o.theta / 2, o.degree + 1);
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
