#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/solve/grid/multigrid.hpp>

#include "axis.hpp"
#include "exact.hpp"
#include "operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace ridge::solve {

namespace detail {

/// At most so many points are solved for exactly.
constexpr Index most_exact = 512;

template <class V>
Memory on_device(Queue& queue, const std::vector<V>& values) {
  const Bytes bytes{static_cast<Index>(values.size() * sizeof(V))};
  Memory memory(queue.device(), bytes, "tables of multigrid");
  copy_bytes_to_device(queue, memory.data(), values.data(), bytes);
  queue.wait();
  return memory;
}
template <class T>
std::vector<T> as(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
template <class T>
Span<const T> span_of(const Memory& memory) {
  return {static_cast<const T*>(memory.data()),
          memory.size().value / static_cast<Index>(sizeof(T))};
}

/// One level: its operator, its arrays, and the way to the next one.
template <class T>
struct Level {
  std::vector<Axis> axes;
  std::vector<Memory> tables;
  detail::Operator<T> a;
  std::array<detail::TransferTables<T>, 3> transfer; ///< to the next level
  Field<T> u, b, other;

  Level(Queue& queue, std::vector<Axis> these, T shift) : axes(std::move(these)) {
    a.shift = shift;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = axes[d];
      a.axes[d].points = axis.points();
      a.axes[d].is_periodic = axis.is_periodic;
      a.axes[d].low = keep<T>(queue, as<T>(axis.low));
      a.axes[d].high = keep<T>(queue, as<T>(axis.high));
      a.axes[d].volume = keep<T>(queue, as<T>(axis.volume));
    }
    const Extents n{axes[0].points(), axes[1].points(), axes[2].points()};
    u = Field<T>(queue.device(), n, "the solution on a level of multigrid");
    b = Field<T>(queue.device(), n, "the right-hand side on a level of multigrid");
    other = Field<T>(queue.device(), n, "residuals on a level of multigrid");
  }

  template <class V>
  Span<const V> keep(Queue& queue, const std::vector<V>& values) {
    tables.push_back(on_device(queue, values));
    return span_of<V>(tables.back());
  }

  void add_transfer(Queue& queue, const std::vector<Coarsening>& ways) {
    for (std::size_t d = 0; d < 3; ++d) {
      const Coarsening& c = ways[d];
      detail::TransferTables<T>& t = transfer[d];
      t.fine = axes[d].points();
      t.coarse = c.axis.points();
      t.is_periodic = axes[d].is_periodic;
      t.centre = keep<int>(queue, c.centre);
      t.reach = keep<int>(queue, c.reach);
      t.taken = keep<T>(queue, as<T>(c.taken));
      t.left = keep<int>(queue, c.left);
      t.right = keep<int>(queue, c.right);
      t.left_weight = keep<T>(queue, as<T>(c.left_weight));
      t.right_weight = keep<T>(queue, as<T>(c.right_weight));
    }
  }

  [[nodiscard]] Index points() const { return u.count(); }
};

/// Weights of two sweeps that damp errors between 1/3 and 2 of the diagonal's scale (Chebyshev).
inline std::array<double, 2> sweep_weights() {
  constexpr double least = 1.0 / 3;
  constexpr double most = 2;
  const double middle = (most + least) / 2;
  const double half = (most - least) / 2 * std::sqrt(0.5);
  return {1 / (middle + half), 1 / (middle - half)};
}

} // namespace detail

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
      : queue_(queue), problem_((require_solvable(problem), problem)),
        kind_(queue.device().kind()) {
    std::vector<detail::Axis> axes;
    for (int d = 0; d < 3; ++d)
      axes.push_back(detail::finest_axis(problem, d));
    const auto shift = static_cast<T>(problem.shift);
    levels_.push_back(std::make_unique<detail::Level<T>>(queue, axes, shift));
    while (levels_.back()->points() > detail::most_exact) {
      const std::vector<bool> chosen = detail::coarsened_axes(axes);
      std::vector<detail::Coarsening> ways;
      for (std::size_t d = 0; d < 3; ++d)
        ways.push_back(chosen[d] ? detail::coarsened(axes[d]) : detail::kept(axes[d]));
      if (std::none_of(chosen.begin(), chosen.end(), [](bool c) { return c; })) break;
      levels_.back()->add_transfer(queue, ways);
      for (std::size_t d = 0; d < 3; ++d)
        axes[d] = ways[d].axis;
      levels_.push_back(std::make_unique<detail::Level<T>>(queue, axes, shift));
    }
    matrix_ = detail::on_device(
        queue, detail::as<T>(detail::inverse_of(axes, problem.shift, problem.is_singular())));
    constexpr Index most_parts = 512;
    const Index rows = Index{finest().axes[1].points()} * finest().axes[2].points();
    sums_ = Field<double>(queue.device(), Extents{2 * std::min(rows, most_parts)}, "norms");
    read_faces();
  }

  GridSolution solve(const View<const T>& f, const View<T>& u, const GridOptions& options) {
    require_extents(f.extents, "the right-hand side");
    require_extents(u.extents, "the solution");
    GridSolution solution;
    solution.levels = static_cast<int>(levels_.size());
    solution.cycle_bytes = cycle_bytes();
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
      iterate(options, size > 0 ? size : 1, solution);
    }
    if (problem_.is_singular()) remove_mean();
    scatter(u);
    queue_.wait();
    return solution;
  }

private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] detail::Level<T>& finest() { return *levels_.front(); }

  void require_extents(Index3 n, const char* what) const {
    if (n == problem_.extents) return;
    throw UsageError(fmt::format("{} has {}x{}x{} points, the problem {}x{}x{}", what, n.x, n.y,
                                 n.z, problem_.extents.x, problem_.extents.y, problem_.extents.z));
  }

  template <class Pass>
  void give(const Pass& pass) {
    offered<void(Queue&, const Pass&)>(kind_, typeid(Pass))(queue_, pass);
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
    if (with_faces) g.faces = adding_;
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
    std::vector<double> sums(static_cast<std::size_t>(sums_.count()));
    copy_to_host(queue_, sums.data(), sums_.data(), sums_.count());
    queue_.wait();
    double squares = 0;
    double weighted = 0;
    for (std::size_t i = 0; i < sums.size(); i += 2) {
      squares += sums[i];
      weighted += sums[i + 1];
    }
    return {std::sqrt(squares), weighted};
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
    std::vector<double> sums(static_cast<std::size_t>(sums_.count()));
    copy_to_host(queue_, sums.data(), sums_.data(), sums_.count());
    queue_.wait();
    double weighted = 0;
    for (std::size_t i = 1; i < sums.size(); i += 2)
      weighted += sums[i];
    give(detail::Shifted<T>{level.u.elements(), static_cast<T>(-weighted / volume())});
  }

  void iterate(const GridOptions& options, double size, GridSolution& solution) {
    using End = GridSolution::End;
    const auto begin = Clock::now();
    double residual = options.full ? 1 : norm(false).first / size;
    solution.residuals = {residual};
    if (residual <= options.tolerance) solution.end = End::converged;
    int without_gain = 0;
    double best = residual;
    while (solution.end != End::converged && solution.cycles < options.most_cycles) {
      if (options.full && solution.cycles == 0) {
        start_.run(queue_, true, [this] { full_start(); });
      } else {
        cycle_.run(queue_, true, [this] { cycle(0, false); });
      }
      ++solution.cycles;
      residual = norm(false).first / size;
      solution.residuals.push_back(residual);
      if (residual <= options.tolerance) {
        solution.end = End::converged;
      } else if (options.progress && !options.progress(solution.cycles, residual)) {
        solution.end = End::stopped;
        break;
      } else {
        // NaN counts as no gain.
        without_gain = residual < 0.9 * best ? 0 : without_gain + 1;
        if (residual < best) best = residual;
        if (without_gain == 3 || !std::isfinite(residual)) {
          solution.end = End::stalled;
          break;
        }
      }
    }
    solution.seconds = Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
  }

  void sweep(detail::Level<T>& level, double weight, bool from_zero) {
    detail::Sweep<T> s;
    s.a = level.a;
    if (!from_zero) s.u = Span<const T>(level.u.elements());
    s.b = Span<const T>(level.b.elements());
    s.out = level.other.elements();
    s.weight = static_cast<T>(weight);
    give(s);
    std::swap(level.u, level.other);
  }

  /// u of level l from its b, from zero or from the u that is there. Arrays change places an even
  /// number of times, so that a recorded cycle can be repeated.
  void cycle(std::size_t l, bool from_zero) {
    detail::Level<T>& level = *levels_[l];
    if (l + 1 == levels_.size()) {
      give(detail::Exact<T>{detail::span_of<T>(matrix_), Span<const T>(level.b.elements()),
                            level.u.elements()});
      return;
    }
    const std::array<double, 2> weights = detail::sweep_weights();
    sweep(level, weights[0], from_zero);
    sweep(level, weights[1], false);
    detail::Level<T>& next = *levels_[l + 1];
    detail::Residual<T> r;
    r.a = level.a;
    r.u = Span<const T>(level.u.elements());
    r.b = Span<const T>(level.b.elements());
    r.out = level.other.elements();
    give(r);
    give(detail::Restriction<T>{level.transfer, Span<const T>(level.other.elements()),
                                next.b.elements()});
    cycle(l + 1, true);
    give(detail::Interpolation<T>{level.transfer, Span<const T>(next.u.elements()),
                                  level.u.elements(), true});
    sweep(level, weights[1], false);
    sweep(level, weights[0], false);
  }

  /// Solves on the coarsest grid, then on finer and finer ones, each begun by the one before.
  void full_start() {
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      give(detail::Restriction<T>{levels_[l]->transfer, Span<const T>(levels_[l]->b.elements()),
                                  levels_[l + 1]->b.elements()});
    }
    for (std::size_t l = levels_.size(); l-- > 0;) {
      if (l + 1 < levels_.size()) {
        give(detail::Interpolation<T>{levels_[l]->transfer,
                                      Span<const T>(levels_[l + 1]->u.elements()),
                                      levels_[l]->u.elements(), false});
        // The cycle below writes over the right-hand sides of coarser levels, which are done.
      }
      cycle(l, false);
    }
  }

  /// Each array once a pass: sweeps read two and write one, the first of coarse levels reads one.
  [[nodiscard]] double cycle_bytes() const {
    double bytes = 0;
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      const auto fine = static_cast<double>(levels_[l]->points());
      const auto coarse = static_cast<double>(levels_[l + 1]->points());
      const double sweeps = l == 0 ? 4 * 3 : 3 * 3 + 2;
      bytes += (sweeps + 3) * fine + (fine + coarse) + (2 * fine + coarse);
    }
    return bytes * static_cast<double>(sizeof(T));
  }

  Queue& queue_;
  GridProblem problem_;
  DeviceKind kind_;
  std::vector<std::unique_ptr<detail::Level<T>>> levels_;
  Memory matrix_;
  Field<double> sums_;
  Index3 first_{0, 0, 0}, solved_ = problem_.extents;
  std::array<std::array<detail::FaceTerm<T>, 2>, 3> on_faces_, adding_;
  std::vector<Memory> face_values_;
  Repeated cycle_, start_;
};

template <class T>
Multigrid<T>::Multigrid(Queue& queue, const GridProblem& problem)
    : body_(std::make_unique<Body>(queue, problem)) {}
template <class T>
Multigrid<T>::~Multigrid() = default;
template <class T>
GridSolution Multigrid<T>::solve(const View<const T>& f, const View<T>& u,
                                 const GridOptions& options) {
  return body_->solve(f, u, options);
}

template class Multigrid<float>;
template class Multigrid<double>;

} // namespace ridge::solve
