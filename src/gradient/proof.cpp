#include <ridge/core/random.hpp>
#include <ridge/gradient/proof.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace ridge::gradient {

namespace {

constexpr double most_dot_error = 1e-12;
constexpr double slope_tolerance = 0.1;

std::vector<double> random_field(std::size_t count, double least, int number, int seed) {
  std::vector<double> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] =
        least + 1 +
        random_value(static_cast<std::uint64_t>(100 * seed + number), static_cast<std::int64_t>(i));
  return all;
}

double root_mean_square(const std::vector<double>& all, const std::vector<double>& weights) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (weights[i] == 0) continue;
    sum += all[i] * all[i];
    ++count;
  }
  return std::sqrt(sum / count);
}

/// Takes the weight of points where choices differ.
void leave_out_turns(std::vector<double>& weights, const ProofResults& a, const ProofResults& b) {
  for (std::size_t p = 0; p < weights.size(); ++p)
    if (a.choices[p] != b.choices[p]) weights[p] = 0;
}

/// Of w s sin(f / s), summed.
double loss(const std::vector<double>& weights, const std::vector<double>& values, double scale) {
  double sum = 0;
  for (std::size_t p = 0; p < weights.size(); ++p)
    if (weights[p] != 0) sum += weights[p] * scale * std::sin(values[p] / scale);
  return sum;
}

} // namespace

std::string Proof::fault() const {
  if (!(dot_error <= most_dot_error)) {
    return fmt::format("<J v, w> and <v, J^T w> differ by {:.1e} of their terms, more than {:.0e}",
                       dot_error, most_dot_error);
  }
  if (!(std::abs(slope - 2) <= slope_tolerance)) {
    return fmt::format(
        "errors of central differences fall with the power {:.2f} of the step, not 2", slope);
  }
  return {};
}

ProofFields::ProofFields(int inputs, int rank, Offset radius, Offset reach, double least,
                         int seed) {
  const int of_kernel[3] = {radius.x, radius.y, radius.z};
  const int of_adjoints[3] = {reach.x, reach.y, reach.z};
  constexpr Index weighted[3] = {7, 5, 4};
  Index n[3] = {1, 1, 1};
  Index begin[3] = {0, 0, 0};
  Index margin[3] = {0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    if (d >= rank && of_kernel[d] == 0) continue;
    margin[d] = of_adjoints[d];
    begin[d] = margin[d] + of_kernel[d];
    n[d] = 2 * begin[d] + weighted[d];
  }
  n_ = {n[0], n[1], n[2]};
  weighted_ = {{begin[0], begin[1], begin[2]}, {n[0] - begin[0], n[1] - begin[1], n[2] - begin[2]}};
  written_ = {{margin[0], margin[1], margin[2]},
              {n[0] - margin[0], n[1] - margin[1], n[2] - margin[2]}};
  const auto count = static_cast<std::size_t>(n_.x * n_.y * n_.z);
  for (int i = 0; i < inputs; ++i) {
    u_.push_back(random_field(count, least, 2 * i, seed));
    v_.push_back(random_field(count, -1, 2 * i + 1, seed));
  }
  weights.assign(count, 0);
  const std::vector<double> w = random_field(count, -1, 2 * inputs, seed);
  detail::each_point(weighted_,
                     [&](Index x, Index y, Index z) { weights[at(x, y, z)] = w[at(x, y, z)]; });
}

std::vector<double> ProofFields::moved(int input, double step) const {
  std::vector<double> all = u_[static_cast<std::size_t>(input)];
  for (std::size_t p = 0; p < all.size(); ++p)
    all[p] += step * v_[static_cast<std::size_t>(input)][p];
  return all;
}

Proof prove(ProofFields& fields, const ResultsAt& results, const TangentAt& tangent,
            const AdjointDot& adjoint) {
  std::vector<double>& w = fields.weights;
  const std::vector<double> jv = tangent();
  const double forward = std::inner_product(jv.begin(), jv.end(), w.begin(), 0.0);
  double terms = 0;
  for (std::size_t p = 0; p < w.size(); ++p)
    terms += std::abs(jv[p] * w[p]);
  Proof proof;
  proof.dot_error = std::abs(forward - adjoint(w)) / terms;

  const ProofResults here = results(0);
  const double scale = root_mean_square(here.values, w);
  const double h = 0.01 * std::min(1.0, scale / root_mean_square(jv, w));
  constexpr double steps[4] = {1, -1, 0.5, -0.5};
  std::vector<ProofResults> there;
  for (const double step : steps) {
    there.push_back(results(step * h));
    leave_out_turns(w, here, there.back());
  }
  std::vector<double> cotangent(w.size());
  for (std::size_t p = 0; p < w.size(); ++p)
    if (w[p] != 0) cotangent[p] = w[p] * std::cos(here.values[p] / scale);
  const double derivative = adjoint(cotangent);
  const auto error = [&](std::size_t first) {
    const double difference =
        loss(w, there[first].values, scale) - loss(w, there[first + 1].values, scale);
    return std::abs(difference / (2 * steps[first] * h) - derivative);
  };
  proof.slope = std::log2(error(0) / error(2));
  return proof;
}

} // namespace ridge::gradient
