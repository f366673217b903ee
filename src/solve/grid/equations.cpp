#include "equations.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>

#include "mask.hpp"
#include "spectrum.hpp"

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
  constexpr Index most_parts = 2048; // all that a large GPU takes at once, twice
  const Index rows = Index{finest().axes[1].points()} * finest().axes[2].points();
  sums_ = Field<double>(queue.device(), Extents{2 * std::min(rows, most_parts)}, "norms");
  read_faces();
  if (problem.order > 2) widen();
}

/// Tables of the operator of higher order.
template <class T>
void Equations<T>::widen() {
  wide_.axes = finest().a.axes;
  wide_.radius = problem_.order / 2;
  wide_.shift = finest().a.shift;
  const auto keep = [&]<class V>(const std::vector<V>& values) {
    wide_tables_.push_back(on_device(queue_, values));
    return span_of<V>(wide_tables_.back());
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const Continued axis(problem_, static_cast<int>(d));
    const int radius = wide_.radius;
    std::vector<int> place;
    std::vector<T> sign;
    std::vector<double> faces(static_cast<std::size_t>(axis.points()), 0);
    const std::vector<double>& weights = axis.weights();
    for (int i = -radius; i < axis.points() + radius; ++i) {
      const Place p = axis.at(i);
      place.push_back(p.point);
      sign.push_back(static_cast<T>(p.sign));
    }
    if (!weights.empty()) {
      wide_.weights[d] = keep(as<T>(weights));
      for (int i = 0; i < axis.points(); ++i) {
        for (int k = 1; k <= radius; ++k)
          faces[static_cast<std::size_t>(i)] +=
              weights[static_cast<std::size_t>(k)] * (axis.at(i - k).face + axis.at(i + k).face);
      }
    }
    wide_.place[d] = keep(place);
    wide_.sign[d] = keep(sign);
    wide_.faces[d] = keep(as<T>(faces));
  }
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
  if (problem_.order > 2)
    throw UsageError(fmt::format("a coefficient goes with order 2, not {}", problem_.order));
  require_positive(k);
  cycle_.set_coefficient(k, first_, solved_);
}

template <class T>
void Equations<T>::set_mask(const View<const T>& mask, const View<const T>* k) {
  require_extents(mask.extents, "the mask");
  if (problem_.order > 2)
    throw UsageError(fmt::format("a mask goes with order 2, not {}", problem_.order));
  if (k != nullptr) {
    require_extents(k->extents, "the coefficient");
  }
  const std::vector<T> given = on_host(mask);
  const Index3 n = problem_.extents;
  if (k != nullptr) require_positive(*k, &given);
  std::vector<T> exact = k != nullptr ? on_host(*k) : std::vector<T>(given.size(), T(1));
  T least = 1; // of k where it counts
  if (k != nullptr) {
    least = std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (given[i] == T(0)) least = std::min(least, exact[i]);
  }
  std::vector<T> leaking = exact;
  std::vector<unsigned char> land(static_cast<std::size_t>(finest().points()));
  const auto& axes = finest().axes;
  land_volume_ = 0;
  std::size_t i = 0;
  for (Index z = 0; z < solved_.z; ++z) {
    for (Index y = 0; y < solved_.y; ++y) {
      for (Index x = 0; x < solved_.x; ++x, ++i) {
        const auto at = static_cast<std::size_t>((x + first_.x) +
                                                 n.x * ((y + first_.y) + n.y * (z + first_.z)));
        if (given[at] == T(0)) continue;
        land[i] = 1;
        land_volume_ += axes[0].volume[static_cast<std::size_t>(x)] *
                        axes[1].volume[static_cast<std::size_t>(y)] *
                        axes[2].volume[static_cast<std::size_t>(z)];
        // Next to nothing flows into masked points: harmonic means with them are as small, and
        // rows of theirs stay regular. Coarse levels let a little through for the same reason.
        exact[at] = least * (sizeof(T) == 8 ? T(1e-18) : T(1e-12));
        leaking[at] = least * T(1e-4);
      }
    }
  }
  require_connected(land, axes, problem_.shift > 0, first_);
  land_ = on_device(queue_, land);
  const Field<T> values(queue_.device(), Extents{n.x, n.y, n.z}, "the coefficient");
  const View<const T> there(values.data(), n);
  copy_to_device(queue_, values.data(), leaking.data(), values.count());
  cycle_.set_coefficient(there, first_, solved_);
  copy_to_device(queue_, values.data(), exact.data(), values.count());
  cycle_.set_finest_coefficient(there, first_, solved_);
  queue_.wait();
}

template <class T>
void Equations<T>::mask(const Field<T>& to) {
  if (land_.size().value > 0) give(Masked<T>{to.elements(), span_of<unsigned char>(land_)});
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
  if (with_faces && problem_.order == 2) {
    g.faces = adding_;
    g.k = finest().a.k;
  }
  g.to = to.elements();
  give(g);
  mask(to);
  if (!with_faces || problem_.order == 2) return;
  Wide<T> w = wide_;
  w.b = Span<const T>(to.elements());
  w.out = finest().other.elements();
  give(w);
  copy(to, finest().other);
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
  mask(finest().u);
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
  if (!of_right_side && problem_.order > 2) {
    residual(level.u, level.b, level.other);
    return {norm_of(level.other), 0};
  }
  Norms<T> n;
  n.a = level.a;
  if (!of_right_side) n.u = Span<const T>(level.u.elements());
  n.b = Span<const T>(level.b.elements());
  n.sums = sums_.elements();
  give(n);
  const auto [squares, weighted] = read_sums();
  return {std::sqrt(squares), weighted};
}

template <class T>
double Equations<T>::norm_of(const Field<T>& b) {
  Norms<T> n;
  n.a = finest().a;
  n.b = Span<const T>(b.elements());
  n.sums = sums_.elements();
  give(n);
  return std::sqrt(read_sums().first);
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
  if (problem_.order > 2) {
    Wide<T> w = wide_;
    w.faces = {};
    w.negates = true;
    w.u = Span<const T>(u.elements());
    w.out = out.elements();
    give(w);
    return;
  }
  give(Applied<T>{finest().a, Span<const T>(u.elements()), out.elements()});
}

template <class T>
void Equations<T>::residual(const Field<T>& u, const Field<T>& b, const Field<T>& out) {
  if (problem_.order > 2) {
    Wide<T> w = wide_;
    w.faces = {};
    w.u = Span<const T>(u.elements());
    w.b = Span<const T>(b.elements());
    w.out = out.elements();
    give(w);
    return;
  }
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
  return all - land_volume_;
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
  mask(finest().b);
  return -mean;
}

template <class T>
void Equations<T>::remove_mean() {
  Level<T>& level = finest();
  mask(level.u);
  Norms<T> n;
  n.a = level.a;
  n.b = Span<const T>(level.u.elements());
  n.sums = sums_.elements();
  give(n);
  give(Shifted<T>{level.u.elements(), static_cast<T>(-read_sums().second / volume())});
  mask(level.u);
}

template <class T>
void Equations<T>::require_positive(const View<const T>& k, const std::vector<T>* mask) {
  const Index3 n = k.extents;
  const std::vector<T> all = on_host(k);
  std::size_t i = 0;
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y) {
      for (Index x = 0; x < n.x; ++x, ++i) {
        const auto value = static_cast<double>(all[i]);
        if (value > 0 && std::isfinite(value)) continue;
        if (mask != nullptr && (*mask)[i] != T(0)) continue;
        throw UsageError(fmt::format("the coefficient is {} at x={} y={} z={}; it must be positive",
                                     value, x, y, z));
      }
    }
  }
}

/// All points, x fastest, packed.
template <class T>
std::vector<T> Equations<T>::on_host(const View<const T>& field) {
  const Index3 n = field.extents;
  std::vector<T> all(static_cast<std::size_t>(n.x * n.y * n.z));
  T* to = all.data();
  for (Index z = 0; z < n.z; ++z) {
    for (Index y = 0; y < n.y; ++y, to += n.x)
      copy_to_host(queue_, to, field.data + field.at(0, y, z), n.x);
  }
  queue_.wait();
  return all;
}

template class Equations<float>;
template class Equations<double>;

} // namespace ridge::solve::detail
