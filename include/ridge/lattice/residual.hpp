// The residual b - adj(u) x of colour vectors and matrices: an expression that the lab measures.
#pragma once

#include <ridge/lattice/site_call.hpp>

namespace ridge::lattice {

template <class T>
struct ResidualFields {
  Field<ColourMatrix<T>> u;
  Field<ColourVector<T>> x, b;
};

template <class T>
[[nodiscard]] auto residual(const ResidualFields<T>& f) {
  return f.b - adj(f.u) * f.x;
}

template <class T>
using Residual = decltype(residual(std::declval<const ResidualFields<T>&>()));
/// The residual whose norm2 is summed; with one set of bits on every device where `Exact`.
template <class T, bool Exact>
using ResidualNorm2 = detail::Summand<Norm2, Exact, Residual<T>>;

} // namespace ridge::lattice
