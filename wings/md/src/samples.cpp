#include "samples.hpp"

#include <numbers>

namespace ridge::md {

void Samples::add(std::size_t at, double since, double square, double product) {
  if (at == time.size()) {
    time.push_back(since);
    for (std::vector<double>* const values : {&origins, &displacement, &correlation})
      values->push_back(0);
  }
  const double many = ++origins[at];
  displacement[at] += (square - displacement[at]) / many;
  correlation[at] += (product - correlation[at]) / many;
}

std::vector<double> shell_distances(const Samples& s, double cutoff) {
  std::vector<double> middle;
  const double width = cutoff / static_cast<double>(s.near.size());
  for (std::size_t k = 0; k < s.near.size(); ++k)
    middle.push_back((static_cast<double>(k) + 0.5) * width);
  return middle;
}

std::vector<double> radial_distribution(const Samples& s, Index bodies, double volume,
                                        double cutoff) {
  std::vector<double> g;
  const double width = cutoff / static_cast<double>(s.near.size());
  const auto n = static_cast<double>(bodies);
  for (std::size_t k = 0; k < s.near.size(); ++k) {
    const auto inner = static_cast<double>(k);
    const double cubes = 3 * inner * inner + 3 * inner + 1;
    const double shell = 4 * std::numbers::pi / 3 * width * width * width * cubes;
    const double even = static_cast<double>(s.radial) * n * n / volume * shell;
    g.push_back(even > 0 ? s.near[k] / even : 0);
  }
  return g;
}

double diffusion_by_displacement(const Samples& s) {
  const std::size_t count = s.time.size();
  if (count < 4) return 0;
  const std::size_t begin = count / 2;
  double t_sum = 0;
  double d_sum = 0;
  for (std::size_t k = begin; k < count; ++k) {
    t_sum += s.time[k];
    d_sum += s.displacement[k];
  }
  const auto half = static_cast<double>(count - begin);
  double product = 0;
  double square = 0;
  for (std::size_t k = begin; k < count; ++k) {
    const double t = s.time[k] - t_sum / half;
    product += t * (s.displacement[k] - d_sum / half);
    square += t * t;
  }
  return product / square / 6;
}

double diffusion_by_velocity(const Samples& s) {
  double integral = 0;
  for (std::size_t k = 1; k < s.time.size(); ++k)
    integral += (s.correlation[k] + s.correlation[k - 1]) / 2 * (s.time[k] - s.time[k - 1]);
  return integral / 3;
}

} // namespace ridge::md
