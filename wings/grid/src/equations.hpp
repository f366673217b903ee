// The equations of a GridProblem on the points that are solved for: the finest level of a cycle,
// with what faces add, norms, and the mean that no condition fixes.
#pragma once

#include "cycle.hpp"
#include "mask.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ridge::solve::detail {

template <class T>
class Equations {
public:
  /// `ranks`: several that share the problem; null: this one has all of it.
  Equations(Queue& queue, const GridProblem& problem, comm::Communicator* ranks = nullptr);

  [[nodiscard]] Queue& queue() const { return queue_; }
  [[nodiscard]] const GridProblem& problem() const { return problem_; }
  [[nodiscard]] Cycle<T>& cycle() { return cycle_; }
  [[nodiscard]] const Cycle<T>& cycle() const { return cycle_; }
  [[nodiscard]] Level<T>& finest() { return cycle_.finest(); }
  [[nodiscard]] const Level<T>& finest() const { return cycle_.finest(); }
  /// Points of fields that this rank has, and points that are solved for, of all ranks.
  [[nodiscard]] Index3 extents() const { return extents_; }
  [[nodiscard]] double points() const {
    return static_cast<double>(solved_.x * solved_.y * solved_.z);
  }

  void require_extents(Index3 n, const char* what) const;
  /// Throws UsageError that names the first point where it is not positive.
  void set_coefficient(const View<const T>& k);

  /// Points where `mask` is not 0 are not solved for, and nothing flows into them; `k` as
  /// set_coefficient takes it, or 1 where it is null.
  void set_mask(const View<const T>& mask, const View<const T>* k);
  /// Sets u or b to 0 where a mask says so.
  void mask(const Field<T>& to);

  /// A power of two that the user's f, what faces add and u are multiplied by here, and divided by
  /// in `scatter`: 1, or what brings the norm of the right-hand side, whose squares are no numbers,
  /// close to 1. Chooses it for a norm of 1; whether it is another.
  [[nodiscard]] bool choose_unit(const View<const T>& f, double size);
  void set_unit(double unit) { unit_ = unit; }
  [[nodiscard]] double unit() const { return unit_; }
  /// `to` = scale times the points of the user's field that are solved for, and what faces add; of
  /// other ranks, too, where they share it.
  void gather(const View<const T>& from, T scale, bool with_faces, Field<T>& to);
  /// What faces add, alone.
  void gather_faces(Field<T>& to);
  /// The user's field from u of the finest level less its mean, with the values of faces. Leaves
  /// any u.
  void scatter(const View<T>& to, double mean = 0);

  /// The norm of b - A u on the finest level, or of b, and the sum of the same weighted by volumes.
  [[nodiscard]] std::pair<double, double> norm(bool of_right_side);
  /// Both of any b and u, or of b alone.
  [[nodiscard]] std::pair<double, double> norm_of(const Span<const T>& b,
                                                  const Span<const T>& u = {});
  /// The norm of b - A u, by the quickest pass that there is: in another order of sums.
  [[nodiscard]] double residual_norm();
  /// |number b - A u|, on GPUs without a coefficient, to order 2 and on one rank.
  [[nodiscard]] double residual_norm(const Span<const T>& u, const Span<const T>& b, double number);
  /// |f|, where f is a right-hand side as it is: of ordinary size, and with no mean where nothing
  /// fixes the solution's.
  [[nodiscard]] std::optional<double> ordinary_norm(const Span<const T>& f);
  /// Gives this pass, and returns the norm that it leaves, of all ranks; what it counts and where
  /// to is set here.
  double corrected(Corrected& c);
  /// The norm of such an array.
  [[nodiscard]] double length(const Field<T>& b);
  /// The norm of b - A u over that of |A| |u| + |b|.
  [[nodiscard]] double backward_error(const Field<T>& u, const Field<T>& b);
  /// Throws UsageError where the norm of b, which is `size`, says too little: squares that are
  /// added up leave the range of numbers. 0 is that of zeros alone.
  void require_measurable(double size, const Field<T>& b);
  /// Begins a cycle with the norm of b - A u, which costs next to nothing where `counts` says so;
  /// the cycle's `finish` makes u better.
  [[nodiscard]] double begin_cycle();
  [[nodiscard]] bool counts(bool reproducible) const {
    return problem_.order == 2 && cycle_.counts(reproducible);
  }
  /// The sum of x y weighted by volumes, in which A is symmetric.
  [[nodiscard]] double product(const Span<const T>& x, const Span<const T>& y);
  /// out = A u.
  void apply(const Field<T>& u, const Field<T>& out);
  /// out = b - A u.
  void residual(const Field<T>& u, const Field<T>& b, const Field<T>& out);
  /// The same without rounding but for that of its result, where the order is 2.
  void defect(const Field<T>& u, const Field<T>& b, const Field<T>& out);
  /// to = number to + other_number other.
  void combine(const Field<T>& to, const Field<T>& other, double number, double other_number);
  void copy(const Field<T>& to, const Field<T>& from);
  void set_zero(const Field<T>& to);
  /// Brings what ranks need of each other of the finest level, once it has changed.
  void exchange_u();
  void exchange_b();

  /// What was taken off b, and its norm then.
  struct Balanced {
    double removed, norm;
  };
  /// Where no condition fixes the mean: takes b's off, which is 0 but for rounding unless
  /// `projects`; throws UsageError that says what it is and names
  /// the `option` that projects.
  Balanced balance(bool projects, const std::string& option = "project");
  /// 0 where a condition fixes it, or where it is of rounding.
  [[nodiscard]] double mean_of_u();
  /// Takes the mean off u.
  void take_off(double mean);
  void remove_mean() { take_off(mean_of_u()); }

  template <class Pass>
  void give(const Pass& pass) {
    detail::give(queue_, pass);
  }

private:
  /// Takes u of the finest level back. Throws UsageError where it is no number there.
  void leave_unit();
  void read_faces(const std::vector<T>& mask);
  [[nodiscard]] std::vector<T> values_on(std::size_t d, std::size_t side,
                                         const std::vector<T>& mask) const;
  void widen();
  [[nodiscard]] std::pair<double, double> read_sums();
  [[nodiscard]] double root_of(const Field<double>& parts);
  template <class V>
  [[nodiscard]] std::vector<V> of_all_planes(const std::vector<V>& mine, Index plane) const;
  void share();
  [[nodiscard]] std::vector<Role> roles_of(const std::vector<T>& mask) const;
  std::vector<unsigned char> keep_land(const std::vector<Role>& roles);
  [[nodiscard]] const Slab& slab() const { return cycle_.shared()->mine(0); }
  /// What this rank owns of an array of the finest level.
  template <class V>
  [[nodiscard]] Span<V> owned(const Span<V>& all) const {
    return {all.data + ahead_, own_.x * own_.y * own_.z};
  }
  [[nodiscard]] double volume();
  [[nodiscard]] std::vector<T> on_host(const View<const T>& field);
  void require_positive(const View<const T>& k, const std::vector<T>* mask = nullptr);

  Queue& queue_;
  GridProblem problem_;
  Cycle<T> cycle_;
  Field<double> sums_, squares_, corrected_;
  Index parts_ = 1; ///< of sums, a plane
  Index3 first_{0, 0, 0}, solved_ = problem_.extents;
  // What this rank has: of fields, the first point that is solved for in them, and its points of
  // levels, which begin so many elements into arrays.
  Index3 extents_ = problem_.extents, own_first_, own_;
  Index ahead_ = 0;
  std::array<std::array<FaceTerm<T>, 2>, 3> on_faces_, adding_;
  std::vector<Memory> face_values_;
  double unit_ = 1;
  Memory land_; ///< of the points that are solved for; empty without a mask
  double land_volume_ = 0;
  Wide<T> wide_; ///< of higher order
  std::vector<Memory> wide_tables_;
};

/// The power of two that brings a right-hand side of this norm close to 1, where squares leave the
/// range of numbers; else 1. `size_at(unit)`: its norm in that unit.
template <class T, class SizeAt>
double unit_of_size(double size, const SizeAt& size_at) {
  constexpr double least = sizeof(T) == 8 ? 1e-140 : 1e-25; // residuals are smaller by ten orders
  constexpr double most = sizeof(T) == 8 ? 1e150 : 1e25;
  constexpr int far = sizeof(T) == 8 ? 600 : 60; // what is beyond these comes between them
  if ((size >= least && size <= most) || std::isnan(size)) return 1;
  const double first = std::ldexp(1.0, size < least ? far : -far);
  const double moved = size_at(first);
  return moved > 0 && std::isfinite(moved) ? std::ldexp(first, -std::ilogb(moved)) : 1;
}

/// What ranks have of the planes that they own, so many numbers a plane.
template <class T>
template <class V>
std::vector<V> Equations<T>::of_all_planes(const std::vector<V>& mine, Index plane) const {
  const Slabs& slabs = cycle_.shared()->slabs(0);
  comm::Communicator& ranks = cycle_.shared()->ranks();
  Index most = 0;
  for (int r = 0; r < slabs.ranks(); ++r)
    most = std::max(most, slabs[r].owned() * plane);
  std::vector<V> sent = mine;
  sent.resize(static_cast<std::size_t>(most));
  std::vector<V> all(static_cast<std::size_t>(most * slabs.ranks()));
  ranks.all_gather(sent.data(), sent.size() * sizeof(V), all.data());
  std::vector<V> packed;
  for (int r = 0; r < slabs.ranks(); ++r) {
    const auto from = all.begin() + r * most;
    packed.insert(packed.end(), from, from + slabs[r].owned() * plane);
  }
  return packed;
}

} // namespace ridge::solve::detail
