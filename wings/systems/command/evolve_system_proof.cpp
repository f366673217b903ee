// The proof of a system's adjoint on the run that is asked for, in fp64.
#include <ridge/core/error.hpp>
#include <ridge/core/random.hpp>

#include "core/refuse.hpp"
#include "evolve_system_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::app {

namespace {

using Values = std::vector<double>;

constexpr double most_dot_error = 1e-12;
constexpr double most_slope_error = 0.25;

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}
double dot(const std::vector<Values>& a, const std::vector<Values>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += dot(a[i], b[i]);
  return sum;
}

/// Over all ranks.
double sum_of(const ProofRun& run, double mine) {
  return run.setup.part ? run.setup.part->ranks->sum(mine) : mine;
}
double greatest_of(const ProofRun& run, double mine) {
  return run.setup.part ? run.setup.part->ranks->greatest(mine) : mine;
}

Values random_values(std::size_t count, std::uint64_t seed) {
  Values made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = random_value(seed, static_cast<std::int64_t>(i));
  return made;
}

/// Of an array, by the points' places among those of all ranks.
Values random_field(const ProofRun& run, int array, std::uint64_t seed) {
  const Index3 n = chain::layout_of(run.kernel.description(8), array, run.setup.extents).points;
  const Index3 all = run.setup.part ? run.setup.whole() : n;
  const Index3 begin = run.setup.begin();
  Values made;
  for (Index z = begin.z; z < begin.z + n.z; ++z) {
    for (Index y = begin.y; y < begin.y + n.y; ++y) {
      for (Index x = begin.x; x < begin.x + n.x; ++x)
        made.push_back(random_value(seed, x + all.x * (y + all.y * z)));
    }
  }
  return made;
}

chain::SystemBox whole(const chain::System& system, int array) {
  return {{0, 0, 0}, system.points(array)};
}

void start(chain::System& system, const std::vector<Values>& arrays) {
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const int array = static_cast<int>(a);
    system.write(array, whole(system, array), arrays[a].data());
  }
  system.started();
}

/// A run and its derivatives by some arrays.
struct Derived {
  chain::Traces traces;
  std::vector<Values> by; ///< as `of` lists the arrays
  chain::Traces by_wavelets;
};
template <class F>
Derived derive(Queue& queue, const ProofRun& run, const chain::SystemSetup& setup,
               const std::vector<Values>& arrays, const std::vector<int>& of, const F& by_traces) {
  chain::System system(queue, run.kernel, setup);
  start(system, arrays);
  chain::SystemGradient gradient(queue, system, run.kernel, setup, run.adjoint, run.kept);
  Derived made;
  (void)gradient.run(run.steps, [&](const chain::Traces& traces) {
    made.traces = traces;
    return by_traces(traces);
  });
  for (const int a : of) {
    made.by.emplace_back(arrays[static_cast<std::size_t>(a)].size());
    gradient.read(a, whole(system, a), made.by.back().data());
  }
  made.by_wavelets = gradient.by_wavelets();
  return made;
}

/// The linear map alone: walls have the value 0, and what goes in is noise.
struct LinearRun {
  chain::SystemSetup setup;
  std::vector<Values> arrays;
  std::vector<int> states; ///< arrays that are noise
};
LinearRun linear(const ProofRun& run) {
  LinearRun made{run.setup, run.arrays, {}};
  for (chain::ArrayWalls& walls : made.setup.walls) {
    for (auto& axis : walls) {
      for (chain::WallCondition& wall : axis)
        wall.value = 0;
    }
  }
  std::uint64_t seed = 1;
  made.setup.wavelets.clear();
  for (chain::SystemSource& source : made.setup.sources) {
    source.wavelet = made.setup.wavelets.size();
    made.setup.wavelets.push_back(random_values(static_cast<std::size_t>(run.steps), seed++));
  }
  for (int a = 0; a < run.kernel.arrays(); ++a) {
    if (!run.kernel.is_state(a)) continue;
    Values& values = made.arrays[static_cast<std::size_t>(a)];
    values = random_field(run, a, seed++);
    made.states.push_back(a);
  }
  return made;
}

double norm(const Values& values) {
  return std::sqrt(dot(values, values));
}
/// Makes a part of <v, J' w> as large as the others; one that is 0 stays as it is.
void scale(Values& v, double size) {
  for (double& value : v)
    value /= size > 0 ? size : 1;
}

/// All arrays, wavelets and receivers weigh alike, whatever their units.
double dot_error(Queue& queue, const ProofRun& run) {
  LinearRun v = linear(run);
  chain::Traces w;
  const Derived found =
      derive(queue, run, v.setup, v.arrays, v.states, [&](const chain::Traces& traces) {
        for (const Values& trace : traces) {
          w.push_back(random_values(trace.size(), 1000 + w.size()));
          scale(w.back(), norm(trace));
        }
        return w;
      });
  double backward = 0;
  for (std::size_t i = 0; i < v.states.size(); ++i) {
    Values& values = v.arrays[static_cast<std::size_t>(v.states[i])];
    scale(values, std::sqrt(sum_of(run, dot(found.by[i], found.by[i]))));
    backward += sum_of(run, dot(values, found.by[i]));
  }
  for (std::size_t i = 0; i < v.setup.wavelets.size(); ++i)
    scale(v.setup.wavelets[i], norm(found.by_wavelets[i]));
  backward += dot(v.setup.wavelets, found.by_wavelets);
  chain::System system(queue, run.kernel, v.setup);
  start(system, v.arrays);
  system.run(run.steps);
  const chain::Traces traces = traces_of_all(system, v.setup);
  double size = 0;
  for (std::size_t r = 0; r < w.size(); ++r)
    size += norm(traces[r]) * norm(w[r]);
  refuse_if(!(size > 0), "--check: nothing reaches the receivers in {} steps", run.steps);
  return std::abs(dot(traces, w) - backward) / size;
}

/// A direction: smooth, with some noise, and of each array's own size.
Values direction(const ProofRun& run, int array, std::uint64_t seed) {
  const Values& of = run.arrays[static_cast<std::size_t>(array)];
  const bool is_state = run.kernel.is_state(array);
  double largest = 0;
  for (const double value : of)
    largest = std::max(largest, std::abs(value));
  largest = greatest_of(run, largest);
  Values made = random_field(run, array, seed);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const double smooth = 1 + 0.3 * made[i];
    made[i] = smooth * (!is_state ? of[i] : largest > 0 ? largest : 1);
  }
  return made;
}

double slope(Queue& queue, const ProofRun& run, const chain::Traces& observed) {
  const Derived found =
      derive(queue, run, run.setup, run.arrays, run.varied,
             [&](const chain::Traces& traces) { return residuals_of(traces, observed); });
  std::vector<Values> along;
  std::uint64_t seed = 1000;
  for (const int a : run.varied)
    along.push_back(direction(run, a, seed++));
  const double here = loss_of(found.traces, observed);
  const double each = sum_of(run, dot(found.by, along));
  const auto remainder = [&](double step) {
    std::vector<Values> arrays = run.arrays;
    for (std::size_t v = 0; v < run.varied.size(); ++v) {
      Values& values = arrays[static_cast<std::size_t>(run.varied[v])];
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += step * along[v][i];
    }
    chain::System system(queue, run.kernel, run.setup);
    start(system, arrays);
    system.run(run.steps);
    return std::abs(loss_of(traces_of_all(system, run.setup), observed) - here - step * each);
  };
  constexpr double step = 1e-4;
  const double first = remainder(step);
  const double second = remainder(step / 2);
  refuse_if(!(second > 0), "--check: the loss does not change with what is asked for, so that "
                           "differences show nothing");
  return std::log2(first / second);
}

} // namespace

double loss_of(const chain::Traces& traces, const chain::Traces& observed) {
  double sum = 0;
  for (std::size_t r = 0; r < traces.size(); ++r) {
    for (std::size_t i = 0; i < traces[r].size(); ++i) {
      const double residual = traces[r][i] - observed[r][i];
      sum += residual * residual / 2;
    }
  }
  return sum;
}
chain::Traces residuals_of(chain::Traces traces, const chain::Traces& observed) {
  for (std::size_t r = 0; r < traces.size(); ++r) {
    for (std::size_t i = 0; i < traces[r].size(); ++i)
      traces[r][i] -= observed[r][i];
  }
  return traces;
}

AdjointProof prove(Queue& queue, const ProofRun& run, const chain::Traces& observed) {
  const AdjointProof found{dot_error(queue, run), slope(queue, run, observed)};
  if (!(found.dot_error <= most_dot_error)) {
    throw Failure(fmt::format("the adjoint is wrong: dot products differ by {:.2e} of their size, "
                              "and {:.0e} is right",
                              found.dot_error, most_dot_error));
  }
  if (!(std::abs(found.slope - 2) <= most_slope_error)) {
    throw Failure(fmt::format("the gradient is wrong, or the loss is rough there: what is left of "
                              "differences falls with slope {:.3f}, and 2 is right",
                              found.slope));
  }
  return found;
}

} // namespace ridge::app
