// Sums by a tree among the kernels.
#include <ridge/core/random.hpp>
#include <ridge/pairs/kernel.hpp>
#include <ridge/pairs/tree_case.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

namespace ridge::pairs {

namespace {

/// Bodies of one mass: in a Plummer sphere of radius 1 out to 99.9 % of its mass, or in a cube.
enum class Spread { plummer, cube };

std::array<double, 3> place_of(Spread spread, Index i) {
  const auto u = [&](std::uint64_t seed) { return (random_value(seed, i) + 1) / 2 + 0x1p-25; };
  if (spread == Spread::cube) return {u(1), u(2), u(3)};
  const double radius = 1 / std::sqrt(std::pow(0.999 * u(1), -2.0 / 3.0) - 1);
  const double height = 2 * u(2) - 1;
  const double across = std::sqrt(1 - height * height);
  const double angle = 2 * std::numbers::pi * u(3);
  return {radius * across * std::cos(angle), radius * across * std::sin(angle), radius * height};
}

/// Such bodies on a device, and their sums.
template <class P>
struct OwnStars {
  OwnStars(Spread spread, Index n, const Device& device) : queue(device) {
    using Stored = typename P::Stored;
    std::array<std::vector<Stored>, 4> values;
    for (auto& component : values)
      component.resize(static_cast<std::size_t>(n),
                       static_cast<Stored>(1 / static_cast<double>(n)));
    for (Index i = 0; i < n; ++i) {
      const auto place = place_of(spread, i);
      for (std::size_t c = 0; c < 3; ++c)
        values[c][static_cast<std::size_t>(i)] = static_cast<Stored>(place[c]);
    }
    for (std::size_t c = 0; c < 4; ++c) {
      bodies[c] = Field<Stored>(device, Extents{n}, "bodies");
      copy_to_device(queue, bodies[c].data(), values[c].data(), n);
      sums[c] = Field<typename P::Summed>(device, Extents{n}, "sums");
      call.bodies[c] = std::as_const(bodies[c]).elements();
      call.sums[c] = sums[c].elements();
    }
    queue.wait();
    call.options.softening = 0.2 / std::cbrt(static_cast<double>(n));
  }
  Queue queue;
  std::array<Field<typename P::Stored>, 4> bodies;
  std::array<Field<typename P::Summed>, 4> sums;
  TreeCall<P> call;
};

template <class P>
std::unique_ptr<Case> tree_case(const std::string& name, Spread spread, const BenchRequest& request,
                                RoofSource& roof) {
  TreeOptions options;
  const auto error = request.options.find<double>("error");
  const int order = request.options.get("order", 0);
  if (error) (void)tree_choice(*error, order, P::name);
  options.order = request.options.get("order", options.order);
  options.theta = request.options.get("theta", options.theta);
  require_sound(options);
  const auto own = std::make_shared<OwnStars<P>>(spread, request.size.count(), request.device);
  auto call = own->call;
  call.options.order = options.order;
  call.options.theta = options.theta;
  call.asked = error;
  call.order = order;
  return case_of(name, own->queue, call, {roof}, own);
}

BenchKernel kernel_of(const std::string& name, const std::string& meaning, Spread spread) {
  BenchKernel kernel{name, "tree", meaning, Extents{65536}, {}};
  kernel.default_precision = "fp32";
  kernel.of_bodies = true;
  kernel.make_case = [=](const BenchRequest& request, RoofSource& roof) {
    (void)bodies_asked(request.size, request.precision, name, true);
    return in_precision_of<Gravity<>>(request.precision, [&]<class P>(P /*precision*/) {
      return tree_case<P>(name, spread, request, roof);
    });
  };
  return kernel;
}

} // namespace

const KernelsAnnounced tree_kernels(0, [] {
  return std::vector{
      kernel_of("gravity-tree", "gravity of a Plummer sphere by an octree, theta 0.5, all rebuilt",
                Spread::plummer),
      kernel_of("gravity-tree-cube", "the same of bodies spread evenly in a cube", Spread::cube)};
});

} // namespace ridge::pairs
