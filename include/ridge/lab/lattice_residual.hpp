// The expression of the lab: the residual b - adj(u) x of colour vectors and matrices.
#pragma once

#include <ridge/lattice/site_call.hpp>

namespace ridge::lab {

template <class T>
struct ResidualFields {
  lattice::Field<lattice::ColourMatrix<T>> u;
  lattice::Field<lattice::ColourVector<T>> x, b;
};

template <class T>
[[nodiscard]] auto residual(const ResidualFields<T>& f) {
  return f.b - adj(f.u) * f.x;
}

template <class T>
using Residual = decltype(residual(std::declval<const ResidualFields<T>&>()));
/// The residual whose norm2 is summed; with one set of bits on every device where `Exact`.
template <class T, bool Exact>
using ResidualNorm2 = lattice::detail::Summand<lattice::Norm2, Exact, Residual<T>>;

} // namespace ridge::lab
