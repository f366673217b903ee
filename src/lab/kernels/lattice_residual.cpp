// Compiled once per device kind.
#include <ridge/lab/lattice_residual.hpp>
#include <ridge/lattice/evaluate.hpp>
#include <ridge/lattice/reduce_expression.hpp>

namespace ridge::lab {

template <class T, class Target>
void Residual<T, Target>::norm2(Queue& queue, const ResidualFields<T>& f,
                                lattice::DeviceResult<double>& result, bool reproducible,
                                const std::optional<lattice::Schedule>& schedule) {
  const auto residual = f.b - adj(f.u) * f.x;
  if (reproducible) {
    lattice::norm2<Target>(queue, lattice::reproducible(residual), result, lattice::Subset::all,
                           schedule);
  } else {
    lattice::norm2<Target>(queue, residual, result, lattice::Subset::all, schedule);
  }
}

template <class T, class Target>
void Residual<T, Target>::store(Queue& queue, const ResidualFields<T>& f,
                                lattice::Field<lattice::ColourVector<T>>& z) {
  lattice::assign<Target>(queue, z, f.b - adj(f.u) * f.x);
}

template struct Residual<float, Here>;
template struct Residual<double, Here>;

} // namespace ridge::lab
