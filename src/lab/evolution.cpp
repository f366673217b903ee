#include <ridge/core/error.hpp>
#include <ridge/lab/evolution.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace ridge::lab {

namespace {

/// "heat8": 8; 2 where the name ends in none.
int order_of(std::string_view name) {
  const char last = name.back();
  return last == '4' || last == '6' || last == '8' ? last - '0' : 2;
}

enum class Family { heat, wave, diffusion };
Family family_of(std::string_view name) {
  return name.starts_with("heat")   ? Family::heat
         : name.starts_with("wave") ? Family::wave
                                    : Family::diffusion;
}

template <int Order>
double eigenvalue_of_unit() {
  const auto weights = stencil::second_difference<Order>();
  double sum = std::abs(weights[0]);
  for (std::size_t r = 1; r < weights.size(); ++r)
    sum += 2 * std::abs(weights[r]);
  return sum;
}

template <class T, int Order, int Rank>
Evolution make_of(const EvolutionRequest& r, double dt) {
  if (family_of(r.kernel) == Family::heat) {
    return evolution<stencil::Laplacian<Order, Rank>, T>(
        r.kernel, scaled_laplacian<Order, Rank>(r.spacing, r.value * dt, 1));
  }
  const auto step = scaled_laplacian<Order, Rank>(r.spacing, r.value * r.value * dt * dt, 2);
  if (r.absorbing)
    return evolution<AbsorbedWave<Order, Rank>, T>(r.kernel, AbsorbedWave<Order, Rank>{step});
  return evolution<Wave<Order, Rank>, T>(r.kernel, Wave<Order, Rank>{step});
}

template <class T, int Rank>
Evolution make_of_rank(const EvolutionRequest& r, double dt) {
  if (family_of(r.kernel) == Family::diffusion)
    return evolution<DiffusionStep<Rank>, T>(r.kernel, DiffusionStep<Rank>(r.spacing, dt));
  switch (order_of(r.kernel)) {
  case 4:
    return make_of<T, 4, Rank>(r, dt);
  case 6:
    return make_of<T, 6, Rank>(r, dt);
  case 8:
    return make_of<T, 8, Rank>(r, dt);
  default:
    return make_of<T, 2, Rank>(r, dt);
  }
}

template <class T>
Evolution make_of_type(const EvolutionRequest& r, double dt) {
  switch (r.rank) {
  case 1:
    return make_of_rank<T, 1>(r, dt);
  case 2:
    return make_of_rank<T, 2>(r, dt);
  default:
    return make_of_rank<T, 3>(r, dt);
  }
}

} // namespace

double largest_eigenvalue(int order, int rank, stencil::Spacing h) {
  const double unit = order == 4   ? eigenvalue_of_unit<4>()
                      : order == 6 ? eigenvalue_of_unit<6>()
                      : order == 8 ? eigenvalue_of_unit<8>()
                                   : eigenvalue_of_unit<2>();
  double sum = 1 / (h.x * h.x);
  if (rank > 1) sum += 1 / (h.y * h.y);
  if (rank > 2) sum += 1 / (h.z * h.z);
  return unit * sum;
}

const std::vector<EvolvingKernel>& evolving_kernels() {
  static const std::vector<EvolvingKernel> all{
      {"heat", "u_t = a laplacian(u), order 2 in space", "diffusivity"},
      {"heat4", "the same of order 4", "diffusivity"},
      {"heat6", "the same of order 6", "diffusivity"},
      {"heat8", "the same of order 8", "diffusivity"},
      {"wave", "u_tt = c^2 laplacian(u), order 2 in time and in space", "speed"},
      {"wave4", "the same of order 4 in space", "speed"},
      {"wave6", "the same of order 6 in space", "speed"},
      {"wave8", "the same of order 8 in space", "speed"},
      {"diffusion", "u_t = div(k grad u) with a coefficient field k", "coefficient"}};
  return all;
}

const EvolvingKernel& find_evolving_kernel(std::string_view name) {
  std::string names;
  for (const EvolvingKernel& kernel : evolving_kernels()) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  throw UsageError(fmt::format(
      "no kernel '{}' evolves; there are {}, and FILE.hpp:Name of your own", name, names));
}

double stable_step(const EvolutionRequest& r) {
  const EvolvingKernel& kernel = find_evolving_kernel(r.kernel);
  if (r.rank < 1 || r.rank > 3) {
    throw UsageError(fmt::format("{} takes one to three dimensions, not {}", r.kernel, r.rank));
  }
  if (!(r.value > 0) || !std::isfinite(r.value)) {
    throw UsageError(fmt::format("a {} of {}: a positive number is right", kernel.value, r.value));
  }
  const double largest = largest_eigenvalue(order_of(r.kernel), r.rank, r.spacing);
  return family_of(r.kernel) == Family::wave ? stable_wave_step(largest, r.value)
                                             : stable_heat_step(largest, r.value);
}

Evolution make_evolution(const EvolutionRequest& request, double dt) {
  (void)stable_step(request); // says what is wrong with the request
  return request.element_bytes == 4 ? make_of_type<float>(request, dt)
                                    : make_of_type<double>(request, dt);
}

} // namespace ridge::lab
