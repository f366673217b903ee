// The expression of the lab: the residual b - adj(u) x of colour vectors and matrices.
#pragma once

#include <ridge/lattice/field.hpp>
#include <ridge/lattice/reduce.hpp>

namespace ridge::lab {

template <class T>
struct ResidualFields {
  lattice::Field<lattice::ColourMatrix<T>> u;
  lattice::Field<lattice::ColourVector<T>> x, b;
};

/// Compiled once per device kind.
template <class T, class Target>
struct Residual {
  /// norm2 of the residual, into `result`.
  static void norm2(Queue& queue, const ResidualFields<T>& f, lattice::DeviceResult<double>& result,
                    bool reproducible, const std::optional<lattice::Schedule>& schedule);
  /// z = the residual.
  static void store(Queue& queue, const ResidualFields<T>& f,
                    lattice::Field<lattice::ColourVector<T>>& z);
};

} // namespace ridge::lab
