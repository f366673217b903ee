// The step of a run of a system: the largest that its medium and its flow allow.
#include <ridge/core/error.hpp>

#include "app/kernel_options.hpp"
#include "evolve_system_command.hpp"
#include "io/hdf5_attribute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace ridge::app {

void SystemCommand::look_at_medium() {
  const bool has_speed = kernel_.speed && !starts_;
  const bool has_rule = kernel_.problem_at && starts_ == static_cast<bool>(kernel_.start);
  if (!has_speed && !has_rule) return;
  for_each_point([&](const double* values, const Index3& at) {
    const auto refuse = [&](const std::string& what, double value, const char* right) {
      throw UsageError(fmt::format("{}: {} {:g} at point x={}, y={}, z={}, counted from 0; {} is "
                                   "right",
                                   run_["input"], what, value, at.x, at.y, at.z, right));
    };
    if (has_rule) {
      if (const chain::FieldProblem found = kernel_.problem_at(values))
        refuse(fmt::format("'{}' is", found.field), found.value, found.right);
    }
    if (!has_speed) return;
    const double speed = kernel_.speed(values);
    if (!(speed >= 0) || !std::isfinite(speed))
      refuse("waves have a speed of", speed, "a finite one, 0 or more,");
    fastest_ = std::max(fastest_, speed);
    if (!kernel_.heights) return;
    const chain::FlowHeights here = kernel_.heights(values);
    heights_.energy = std::max(heights_.energy, here.energy);
    heights_.ground = std::min(heights_.ground, here.ground);
  });
  fastest_ = ranks_.greatest(fastest_);
  heights_.energy = ranks_.greatest(heights_.energy);
  heights_.ground = -ranks_.greatest(-heights_.ground);
}

double SystemCommand::fastest_to_come() const {
  double fastest = fastest_;
  if (kernel_.medium && !starts_) fastest = std::max(fastest, fastest_at_jumps());
  if (kernel_.heights && heights_.energy > heights_.ground)
    fastest = std::max(fastest, kernel_.falling(heights_.energy - heights_.ground));
  return fastest;
}

namespace {

/// What waves run in along a line of points, the one in the middle first of all. Leapfrog's largest
/// frequency is that of differences weighed by the roots of the moduli where stresses lie, and of
/// 1 / density where velocities do, half a point between. Schur's test: its square is at most the
/// largest sum over what a stress reads, times that over what a velocity reads.
class Jumps {
public:
  explicit Jumps(const std::vector<double>& weights) : weights_(weights) {
    double sum = 0;
    for (double& weight : weights_) {
      weight = std::abs(weight);
      sum += 2 * weight;
    }
    for (double& weight : weights_)
      weight /= sum;
    line_.resize(2 * weights_.size() + 1);
  }
  [[nodiscard]] Index reach() const { return static_cast<Index>(weights_.size()); }
  /// Of the point so many behind the middle.
  [[nodiscard]] chain::WaveMedium& at(Index k) {
    return line_[static_cast<std::size_t>(k + reach())];
  }

  /// Looks at the stresses and velocities of the point in the middle, and half a point behind it.
  void look() {
    const auto mean = [&](Index k, auto part) { return (part(at(k)) + part(at(k + 1))) / 2; };
    const auto density = [](const chain::WaveMedium& m) { return m.density; };
    const auto shear = [](const chain::WaveMedium& m) { return m.shear; };
    const auto stiff = [&](Index k) { return std::sqrt(at(k).modulus); };
    const auto light = [&](Index k) { return std::sqrt(1 / mean(k, density)); };
    const auto stiff_shear = [&](Index k) { return std::sqrt(mean(k, shear)); };
    const auto light_shear = [&](Index k) { return std::sqrt(1 / at(k).density); };
    keep(of_pressure_, stiff(0) * behind_and_before(light), light(0) * around(stiff));
    keep(of_shear_, stiff_shear(0) * around(light_shear),
         light_shear(0) * behind_and_before(stiff_shear));
  }
  /// Their bounds of squares of speeds, of all that were looked at.
  using Sums = std::array<double, 2>;
  [[nodiscard]] const Sums& of_pressure() const { return of_pressure_; }
  [[nodiscard]] const Sums& of_shear() const { return of_shear_; }

private:
  static void keep(Sums& sums, double stress, double velocity) {
    sums = {std::max(sums[0], stress), std::max(sums[1], velocity)};
  }
  /// Of what lies half a point beside the middle.
  template <class F>
  [[nodiscard]] double behind_and_before(const F& value) const {
    double sum = 0;
    for (Index k = 0; k < reach(); ++k)
      sum += weights_[static_cast<std::size_t>(k)] * (value(k) + value(-k - 1));
    return sum;
  }
  /// Of the points around the place half a point behind the middle.
  template <class F>
  [[nodiscard]] double around(const F& value) const {
    double sum = 0;
    for (Index k = 0; k < reach(); ++k)
      sum += weights_[static_cast<std::size_t>(k)] * (value(-k) + value(k + 1));
    return sum;
  }

  std::vector<double> weights_;
  std::vector<chain::WaveMedium> line_;
  Sums of_pressure_{}, of_shear_{};
};

} // namespace

std::vector<chain::WaveMedium> SystemCommand::medium_plane(Index z) const {
  const auto points = static_cast<std::size_t>(extents_.x * extents_.y);
  std::vector<std::vector<double>> from(fields_.size(), std::vector<double>(points));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!kernel_.is_state(array_of(names_[i]))) read_plane(fields_[i], z, from[i]);
  }
  std::vector<chain::WaveMedium> made;
  std::vector<double> values(static_cast<std::size_t>(arrays()));
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      values[static_cast<std::size_t>(array_of(names_[i]))] = from[i][p];
    made.push_back(kernel_.medium(values.data()));
  }
  return made;
}

double SystemCommand::fastest_at_jumps() const {
  std::vector<Jumps> jumps(3, Jumps(kernel_.weights)); // by axis
  const Index reach = jumps[0].reach();
  const auto beside = [&](Index i, int d) {
    const Index n = comm::along(extents_, d);
    const bool round =
        setup_.walls.front()[static_cast<std::size_t>(d)][0].kind == chain::Wall::periodic;
    return round ? ((i % n) + n) % n : std::clamp<Index>(i, 0, n - 1);
  };
  std::map<Index, std::vector<chain::WaveMedium>> planes; // around z
  for (Index z = own_.begin.z; z < own_.end.z; ++z) {
    std::set<Index> around;
    for (Index k = -reach; k <= reach; ++k)
      around.insert(beside(z + k, 2));
    std::erase_if(planes, [&](const auto& plane) { return !around.contains(plane.first); });
    for (const Index one : around) {
      if (!planes.contains(one)) planes.emplace(one, medium_plane(one));
    }
    for (Index y = own_.begin.y; y < own_.end.y; ++y) {
      for (Index x = own_.begin.x; x < own_.end.x; ++x) {
        for (int d = 0; d < dimensions_; ++d) {
          Jumps& along = jumps[static_cast<std::size_t>(d)];
          if (comm::along(extents_, d) == 1) continue;
          for (Index k = -reach; k <= reach; ++k) {
            Index3 at{x, y, z};
            comm::along(at, d) = beside(comm::along(at, d) + k, d);
            along.at(k) = planes.at(at.z)[static_cast<std::size_t>(at.x + extents_.x * at.y)];
          }
          along.look();
        }
      }
    }
  }
  double square = 0;
  for (const Jumps& one : jumps) {
    for (const Jumps::Sums& sums : {one.of_pressure(), one.of_shear()})
      square = std::max(square, ranks_.greatest(sums[0]) * ranks_.greatest(sums[1]));
  }
  return std::sqrt(square);
}

void SystemCommand::choose_step() {
  look_at_medium();
  const auto h = spacing_of_dimensions();
  const double stable = kernel_.stable_step && fastest_ > 0 ? kernel_.stable_step(h, fastest_) : 0;
  if (goes_on_) {
    setup_.dt = number_in(run_, "dt");
    setup_.follows = !run_["follows"].empty();
    if (setup_.follows) find_times();
    dt_note_ = setup_.follows ? "at the start; it follows the flow" : "as before";
    return;
  }
  const std::optional<double> asked = parse_dt(o_.dt);
  if (!kernel_.knows_step) {
    if (asked) throw UsageError(fmt::format("--dt: a step of {} counts as 1", kernel_.name));
    setup_.dt = 1;
    dt_note_ = "a step counts as 1";
  } else if (!asked) {
    if (stable <= 0) {
      throw UsageError(fmt::format("--dt: the largest stable step of {} is not known here; give a "
                                   "number",
                                   kernel_.name));
    }
    if (!std::isfinite(stable)) {
      throw UsageError(fmt::format(
          "--dt: any step of {} is stable on a single point; give a number", kernel_.name));
    }
    setup_.follows = kernel_.heights && o_.source.empty() && o_.receivers.empty();
    if (setup_.follows) {
      setup_.dt = part_of_stable * stable;
      dt_note_ = fmt::format("{:g} of the largest stable one at the start; it follows the flow",
                             part_of_stable);
      run_["follows"] = "yes";
      run_["dt"] = exact(setup_.dt);
      return;
    }
    const double to_come = fastest_to_come();
    const double later = kernel_.stable_step(h, to_come);
    setup_.dt = part_of_stable * later;
    dt_note_ = fmt::format("{:g} of the largest stable one, {:g}{}", part_of_stable, later,
                           to_come <= fastest_ ? ""
                           : kernel_.heights   ? ", of water that falls to the lowest ground"
                                               : ", where the medium jumps");
  } else {
    require_stable(*asked, stable, kernel_.name);
    setup_.dt = *asked;
    dt_note_ = stable > 0 ? fmt::format("the largest stable one is {:g}", stable) : "as given";
  }
  run_["dt"] = exact(setup_.dt);
}

std::array<double, 3> SystemCommand::spacing_of_dimensions() const {
  std::array<double, 3> h = setup_.spacing;
  const Index n[3] = {extents_.x, extents_.y, extents_.z};
  for (std::size_t d = 0; d < 3; ++d) {
    if (n[d] == 1) h[d] = std::numeric_limits<double>::infinity();
  }
  return h;
}

double SystemCommand::stable_now(double speed) const {
  return kernel_.stable_step(spacing_of_dimensions(), speed);
}

double SystemCommand::fastest_flow() {
  const double mine = system_->fastest_flow();
  const bool odd = ranks_.greatest(std::isfinite(mine) ? 0.0 : 1.0) > 0;
  return odd ? std::numeric_limits<double>::quiet_NaN() : ranks_.greatest(mine);
}

void SystemCommand::find_times() {
  dt_ = run_["dt_now"].empty() ? 0 : number_in(run_, "dt_now"); // of the start: none yet
  for (const EvolveSnapshot& one : snapshots_) {
    const fs::path file = fs::path(o_.restart).parent_path() / one.file;
    if (!read_attribute(open_hdf5(file), "time", times_[one.step]))
      throw UsageError(fmt::format("{} is damaged: it lacks the attribute time", file.string()));
  }
  time_ = times_.at(snapshots_.back().step);
}

Index SystemCommand::follow() {
  constexpr int tries = 10;
  constexpr double room = 2; // stable_step() leaves so much
  const Index begin = step();
  const auto multiple = [&](Index n) { return (begin / n + 1) * n; };
  const Index steps =
      std::min({last(), multiple(count_in(run_, "every")), multiple(steps_of_one_dt)}) - begin;
  if (dt_ == 0 || begin % steps_of_one_dt == 0) {
    if (!flows_) flows_ = fastest_flow();
    dt_ = *flows_ > 0 ? part_of_stable * stable_now(*flows_) : setup_.dt; // dry land has no waves
  }
  system_->save();
  for (int i = 0;; ++i) {
    system_->follow(dt_);
    system_->run(steps);
    flows_ = fastest_flow();
    if (begins_odd_ || *flows_ <= 0 || dt_ <= room * stable_now(*flows_) || i == tries) break;
    system_->bring_back();
    dt_ /= 2;
  }
  run_["dt_now"] = exact(dt_);
  time_ += static_cast<double>(steps) * dt_;
  return steps;
}

} // namespace ridge::app
