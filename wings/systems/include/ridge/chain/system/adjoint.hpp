// Adjoints of systems: the transpose of one step, as a chain.
//
// Its first arrays are the system's, in their order; the derivative of a loss by each of them is an
// array of its own, and others are memory. Operations that change arrays of the system compute what
// the step had in between; those that change derivatives by arrays that steps change add to points
// beyond faces, too. Their driver sets the system's faces before an operation reads them, and
// adds what is beyond the faces of derivatives to the points that are shown there.
#pragma once

#include <ridge/chain/system/kernel.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::chain {

struct SystemAdjoint {
  SystemKernel kernel;
  std::vector<int> derivatives; ///< their numbers, by the system's arrays
  /// Memory with what an item says of the medium of its neighbours: along a dimension of one item
  /// these are the item itself.
  std::vector<int> of_neighbours;
};

/// The adjoint of a chain that says `derivatives`, and perhaps `of_neighbours`.
template <class C>
[[nodiscard]] SystemAdjoint system_adjoint(const std::string& name, const C& chain) {
  SystemAdjoint made{system_kernel(name, chain), {}, {}};
  made.derivatives.assign(C::derivatives.begin(), C::derivatives.end());
  if constexpr (requires { C::of_neighbours; })
    made.of_neighbours.assign(C::of_neighbours.begin(), C::of_neighbours.end());
  return made;
}

/// Makes a system's adjoint known.
void know_adjoint(std::string_view system, std::function<SystemAdjoint()> make);
/// Throws UsageError for a system that has none, and names those that have one.
[[nodiscard]] SystemAdjoint adjoint_of(std::string_view system);

} // namespace ridge::chain
