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
  Field<T> u, b, other, k;

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
    invert({});
    constexpr Index most_parts = 512;
    const Index rows = Index{finest().axes[1].points()} * finest().axes[2].points();
    sums_ = Field<double>(queue.device(), Extents{2 * std::min(rows, most_parts)}, "norms");
    read_faces();
  }

  void set_coefficient(const View<const T>& k) {
    require_extents(k.extents, "the coefficient");
    require_positive(k);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      detail::Level<T>& level = *levels_[l];
      const Extents n{level.axes[0].points() + 2, level.axes[1].points() + 2,
                      level.axes[2].points() + 2};
      if (level.k.count() != n.count())
        level.k = Field<T>(queue_.device(), n, "the coefficient on a level of multigrid");
      if (l == 0) {
        detail::Surrounded<T> s;
        s.from = k;
        s.first = first_;
        s.points = solved_;
        for (std::size_t d = 0; d < 3; ++d)
          s.is_periodic[d] = level.axes[d].is_periodic;
        s.to = level.k.elements();
        give(s);
      } else {
        const detail::Level<T>& finer = *levels_[l - 1];
        give(detail::Averaged<T>{finer.transfer, Span<const T>(finer.k.elements()),
                                 level.k.elements()});
      }
      level.a.k = Span<const T>(level.k.elements());
    }
    std::vector<T> coarsest(static_cast<std::size_t>(levels_.back()->k.count()));
    copy_to_host(queue_, coarsest.data(), levels_.back()->k.data(), levels_.back()->k.count());
    queue_.wait();
    invert({coarsest.begin(), coarsest.end()});
    for (Repeated* recorded : {&cycle_, &start_, &preconditioner_})
      *recorded = Repeated(); // it knew no coefficient
  }

  GridSolution solve(const View<const T>& f, const View<T>& u, const GridOptions& options) {
    require_extents(f.extents, "the right-hand side");
    require_extents(u.extents, "the solution");
    GridSolution solution;
    solution.levels = static_cast<int>(levels_.size());
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

  void invert(const std::vector<double>& k) {
    matrix_ = detail::on_device(
        queue_, detail::as<T>(detail::inverse_of(levels_.back()->axes, problem_.shift,
                                                 problem_.is_singular(), k)));
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
        start_.run(queue_, true, [this] { full_start(); });
      } else {
        cycle_.run(queue_, true, [this] { cycle(0, false); });
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
    if (progress.options.full) start_.run(queue_, true, [this] { full_start(); });
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
      preconditioner_.run(queue_, true, [this] { cycle(0, true); });
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
  [[nodiscard]] double cycle_bytes(bool conjugate) const {
    const bool varies = levels_.front()->a.k.size != 0; // k is read wherever u is
    double bytes = conjugate ? 19.0 * static_cast<double>(levels_.front()->points()) : 0;
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      const auto fine = static_cast<double>(levels_[l]->points());
      const auto coarse = static_cast<double>(levels_[l + 1]->points());
      const double sweeps = l == 0 && !conjugate ? 4 * 3 : 3 * 3 + 2;
      bytes += (sweeps + 3 + (varies ? 5 : 0)) * fine + (fine + coarse) + (2 * fine + coarse);
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
  Field<T> x_, p_, q_, right_; ///< of conjugate gradients
  Repeated cycle_, start_, preconditioner_;
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
GridSolution Multigrid<T>::solve(const View<const T>& f, const View<T>& u,
                                 const GridOptions& options) {
  return body_->solve(f, u, options);
}

template class Multigrid<float>;
template class Multigrid<double>;

} // namespace ridge::solve
