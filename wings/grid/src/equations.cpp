#include "equations.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>

#include "core/refuse.hpp"
#include "spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>

namespace ridge::solve::detail {

namespace {

using comm::along;

template <class T>
Bytes bytes_of(const Field<T>& field) {
  return {field.count() * static_cast<Index>(sizeof(T))};
}

/// Returns it where inverse squares of spacings are numbers of T.
template <class T>
const GridProblem& checked(const GridProblem& problem) {
  require_solvable(problem);
  constexpr double most = sizeof(T) == 4 ? 1e15 : 1e70;
  const auto& h = problem.boundaries.spacing;
  constexpr double shifts = sizeof(T) == 4 ? 1e30 : 1e290;
  const char* const precision = sizeof(T) == 4 ? "fp32" : "fp64";
  refuse_if(problem.shift > shifts, "the shift is {:g}; {} takes up to {:g}", problem.shift,
            precision, shifts);
  GridProblem plain = problem;
  plain.shift = 0;
  if (problem.shift > 0 && problem.shift < 1 / shifts && plain.is_singular())
    throw UsageError(fmt::format("the shift is {:g}, and no face fixes the mean: {} takes {:g} or "
                                 "more, or 0 and a right-hand side that balances",
                                 problem.shift, precision, 1 / shifts));
  for (const auto& [axis, n, spacing] :
       {std::tuple{'x', problem.extents.x, h.x}, std::tuple{'y', problem.extents.y, h.y},
        std::tuple{'z', problem.extents.z, h.z}}) {
    if (n > 1 && (spacing < 1 / most || spacing > most))
      throw UsageError(fmt::format(
          "the spacing along {} is {:g}; {} takes {:g} to {:g}: another unit of length is needed",
          axis, spacing, sizeof(T) == 4 ? "fp32" : "fp64", 1 / most, most));
  }
  return problem;
}

/// What rounding leaves of sums that are 0, of a typical value.
template <class T>
constexpr double rounding_of_means = 1e3 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// Whether a mean is less than what rounding adds to and takes from numbers of such a size.
template <class T>
bool is_nothing(double mean, double typical) {
  return std::abs(mean) <= static_cast<double>(std::numeric_limits<T>::epsilon()) / 4 * typical;
}

/// How ranks share the levels; null where there is one.
template <class T>
std::unique_ptr<SharedLevels<T>> shared_by(comm::Communicator* ranks, Queue& queue,
                                           const GridProblem& problem) {
  if (ranks == nullptr || ranks->ranks() == 1) return nullptr;
  const comm::Grid grid = grid_of_ranks(problem, ranks->ranks());
  const auto& faces = problem.boundaries.faces[2];
  const Index n = finest_axis(problem, 2).points();
  const Index first = faces[0].kind == stencil::Boundary::dirichlet ? 1 : 0;
  std::vector<Index> begins{0};
  for (int r = 0; r < ranks->ranks(); ++r)
    begins.push_back(std::clamp<Index>(grid.owned(r).end.z - first, 0, n));
  return std::make_unique<SharedLevels<T>>(
      *ranks, queue, Slabs(begins, faces[0].kind == stencil::Boundary::periodic));
}

} // namespace

template <class T>
Equations<T>::Equations(Queue& queue, const GridProblem& problem, comm::Communicator* ranks)
    : queue_(queue), problem_(checked<T>(problem)),
      cycle_(queue, problem, shared_by<T>(ranks, queue, problem)) {
  for (int d = 0; d < 3; ++d) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (along(problem_.extents, d) == 1 ||
          problem_.boundaries.faces[static_cast<std::size_t>(d)][side].kind !=
              stencil::Boundary::dirichlet)
        continue;
      along(solved_, d) -= 1;
      if (side == 0) along(first_, d) = 1;
    }
  }
  own_first_ = first_;
  own_ = solved_;
  if (cycle_.shared() != nullptr) share();
  // Parts lie in planes, so that sums have the same bits however planes are shared.
  constexpr Index most_parts = 2048; // all that a large GPU takes at once, twice
  parts_ = std::min(solved_.y, std::max<Index>(1, most_parts / solved_.z));
  sums_ = Field<double>(queue.device(), Extents{2 * parts_ * finest().axes[2].points()}, "norms");
  read_faces({});
  if (problem.order > 2) widen();
}

/// What this rank has of a problem that ranks share.
template <class T>
void Equations<T>::share() {
  const int rank = cycle_.shared()->ranks().rank();
  const comm::Box box = grid_of_ranks(problem_, cycle_.shared()->ranks().ranks()).owned(rank);
  extents_ = box.extents();
  own_first_.z = slab().begin + first_.z - box.begin.z;
  own_.z = slab().owned();
  ahead_ = slab().below() * own_.x * own_.y;
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
    const int points = finest().axes[d].points();
    const bool is_shared = d == 2 && cycle_.shared() != nullptr;
    const int first = is_shared ? static_cast<int>(slab().held_begin) : 0;
    std::vector<int> place;
    std::vector<T> sign;
    std::vector<double> faces(static_cast<std::size_t>(points), 0);
    const std::vector<double>& weights = axis.weights();
    for (int i = -radius; i < points + radius; ++i) {
      const Place p = axis.at(first + i);
      int here = p.point - first;
      if (is_shared && cycle_.axes()[d].is_periodic) { // beyond its ends lie points of others
        for (const int other : {here - axis.points(), here + axis.points()})
          if (std::abs(other - i) < std::abs(here - i)) here = other;
      }
      const bool is_here = here >= 0 && here < points;
      place.push_back(is_here ? here : 0);
      sign.push_back(static_cast<T>(is_here ? p.sign : 0));
    }
    if (!weights.empty()) {
      wide_.weights[d] = keep(as<T>(weights));
      for (int i = 0; i < points; ++i) {
        for (int k = 1; k <= radius; ++k)
          faces[static_cast<std::size_t>(i)] +=
              weights[static_cast<std::size_t>(k)] *
              (axis.at(first + i - k).face + axis.at(first + i + k).face);
      }
    }
    wide_.place[d] = keep(place);
    wide_.sign[d] = keep(sign);
    wide_.faces[d] = keep(as<T>(faces));
  }
}

template <class T>
void Equations<T>::require_extents(Index3 n, const char* what) const {
  if (n == extents_) return;
  throw UsageError(fmt::format("{} has {}x{}x{} points, the problem {}x{}x{}{}", what, n.x, n.y,
                               n.z, extents_.x, extents_.y, extents_.z,
                               cycle_.shared() != nullptr ? " on this rank" : ""));
}

template <class T>
void Equations<T>::set_coefficient(const View<const T>& k) {
  require_extents(k.extents, "the coefficient");
  refuse_if(problem_.order > 2, "a coefficient goes with order 2, not {}", problem_.order);
  require_positive(k);
  cycle_.set_coefficient(k, own_first_, own_);
}

template <class T>
void Equations<T>::mask(const Field<T>& to) {
  if (land_.size().value > 0) give(Masked<T>{to.elements(), span_of<unsigned char>(land_)});
}

template <class T>
void Equations<T>::gather(const View<const T>& from, T scale, bool with_faces, Field<T>& to) {
  Gathered<T> g;
  g.from = from;
  g.first = own_first_;
  g.points = own_;
  g.scale = scale * static_cast<T>(unit_);
  if (with_faces && problem_.order == 2) {
    g.faces = adding_;
    for (auto& sides : g.faces) {
      for (FaceTerm<T>& face : sides)
        face.scale *= static_cast<T>(unit_);
    }
    g.k = finest().a.k;
    if (cycle_.shared() != nullptr && g.k.size != 0) {
      const Index plane = (own_.x + 2) * (own_.y + 2);
      g.k = {g.k.data + slab().below() * plane, (own_.z + 2) * plane};
    }
  }
  g.to = owned(to.elements());
  give(g);
  if (with_faces && problem_.order > 2) {
    Wide<T> w = wide_;
    w.b = to.elements();
    w.out = finest().other.elements();
    give(w);
    copy(to, finest().other);
  }
  if (&to == &finest().u) exchange_u();
  if (&to == &finest().b) exchange_b();
  mask(to);
}

template <class T>
void Equations<T>::exchange_u() {
  if (cycle_.shared() != nullptr) cycle_.shared()->exchange_u(0);
}
template <class T>
void Equations<T>::exchange_b() {
  if (cycle_.shared() != nullptr) cycle_.shared()->exchange_b(0);
}

template <class T>
void Equations<T>::gather_faces(Field<T>& to) {
  const Index3 n = extents_;
  const Field<T> zero(queue_.device(), Extents{n.x, n.y, n.z}, "zeros");
  set_zero(zero);
  gather(View<const T>(zero.view()), 1, true, to);
  queue_.wait();
}

template <class T>
void Equations<T>::scatter(const View<T>& to, double mean) {
  const bool is_at_once = unit_ == 1 && land_.size().value == 0;
  if (!is_at_once) take_off(mean);
  mask(finest().u);
  leave_unit();
  Scattered<T> s;
  s.from = owned(finest().u.elements());
  s.first = own_first_;
  s.points = own_;
  s.faces = on_faces_;
  if (is_at_once) s.less = static_cast<T>(mean);
  s.to = to;
  give(s);
}

template <class T>
std::pair<double, double> Equations<T>::norm(bool of_right_side) {
  Level<T>& level = finest();
  if (!of_right_side && problem_.order > 2) {
    residual(level.u, level.b, level.other);
    return {length(level.other), 0};
  }
  return norm_of(level.b.elements(), of_right_side ? Span<T>() : level.u.elements());
}

template <class T>
std::pair<double, double> Equations<T>::norm_of(const Span<const T>& b, const Span<const T>& u) {
  give(Norms<T>{finest().a, u, b, sums_.elements()});
  const auto [squares, weighted] = read_sums();
  return {std::sqrt(squares), weighted};
}

template <class T>
double Equations<T>::begin_cycle() {
  const Index parts = cycle_.parts();
  if (parts == 0) {
    cycle_.begin(sums_.elements());
    return std::sqrt(read_sums().first);
  }
  if (squares_.count() != parts) squares_ = Field<double>(queue_.device(), Extents{parts}, "norms");
  cycle_.begin(squares_.elements());
  return root_of(squares_);
}

template <class T>
double Equations<T>::root_of(const Field<double>& parts) {
  std::vector<double> all(static_cast<std::size_t>(parts.count()));
  copy_to_host(queue_, all.data(), parts.data(), parts.count());
  queue_.wait();
  double sum = std::accumulate(all.begin(), all.end(), 0.0);
  if (cycle_.shared() != nullptr) { // in one order on all ranks, which have to agree
    const std::vector<double> sums = cycle_.shared()->ranks().gather(sum);
    sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  return std::sqrt(sum);
}

template <class T>
double Equations<T>::residual_norm() {
  if constexpr (std::is_same_v<T, double>) {
    const Level<T>& level = finest();
    if (problem_.order == 2 && level.a.k.size == 0 && cycle_.shared() == nullptr &&
        facts_of(queue_.device()).takes_gpu_schedules) {
      return residual_norm(level.u.elements(), level.b.elements(), 1);
    }
  }
  return norm(false).first;
}
template <class T>
double Equations<T>::residual_norm(const Span<const T>& u, const Span<const T>& b, double number) {
  Corrected c;
  if constexpr (std::is_same_v<T, double>) {
    c.a = finest().a;
    c.u = u;
    c.b = b;
    c.of_right = number;
  }
  return corrected(c);
}

template <class T>
std::optional<double> Equations<T>::ordinary_norm(const Span<const T>& f) {
  constexpr double least = 1e-100;
  const auto [size, weighted] = norm_of(f);
  const double mean = problem_.is_singular() ? std::abs(weighted / volume()) : 0;
  const bool has_mean = mean > rounding_of_means<T> * size / std::sqrt(points());
  if (!(size > least && size < 1 / least) || has_mean) return {};
  return size;
}

template <class T>
double Equations<T>::corrected(Corrected& c) {
  if (corrected_.count() == 0)
    corrected_ = Field<double>(queue_.device(),
                               Extents{corrected_parts(finest().u.extents().xyz())}, "norms");
  c.squares = corrected_.elements();
  c.counts_from = static_cast<int>(ahead_ / (own_.x * own_.y));
  c.counts_to = c.counts_from + static_cast<int>(own_.z);
  give(c);
  return root_of(corrected_);
}

template <class T>
double Equations<T>::length(const Field<T>& b) {
  return norm_of(b.elements()).first;
}

template <class T>
double Equations<T>::backward_error(const Field<T>& u, const Field<T>& b) {
  Level<T>& level = finest();
  residual(u, b, level.other);
  const double left = length(level.other);
  if (problem_.order > 2) {
    double row = problem_.shift; // the sum of a row of |A|
    for (int d = 0; d < 3; ++d) {
      const std::vector<double> weights = Continued(problem_, d).weights();
      for (std::size_t i = 0; i < weights.size(); ++i)
        row += (i == 0 ? 1 : 2) * std::abs(weights[i]);
    }
    return left / (row * length(u) + length(b));
  }
  give(Magnified<T>{level.a, u.elements(), b.elements(), level.other.elements()});
  return left / length(level.other);
}

/// Of all parts, plane after plane.
template <class T>
std::pair<double, double> Equations<T>::read_sums() {
  const Index plane = 2 * parts_;
  std::vector<double> sums(static_cast<std::size_t>(own_.z * plane));
  const Index below = cycle_.shared() != nullptr ? slab().below() : 0;
  copy_to_host(queue_, sums.data(), sums_.data() + below * plane, own_.z * plane);
  queue_.wait();
  if (cycle_.shared() != nullptr) sums = of_all_planes(sums, plane);
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
    w.u = u.elements();
    w.out = out.elements();
    give(w);
    return;
  }
  give(Applied<T>{finest().a, u.elements(), out.elements()});
}

template <class T>
void Equations<T>::residual(const Field<T>& u, const Field<T>& b, const Field<T>& out) {
  if (problem_.order > 2) {
    Wide<T> w = wide_;
    w.faces = {};
    w.u = u.elements();
    w.b = b.elements();
    w.out = out.elements();
    give(w);
    return;
  }
  give(Residual<T>{finest().a, u.elements(), b.elements(), out.elements()});
}

template <class T>
void Equations<T>::defect(const Field<T>& u, const Field<T>& b, const Field<T>& out) {
  if (problem_.order > 2) return residual(u, b, out);
  give(Defect<T>{finest().a, u.elements(), b.elements(), out.elements()});
}

template <class T>
void Equations<T>::combine(const Field<T>& to, const Field<T>& other, double number,
                           double other_number) {
  give(Combined<T>{to.elements(), other.elements(), static_cast<T>(number),
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
  for (const Axis& axis : cycle_.axes()) {
    double along = 0;
    for (const double v : axis.volume)
      along += v;
    all *= along;
  }
  return all - land_volume_;
}

template <class T>
typename Equations<T>::Balanced Equations<T>::balance(bool projects, const std::string& option) {
  if (!problem_.is_singular()) return {0, norm(true).first};
  const auto [size, weighted] = norm(true);
  const double mean = weighted / volume();
  const double typical = size / std::sqrt(points());
  refuse_if(std::abs(mean) > rounding_of_means<T> * typical && !projects,
            "with no value at any face a solution exists only where the right-hand side balances "
            "what comes in through the faces; its mean is {:.6g} too large ({} removes it)",
            -mean, option);
  if (is_nothing<T>(mean, typical)) return {0, size};
  give(Shifted<T>{finest().b.elements(), static_cast<T>(-mean)});
  mask(finest().b);
  return {-mean, norm(true).first};
}

template <class T>
double Equations<T>::mean_of_u() {
  if (!problem_.is_singular()) return 0;
  Level<T>& level = finest();
  mask(level.u);
  const auto [size, weighted] = norm_of(level.u.elements());
  const double mean = weighted / volume();
  return is_nothing<T>(mean, size / std::sqrt(points())) ? 0 : mean;
}

template <class T>
void Equations<T>::take_off(double mean) {
  if (mean == 0) return;
  give(Shifted<T>{finest().u.elements(), static_cast<T>(-mean)});
  mask(finest().u);
}

template class Equations<float>;
template class Equations<double>;

} // namespace ridge::solve::detail
