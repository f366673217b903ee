#include "equations.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::solve::detail {

namespace {

Index& along(Index3& n, std::size_t d) {
  return d == 0 ? n.x : d == 1 ? n.y : n.z;
}
template <class T>
Bytes bytes_of(const Field<T>& field) {
  return {field.count() * static_cast<Index>(sizeof(T))};
}

} // namespace

template <class T>
Equations<T>::Equations(Queue& queue, const GridProblem& problem)
    : queue_(queue), problem_((require_solvable(problem), problem)), cycle_(queue, problem) {
  constexpr Index most_parts = 512;
  const Index rows = Index{finest().axes[1].points()} * finest().axes[2].points();
  sums_ = Field<double>(queue.device(), Extents{2 * std::min(rows, most_parts)}, "norms");
  read_faces();
}

template <class T>
void Equations<T>::require_extents(Index3 n, const char* what) const {
  if (n == problem_.extents) return;
  throw UsageError(fmt::format("{} has {}x{}x{} points, the problem {}x{}x{}", what, n.x, n.y, n.z,
                               problem_.extents.x, problem_.extents.y, problem_.extents.z));
}

template <class T>
void Equations<T>::set_coefficient(const View<const T>& k) {
  require_extents(k.extents, "the coefficient");
  require_positive(k);
  cycle_.set_coefficient(k, first_, solved_);
}

/// Values on faces, and what they add to the right-hand side.
template <class T>
void Equations<T>::read_faces() {
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = finest().axes[d];
    for (std::size_t side = 0; side < 2; ++side) {
      const stencil::Condition& c = problem_.boundaries.faces[d][side];
      if (along(problem_.extents, d) == 1) continue;
      FaceTerm<T> on{};
      FaceTerm<T> adds{};
      adds.value = on.value = static_cast<T>(c.value);
      if (c.kind == stencil::Boundary::dirichlet) {
        if (!c.values.empty()) {
          face_values_.push_back(on_device(queue_, as<T>(c.values)));
          adds.values = on.values = span_of<T>(face_values_.back());
        }
        on.scale = 1;
        adds.scale = static_cast<T>(side == 0 ? axis.low.front() : axis.high.back());
        along(solved_, d) -= 1;
        if (side == 0) along(first_, d) = 1;
      } else if (c.kind == stencil::Boundary::neumann) {
        adds.holds_value = false;
        adds.scale = static_cast<T>(1 / (side == 0 ? axis.volume.front() : axis.volume.back()));
      }
      on_faces_[d][side] = on;
      adding_[d][side] = adds;
    }
  }
}

template <class T>
void Equations<T>::gather(const View<const T>& from, T scale, bool with_faces, Field<T>& to) {
  Gathered<T> g;
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

template <class T>
void Equations<T>::gather_faces(Field<T>& to) {
  const Index3 n = problem_.extents;
  const Field<T> zero(queue_.device(), Extents{n.x, n.y, n.z}, "zeros");
  set_zero(zero);
  gather(View<const T>(zero.view()), 1, true, to);
  queue_.wait();
}

template <class T>
void Equations<T>::scatter(const View<T>& to) {
  Scattered<T> s;
  s.from = Span<const T>(finest().u.elements());
  s.first = first_;
  s.points = solved_;
  s.faces = on_faces_;
  s.to = to;
  give(s);
}

template <class T>
std::pair<double, double> Equations<T>::norm(bool of_right_side) {
  Level<T>& level = finest();
  Norms<T> n;
  n.a = level.a;
  if (!of_right_side) n.u = Span<const T>(level.u.elements());
  n.b = Span<const T>(level.b.elements());
  n.sums = sums_.elements();
  give(n);
  const auto [squares, weighted] = read_sums();
  return {std::sqrt(squares), weighted};
}

/// Of all parts.
template <class T>
std::pair<double, double> Equations<T>::read_sums() {
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

template <class T>
double Equations<T>::product(const Span<const T>& x, const Span<const T>& y) {
  give(Product<T>{finest().a.axes, x, y, sums_.elements()});
  return read_sums().second;
}

template <class T>
void Equations<T>::apply(const Field<T>& u, const Field<T>& out) {
  give(Applied<T>{finest().a, Span<const T>(u.elements()), out.elements()});
}

template <class T>
void Equations<T>::residual(const Field<T>& u, const Field<T>& b, const Field<T>& out) {
  Residual<T> r;
  r.a = finest().a;
  r.u = Span<const T>(u.elements());
  r.b = Span<const T>(b.elements());
  r.out = out.elements();
  give(r);
}

template <class T>
void Equations<T>::combine(const Field<T>& to, const Field<T>& other, double number,
                           double other_number) {
  give(Combined<T>{to.elements(), Span<const T>(other.elements()), static_cast<T>(number),
                   static_cast<T>(other_number)});
}

template <class T>
void Equations<T>::copy(const Field<T>& to, const Field<T>& from) {
  copy_bytes_on_device(queue_, to.data(), from.data(), bytes_of(from));
}

template <class T>
void Equations<T>::set_zero(const Field<T>& to) {
  fill_bytes(queue_, to.data(), 0, bytes_of(to));
}

template <class T>
double Equations<T>::volume() {
  double all = 1;
  for (const Axis& axis : finest().axes) {
    double along = 0;
    for (const double v : axis.volume)
      along += v;
    all *= along;
  }
  return all;
}

template <class T>
double Equations<T>::balance(bool projects) {
  if (!problem_.is_singular()) return 0;
  const auto [size, weighted] = norm(true);
  const double mean = weighted / volume();
  const double typical = size / std::sqrt(static_cast<double>(finest().points()));
  // What rounding leaves of sums that are 0.
  const double rounding = 1e3 * static_cast<double>(std::numeric_limits<T>::epsilon()) * typical;
  if (std::abs(mean) > rounding && !projects) {
    throw UsageError(fmt::format(
        "with no value at any face a solution exists only where the right-hand side balances "
        "what comes in through the faces; its mean is {:.6g} too large (--project removes it)",
        -mean));
  }
  give(Shifted<T>{finest().b.elements(), static_cast<T>(-mean)});
  return -mean;
}

template <class T>
void Equations<T>::remove_mean() {
  Level<T>& level = finest();
  Norms<T> n;
  n.a = level.a;
  n.b = Span<const T>(level.u.elements());
  n.sums = sums_.elements();
  give(n);
  give(Shifted<T>{level.u.elements(), static_cast<T>(-read_sums().second / volume())});
}

template <class T>
void Equations<T>::require_positive(const View<const T>& k) {
  const Index3 n = k.extents;
  std::vector<T> row(static_cast<std::size_t>(n.x));
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      copy_to_host(queue_, row.data(), k.data + k.at(0, y, z), n.x);
      queue_.wait();
      for (Index x = 0; x < n.x; ++x) {
        const auto value = static_cast<double>(row[static_cast<std::size_t>(x)]);
        if (value > 0 && std::isfinite(value)) continue;
        throw UsageError(fmt::format("the coefficient is {} at x={} y={} z={}; it must be positive",
                                     value, x, y, z));
      }
    }
  }
}

template class Equations<float>;
template class Equations<double>;

} // namespace ridge::solve::detail
