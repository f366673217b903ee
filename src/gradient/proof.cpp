#include <ridge/core/random.hpp>
#include <ridge/gradient/proof.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::gradient {

namespace {

constexpr double most_dot_error = 1e-12;
constexpr double slope_tolerance = 0.1;

using Numbers = std::vector<double>;

Numbers random_field(std::size_t count, double least, int number, int seed) {
  Numbers all(count);
  const auto stream = static_cast<std::uint64_t>(100 * seed + number);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = least + 1 + random_value(stream, static_cast<std::int64_t>(i));
  return all;
}

struct Box {
  Index3 begin, end;
};

/// Random fields of a kernel. Results have weights at odd numbers of points so far inside that
/// adjoints write all that they depend on.
class Fields {
public:
  Fields(const ProvedKernel& kernel, int rank, double least, int seed) : kernel_(kernel) {
    const Offset r = kernel.radius();
    Offset reach;
    for (const auto& one : kernel.adjoints()) {
      reach = {std::max(reach.x, one.radius.x), std::max(reach.y, one.radius.y),
               std::max(reach.z, one.radius.z)};
    }
    const int of_kernel[3] = {r.x, r.y, r.z};
    const int of_adjoints[3] = {reach.x, reach.y, reach.z};
    constexpr Index weighted[3] = {7, 5, 4};
    Index n[3] = {1, 1, 1};
    Index inside[3] = {0, 0, 0};
    for (int d = 0; d < 3; ++d) {
      if (d >= rank && of_kernel[d] == 0) continue;
      inside[d] = of_adjoints[d] + of_kernel[d];
      n[d] = 2 * inside[d] + weighted[d];
    }
    n_ = {n[0], n[1], n[2]};
    weighted_ = {{inside[0], inside[1], inside[2]},
                 {n[0] - inside[0], n[1] - inside[1], n[2] - inside[2]}};
    written_ = {{reach.x, reach.y, reach.z}, {n[0] - reach.x, n[1] - reach.y, n[2] - reach.z}};
    fill(least, seed);
  }

  Numbers weights; ///< w; 0 where no result is

  /// Results with all inputs moved along v by a step, and the choices that led to them.
  struct Results {
    Numbers values;
    std::vector<Numbers> choices;
  };
  [[nodiscard]] Results results(double step) const {
    std::vector<Numbers> moved = u_;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      for (std::size_t p = 0; p < moved[i].size(); ++p)
        moved[i][p] += step * v_[i][p];
    }
    Results made{Numbers(weights.size()), std::vector<Numbers>(weights.size())};
    each_point(weighted_, {&moved}, [&](std::size_t p, const ProofPoint& point) {
      const Trace trace;
      made.values[p] = kernel_.result(point);
      made.choices[p] = trace.choices();
    });
    return made;
  }
  /// J v.
  [[nodiscard]] Numbers changes() const {
    Numbers made(weights.size());
    each_point(weighted_, {&u_, &v_},
               [&](std::size_t p, const ProofPoint& point) { made[p] = kernel_.change(point); });
    return made;
  }
  /// <v, J^T cotangent>.
  [[nodiscard]] double dot(const Numbers& cotangent) const {
    const std::vector<Numbers> last(1, cotangent);
    double sum = 0;
    each_point(written_, {&u_, &last}, [&](std::size_t p, const ProofPoint& point) {
      for (std::size_t n = 0; n < kernel_.adjoints().size(); ++n) {
        const auto input = static_cast<std::size_t>(kernel_.adjoints()[n].input);
        sum += v_[input][p] * kernel_.gradient(n, point);
      }
    });
    return sum;
  }

private:
  void fill(double least, int seed) {
    const auto count = static_cast<std::size_t>(n_.x * n_.y * n_.z);
    const int inputs = kernel_.inputs();
    for (int i = 0; i < inputs; ++i) {
      u_.push_back(random_field(count, least, 2 * i, seed));
      v_.push_back(random_field(count, -1, 2 * i + 1, seed));
    }
    weights.assign(count, 0);
    const Numbers w = random_field(count, -1, 2 * inputs, seed);
    each_point(weighted_, {}, [&](std::size_t p, const ProofPoint&) { weights[p] = w[p]; });
  }

  template <class F>
  void each_point(const Box& box, std::initializer_list<const std::vector<Numbers>*> arrays,
                  const F& f) const {
    ProofPoint point{{}, n_.x, n_.x * n_.y};
    for (Index z = box.begin.z; z < box.end.z; ++z) {
      for (Index y = box.begin.y; y < box.end.y; ++y) {
        for (Index x = box.begin.x; x < box.end.x; ++x) {
          const auto p = static_cast<std::size_t>(x + n_.x * (y + n_.y * z));
          point.at.clear();
          for (const auto* several : arrays) {
            for (const Numbers& one : *several)
              point.at.push_back(one.data() + p);
          }
          f(p, point);
        }
      }
    }
  }

  const ProvedKernel& kernel_;
  Index3 n_;
  Box weighted_, written_;
  std::vector<Numbers> u_, v_;
};

double root_mean_square(const Numbers& all, const Numbers& weights) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (weights[i] == 0) continue;
    sum += all[i] * all[i];
    ++count;
  }
  return std::sqrt(sum / count);
}

/// The sum of w s sin(f / s).
double loss(const Numbers& weights, const Numbers& values, double scale) {
  double sum = 0;
  for (std::size_t p = 0; p < weights.size(); ++p)
    if (weights[p] != 0) sum += weights[p] * scale * std::sin(values[p] / scale);
  return sum;
}

double dot_error_of(const Fields& fields, const Numbers& changes) {
  double sum = 0;
  double terms = 0;
  for (std::size_t p = 0; p < changes.size(); ++p) {
    sum += changes[p] * fields.weights[p];
    terms += std::abs(changes[p] * fields.weights[p]);
  }
  return std::abs(sum - fields.dot(fields.weights)) / terms;
}

double slope_of(Fields& fields, const Numbers& changes) {
  Numbers& w = fields.weights;
  const Fields::Results here = fields.results(0);
  const double scale = root_mean_square(here.values, w);
  const double h = 0.01 * std::min(1.0, scale / root_mean_square(changes, w));
  constexpr double steps[4] = {1, -1, 0.5, -0.5};
  std::vector<Fields::Results> there;
  for (const double step : steps) {
    there.push_back(fields.results(step * h));
    for (std::size_t p = 0; p < w.size(); ++p)
      if (here.choices[p] != there.back().choices[p]) w[p] = 0;
  }
  Numbers cotangent(w.size());
  for (std::size_t p = 0; p < w.size(); ++p)
    if (w[p] != 0) cotangent[p] = w[p] * std::cos(here.values[p] / scale);
  const double derivative = fields.dot(cotangent);
  const auto error = [&](std::size_t first) {
    const double difference =
        loss(w, there[first].values, scale) - loss(w, there[first + 1].values, scale);
    return std::abs(difference / (2 * steps[first] * h) - derivative);
  };
  return std::log2(error(0) / error(2));
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

Proof prove(const ProvedKernel& kernel, int rank) {
  Proof proof;
  for (const double least : {-1.0, 0.5}) {
    for (int seed = 1; seed <= 3; ++seed) {
      Fields fields(kernel, rank, least, seed);
      const Numbers changes = fields.changes();
      proof.dot_error = dot_error_of(fields, changes);
      proof.slope = slope_of(fields, changes);
      if (proof.ok()) return proof;
    }
  }
  return proof;
}

} // namespace ridge::gradient
