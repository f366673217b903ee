#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/solve/grid/multigrid.hpp>

#include "cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace ridge::solve {

double GridSolution::factor() const {
  // The first cycle may hold the full start; the last ones may be at what rounding allows.
  if (residuals.size() < 2) return 0;
  const std::size_t first = residuals.size() > 3 ? 1 : 0;
  std::size_t last = residuals.size() - 1;
  while (last > first + 1 && residuals[last] > 0.7 * residuals[last - 1])
    --last;
  return std::pow(residuals[last] / residuals[first], 1.0 / static_cast<double>(last - first));
}

template <class T>
class Multigrid<T>::Body {
public:
  Body(Queue& queue, const GridProblem& problem)
      : queue_(queue), problem_((require_solvable(problem), problem)), cycle_(queue, problem) {
    constexpr Index most_parts = 512;
    const Index rows = Index{finest().axes[1].points()} * finest().axes[2].points();
    sums_ = Field<double>(queue.device(), Extents{2 * std::min(rows, most_parts)}, "norms");
    read_faces();
  }

  void set_coefficient(const View<const T>& k) {
    require_extents(k.extents, "the coefficient");
    require_positive(k);
    cycle_.set_coefficient(k, first_, solved_);
  }

  GridSolution solve(const View<const T>& f, const View<T>& u, const GridOptions& options) {
    require_extents(f.extents, "the right-hand side");
    require_extents(u.extents, "the solution");
    GridSolution solution;
    solution.levels = cycle_.levels();
    solution.conjugate = options.method == GridMethod::conjugate_gradients ||
                         (options.method == GridMethod::automatic && finest().a.k.size != 0);
    solution.cycle_bytes = cycle_bytes(solution.conjugate);
    gather(f, T(-1), true, finest().b);
    balance(options, solution);
    const double size = norm(true).first;
    if (options.full) {
      fill_bytes(queue_, finest().u.data(), 0, bytes_of(finest().u));
    } else {
      gather(View<const T>(u), T(1), false, finest().u);
    }
    if (size == 0 && options.full) { // u = 0
      solution.residuals = {0};
      solution.end = GridSolution::End::converged;
    } else {
      const auto begin = Clock::now();
      Progressing progress{options, solution};
      solution.conjugate ? conjugate(progress, size > 0 ? size : 1)
                         : iterate(progress, size > 0 ? size : 1);
      solution.seconds = Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
    }
    if (problem_.is_singular()) remove_mean();
    scatter(u);
    queue_.wait();
    return solution;
  }

  [[nodiscard]] std::vector<Index3> levels() const {
    std::vector<Index3> all;
    for (int l = 0; l < cycle_.levels(); ++l)
      all.push_back(cycle_.level(l).u.extents().xyz());
    return all;
  }
  void begin(const View<const T>& f) {
    require_extents(f.extents, "the right-hand side");
    gather(f, T(-1), true, finest().b);
    GridSolution ignored;
    balance({.project = true}, ignored);
    fill_bytes(queue_, finest().u.data(), 0, bytes_of(finest().u));
    size_ = norm(true).first;
  }
  void give_cycle(const CycleSchedule& schedule) {
    require_level(schedule);
    cycle_.give_cycle(schedule);
  }
  [[nodiscard]] double least_bytes(const CycleSchedule& schedule) const {
    require_level(schedule);
    return cycle_.least_bytes(schedule);
  }
  [[nodiscard]] double relative_residual() { return norm(false).first / size_; }

private:
  void require_level(const CycleSchedule& s) const {
    if (s.level >= cycle_.levels())
      throw UsageError(
          fmt::format("level={}: there are {} levels, from 0 on", s.level, cycle_.levels()));
    if (s.level > 0 && s.cycle != CycleShape::v)
      throw UsageError("level= is for V cycles; w and full begin on level 0");
  }

  using Clock = std::chrono::steady_clock;

  [[nodiscard]] detail::Level<T>& finest() { return cycle_.finest(); }

  void require_extents(Index3 n, const char* what) const {
    if (n == problem_.extents) return;
    throw UsageError(fmt::format("{} has {}x{}x{} points, the problem {}x{}x{}", what, n.x, n.y,
                                 n.z, problem_.extents.x, problem_.extents.y, problem_.extents.z));
  }

  template <class Pass>
  void give(const Pass& pass) {
    detail::give(queue_, pass);
  }

  static Bytes bytes_of(const Field<T>& field) {
    return {field.count() * static_cast<Index>(sizeof(T))};
  }

  /// Values on faces, and what they add to the right-hand side.
  void read_faces() {
    for (std::size_t d = 0; d < 3; ++d) {
      const detail::Axis& axis = finest().axes[d];
      for (std::size_t side = 0; side < 2; ++side) {
        const stencil::Condition& c = problem_.boundaries.faces[d][side];
        if (at(problem_.extents, d) == 1) continue;
        detail::FaceTerm<T> on{};
        detail::FaceTerm<T> adds{};
        adds.value = on.value = static_cast<T>(c.value);
        if (c.kind == stencil::Boundary::dirichlet) {
          if (!c.values.empty()) {
            face_values_.push_back(detail::on_device(queue_, detail::as<T>(c.values)));
            adds.values = on.values = detail::span_of<T>(face_values_.back());
          }
          on.scale = 1;
          adds.scale = static_cast<T>(side == 0 ? axis.low.front() : axis.high.back());
          at(solved_, d) -= 1;
          if (side == 0) at(first_, d) = 1;
        } else if (c.kind == stencil::Boundary::neumann) {
          adds.holds_value = false;
          adds.scale = static_cast<T>(1 / (side == 0 ? axis.volume.front() : axis.volume.back()));
        }
        on_faces_[d][side] = on;
        adding_[d][side] = adds;
      }
    }
  }
  static Index& at(Index3& n, std::size_t d) { return d == 0 ? n.x : d == 1 ? n.y : n.z; }
  static Index at(const Index3& n, std::size_t d) { return d == 0 ? n.x : d == 1 ? n.y : n.z; }

  void gather(const View<const T>& from, T scale, bool with_faces, Field<T>& to) {
    detail::Gathered<T> g;
    g.from = from;
    g.first = first_;
    g.points = solved_;
    g.scale = scale;
    if (with_faces) {
      g.faces = adding_;
      g.k = finest().a.k;
    }
    g.to = to.elements();
    give(g);
  }

  void scatter(const View<T>& to) {
    detail::Scattered<T> s;
    s.from = Span<const T>(finest().u.elements());
    s.first = first_;
    s.points = solved_;
    s.faces = on_faces_;
    s.to = to;
    give(s);
  }

  /// The norm of the residual, or of the right-hand side, and the sum weighted by volumes.
  std::pair<double, double> norm(bool of_right_side) {
    detail::Level<T>& level = finest();
    detail::Norms<T> n;
    n.a = level.a;
    if (!of_right_side) n.u = Span<const T>(level.u.elements());
    n.b = Span<const T>(level.b.elements());
    n.sums = sums_.elements();
    give(n);
    const auto [squares, weighted] = read_sums();
    return {std::sqrt(squares), weighted};
  }
  /// Of all parts.
  std::pair<double, double> read_sums() {
    std::vector<double> sums(static_cast<std::size_t>(sums_.count()));
    copy_to_host(queue_, sums.data(), sums_.data(), sums_.count());
    queue_.wait();
    double first = 0;
    double second = 0;
    for (std::size_t i = 0; i < sums.size(); i += 2) {
      first += sums[i];
      second += sums[i + 1];
    }
    return {first, second};
  }

  double volume() {
    double all = 1;
    for (const detail::Axis& axis : finest().axes) {
      double along = 0;
      for (const double v : axis.volume)
        along += v;
      all *= along;
    }
    return all;
  }

  /// A singular problem's right-hand side has no mean, or loses it.
  void balance(const GridOptions& options, GridSolution& solution) {
    if (!problem_.is_singular()) return;
    const auto [size, weighted] = norm(true);
    const double mean = weighted / volume();
    const double typical = size / std::sqrt(static_cast<double>(finest().points()));
    // What rounding leaves of sums that are 0.
    const double rounding = 1e3 * static_cast<double>(std::numeric_limits<T>::epsilon()) * typical;
    if (std::abs(mean) > rounding && !options.project) {
      throw UsageError(fmt::format(
          "with no value at any face a solution exists only where the right-hand side balances "
          "what comes in through the faces; its mean is {:.6g} too large (--project removes it)",
          -mean));
    }
    give(detail::Shifted<T>{finest().b.elements(), static_cast<T>(-mean)});
    if (options.project) solution.removed_mean = -mean;
  }

  void remove_mean() {
    detail::Level<T>& level = finest();
    detail::Norms<T> n;
    n.a = level.a;
    n.b = Span<const T>(level.u.elements());
    n.sums = sums_.elements();
    give(n);
    give(detail::Shifted<T>{level.u.elements(), static_cast<T>(-read_sums().second / volume())});
  }

  void require_positive(const View<const T>& k) {
    const Index3 n = k.extents;
    std::vector<T> row(static_cast<std::size_t>(n.x));
    for (Index z = 0; z < n.z; ++z) {
      for (Index y = 0; y < n.y; ++y) {
        copy_to_host(queue_, row.data(), k.data + k.at(0, y, z), n.x);
        queue_.wait();
        for (Index x = 0; x < n.x; ++x) {
          const auto value = static_cast<double>(row[static_cast<std::size_t>(x)]);
          if (value > 0 && std::isfinite(value)) continue;
          throw UsageError(fmt::format(
              "the coefficient is {} at x={} y={} z={}; it must be positive", value, x, y, z));
        }
      }
    }
  }

  /// When cycles end.
  struct Progressing {
    const GridOptions& options;
    GridSolution& solution;
    double best = 1;
    int without_gain = 0;

    /// Notes the first residual. Returns whether to go on.
    bool begin(double residual) {
      best = residual;
      solution.residuals = {residual};
      if (residual <= options.tolerance) solution.end = GridSolution::End::converged;
      return residual > options.tolerance && options.most_cycles > 0;
    }
    /// Notes the residual after a cycle. Returns whether to go on.
    bool next(double residual) {
      using End = GridSolution::End;
      ++solution.cycles;
      solution.residuals.push_back(residual);
      if (residual <= options.tolerance) {
        solution.end = End::converged;
        return false;
      }
      if (options.progress && !options.progress(solution.cycles, residual)) {
        solution.end = End::stopped;
        return false;
      }
      without_gain = residual < 0.9 * best ? 0 : without_gain + 1; // NaN is no gain
      if (residual < best) best = residual;
      constexpr int patience = 3;
      if (without_gain == (solution.conjugate ? 3 * patience : patience) ||
          !std::isfinite(residual)) {
        solution.end = End::stalled;
        return false;
      }
      return solution.cycles < options.most_cycles;
    }
  };

  void iterate(Progressing& progress, double size) {
    if (!progress.begin(progress.options.full ? 1 : norm(false).first / size)) return;
    bool starts = progress.options.full;
    do {
      if (starts) {
        cycle_.run_full_start();
      } else {
        cycle_.run();
      }
      starts = false;
    } while (progress.next(norm(false).first / size));
  }

  /// Preconditioned by a cycle from zero, which is symmetric in sums weighted by volumes.
  void conjugate(Progressing& progress, double size) {
    detail::Level<T>& level = finest();
    const Extents n = level.u.extents();
    if (x_.count() == 0) {
      for (Field<T>* field : {&x_, &p_, &q_, &right_})
        *field = Field<T>(queue_.device(), n, "a vector of conjugate gradients");
    }
    copy(right_, level.b);
    if (progress.options.full) cycle_.run_full_start();
    copy(x_, level.u);
    bool first = true;
    while (true) { // again where rounding has parted the residual from that of x
      copy(level.b, right_);
      copy(level.u, x_);
      subtract_applied();
      const double residual = norm(true).first / size;
      if (first && progress.options.full) {
        progress.begin(1);
        if (!progress.next(residual)) break;
      } else if (first) {
        if (!progress.begin(residual)) break;
      } else {
        progress.solution.residuals.back() = residual;
        if (residual <= 2 * progress.options.tolerance) break;
        progress.solution.end = GridSolution::End::cycles;
        if (progress.without_gain > 0 || progress.solution.cycles >= progress.options.most_cycles)
          break;
      }
      first = false;
      if (!descend(progress, size)) break;
    }
    copy(level.u, x_);
  }

  /// Steps until the residual, as it is carried along, is small enough. False where to give up.
  bool descend(Progressing& progress, double size) {
    detail::Level<T>& level = finest();
    const Span<const T> r(level.b.elements());
    double rho_before = 0;
    while (true) {
      cycle_.run_from_zero();
      const Span<const T> z(level.u.elements());
      const double rho = product(r, z);
      if (rho_before == 0) {
        copy(p_, level.u);
      } else {
        give(detail::Combined<T>{p_.elements(), z, static_cast<T>(rho / rho_before), T(1)});
      }
      rho_before = rho;
      give(detail::Applied<T>{level.a, Span<const T>(p_.elements()), q_.elements()});
      const double steep = product(Span<const T>(p_.elements()), Span<const T>(q_.elements()));
      if (!(rho > 0) || !(steep > 0)) { // at what rounding allows, or not a number
        progress.solution.end = GridSolution::End::stalled;
        return false;
      }
      const auto step = static_cast<T>(rho / steep);
      give(detail::Combined<T>{x_.elements(), Span<const T>(p_.elements()), T(1), step});
      give(detail::Combined<T>{level.b.elements(), Span<const T>(q_.elements()), T(1), -step});
      // The cycle keeps its right-hand side, so the residual is still there.
      if (!progress.next(norm(true).first / size))
        return progress.solution.end == GridSolution::End::converged;
    }
  }

  /// b -= A u.
  void subtract_applied() {
    detail::Level<T>& level = finest();
    detail::Residual<T> r;
    r.a = level.a;
    r.u = Span<const T>(level.u.elements());
    r.b = Span<const T>(level.b.elements());
    r.out = level.other.elements();
    give(r);
    copy(level.b, level.other);
  }

  double product(const Span<const T>& x, const Span<const T>& y) {
    give(detail::Product<T>{finest().a.axes, x, y, sums_.elements()});
    return read_sums().second;
  }

  void copy(const Field<T>& to, const Field<T>& from) {
    copy_bytes_on_device(queue_, to.data(), from.data(), bytes_of(from));
  }

  /// Conjugate gradients read and write 19 arrays beside the cycle's.
  [[nodiscard]] double cycle_bytes(bool conjugate) {
    return cycle_.bytes(conjugate) +
           (conjugate ? 19.0 * static_cast<double>(finest().points()) * sizeof(T) : 0);
  }

  Queue& queue_;
  GridProblem problem_;
  detail::Cycle<T> cycle_;
  Field<double> sums_;
  double size_ = 1; ///< the norm of the right-hand side that was begun with
  Index3 first_{0, 0, 0}, solved_ = problem_.extents;
  std::array<std::array<detail::FaceTerm<T>, 2>, 3> on_faces_, adding_;
  std::vector<Memory> face_values_;
  Field<T> x_, p_, q_, right_; ///< of conjugate gradients
};

template <class T>
Multigrid<T>::Multigrid(Queue& queue, const GridProblem& problem)
    : body_(std::make_unique<Body>(queue, problem)) {}
template <class T>
Multigrid<T>::~Multigrid() = default;
template <class T>
void Multigrid<T>::set_coefficient(const View<const T>& k) {
  body_->set_coefficient(k);
}
template <class T>
std::vector<Index3> Multigrid<T>::levels() const {
  return body_->levels();
}
template <class T>
void Multigrid<T>::begin(const View<const T>& f) {
  body_->begin(f);
}
template <class T>
void Multigrid<T>::give_cycle(const CycleSchedule& schedule) {
  body_->give_cycle(schedule);
}
template <class T>
double Multigrid<T>::least_bytes(const CycleSchedule& schedule) const {
  return body_->least_bytes(schedule);
}
template <class T>
double Multigrid<T>::relative_residual() {
  return body_->relative_residual();
}
template <class T>
GridSolution Multigrid<T>::solve(const View<const T>& f, const View<T>& u,
                                 const GridOptions& options) {
  return body_->solve(f, u, options);
}

template class Multigrid<float>;
template class Multigrid<double>;

} // namespace ridge::solve
