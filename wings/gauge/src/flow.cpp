// The gradient flow.
#include <ridge/core/error.hpp>
#include <ridge/gauge/flow.hpp>

#include <cmath>
#include <utility>

namespace ridge::gauge {

namespace {
constexpr double reference_value = 0.3; // of t^2 E at t0, of its logarithmic derivative at w0^2

Links<double> fields_like(Queue& queue, const Links<double>& links, const char* what) {
  Links<double> fields;
  for (const auto& link : links) {
    fields.emplace_back(queue.device(), link.lattice(), what);
    fields.back().set(queue, std::vector<lattice::ColourMatrix<double>>(
                                 static_cast<std::size_t>(link.lattice().sites())));
  }
  return fields;
}

/// Where a curve of pairs rises to the reference value for the first time.
std::optional<double> crossing(const std::vector<std::pair<double, double>>& curve) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const auto& [t0, f0] = curve[i - 1];
    const auto& [t1, f1] = curve[i];
    if (f0 < reference_value && f1 >= reference_value)
      return t0 + (t1 - t0) * (reference_value - f0) / (f1 - f0);
  }
  return {};
}
} // namespace

GradientFlow::GradientFlow(Queue& queue, Links<double>& links)
    : queue_(queue), links_(links), out_(fields_like(queue, links, "flowed links")),
      force_(fields_like(queue, links, "the flow's force")),
      strength_(queue.device(), links.front().lattice(), "field strength") {}

void GradientFlow::advance(double step) {
  if (!(step > 0) || !std::isfinite(step)) throw UsageError("a step of the flow is positive");
  // Luescher's scheme: exponents Z0 / 4, 8 Z1 / 9 - 17 Z0 / 36 and 3 Z2 / 4 minus the second.
  constexpr double now[3] = {1.0 / 4, 8.0 / 9, 3.0 / 4}, before[3] = {0, -17.0 / 9, -1};
  for (int stage = 0; stage < 3; ++stage) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      FlowLinks kernel;
      for (std::size_t d = 0; d < 4; ++d)
        kernel.links[d] = links_[d].view();
      kernel.force = force_[mu].view();
      kernel.out = out_[mu].view();
      kernel.now = step * now[stage];
      kernel.before = before[stage];
      kernel.mu = static_cast<int>(mu);
      run_once(queue_, lattice::SiteLoopCall<lattice::ColourMatrix<double>, FlowLinks>{
                           kernel.out, kernel, lattice::Subset::all});
    }
    queue_.wait();
    for (std::size_t mu = 0; mu < 4; ++mu)
      std::swap(links_[mu], out_[mu]);
  }
  time_ += step;
}

FlowPoint GradientFlow::measure() {
  constexpr double pi = 3.14159265358979323846;
  FieldStrength kernel;
  for (std::size_t mu = 0; mu < 4; ++mu)
    kernel.links[mu] = links_[mu].view();
  kernel.out = strength_.view();
  run_once(queue_, lattice::SiteLoopCall<lattice::Complex<double>, FieldStrength>{
                       kernel.out, kernel, lattice::Subset::all});
  const auto sum = lattice::sum(queue_, strength_, {.schedule = {}, .reproducible = true});
  const double plaquette = MeasurePlaquette(queue_, links_)().plaquette;
  const auto sites = static_cast<double>(strength_.lattice().sites());
  return {time_, sum.re / sites, 36 * (1 - plaquette), sum.im / (4 * pi * pi)};
}

std::optional<double> flow_t0(const std::vector<FlowPoint>& points) {
  std::vector<std::pair<double, double>> curve;
  for (const FlowPoint& p : points)
    curve.emplace_back(p.time, p.time * p.time * p.clover);
  return crossing(curve);
}

std::optional<double> flow_w0(const std::vector<FlowPoint>& points) {
  std::vector<std::pair<double, double>> curve;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const FlowPoint &a = points[i - 1], &b = points[i];
    const double middle = (a.time + b.time) / 2;
    curve.emplace_back(middle, middle * (b.time * b.time * b.clover - a.time * a.time * a.clover) /
                                   (b.time - a.time));
  }
  const auto square = crossing(curve);
  return square ? std::optional(std::sqrt(*square)) : std::nullopt;
}

} // namespace ridge::gauge
