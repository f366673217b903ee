// Expressions and site loops of the tests, compiled once per device kind.
#pragma once

#include <ridge/lattice/field.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <vector>

namespace ridge::lattice::test {

template <class T>
struct Fields {
  Field<ColourMatrix<T>> u, v, w;
  Field<ColourVector<T>> x, y, z;
  Field<Spinor<T>> psi, chi;
  Field<Propagator<T>> p, q, r;
  Field<Complex<T>> c;
  Field<T> s;
};

/// Expressions by number; each stores into one field.
template <class T, class Target>
struct Algebra {
  static void run(int which, Queue& queue, Fields<T>& f, Subset subset,
                  const std::optional<Schedule>& schedule);
  /// z = u x with the link from the site before along d: a site loop.
  static void transport(Queue& queue, Fields<T>& f, int d, const std::optional<Schedule>& schedule);
  /// Reductions of expressions by number: the reals of the result.
  static std::vector<double> reduced(int which, Queue& queue, const Fields<T>& f, Subset subset,
                                     const std::optional<Schedule>& schedule);
  /// Reproducible reductions of expressions by number: the reals of the result.
  static std::vector<double> reproduced(int which, Queue& queue, const Fields<T>& f, Subset subset,
                                        const std::optional<Schedule>& schedule);
};
inline constexpr int expressions = 14;
inline constexpr int reductions = 8;
inline constexpr int reproducible_reductions = 4;

} // namespace ridge::lattice::test
