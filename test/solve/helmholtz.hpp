// A positive operator on periodic lattices: (mass + 2 d) x less the sum of all neighbours.
#pragma once

#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/field.hpp>
#include <ridge/lattice/site_call.hpp>

namespace ridge::solve::test {

template <class T>
auto helmholtz(const lattice::Field<T>& x, double diagonal) {
  return diagonal * x - (shift(x, 0, 1) + shift(x, 0, -1)) - (shift(x, 1, 1) + shift(x, 1, -1));
}
template <class T>
using Helmholtz = decltype(helmholtz(std::declval<const lattice::Field<T>&>(), 1.0));

} // namespace ridge::solve::test
