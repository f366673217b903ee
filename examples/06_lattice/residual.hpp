#pragma once

#include <ridge/lattice.hpp>
#include <ridge/lattice/site_call.hpp>

#include <utility>

using Matrices = ridge::lattice::Field<ridge::lattice::ColourMatrix<double>>;
using Vectors = ridge::lattice::Field<ridge::lattice::ColourVector<double>>;

/// An expression of fields. Its type is named, so that residual.cpp can compile it for each kind of
/// device.
inline auto residual(const Matrices& u, const Vectors& x, const Vectors& b) {
  return b - adj(u) * x;
}
using Residual = decltype(residual(std::declval<const Matrices&>(), std::declval<const Vectors&>(),
                                   std::declval<const Vectors&>()));
