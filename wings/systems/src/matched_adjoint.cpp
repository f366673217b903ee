#include "matched_adjoint.hpp"

#include <ridge/comm/grid.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace ridge::chain {

std::vector<TransposedBy> transposed_by(const SystemKernel& kernel, const SystemAdjoint& adjoint) {
  const Description& forward = kernel.of_double;
  const Description& backward = adjoint.kernel.of_double;
  const int given = static_cast<int>(adjoint.derivatives.size());
  std::vector<TransposedBy> made;
  TransposedBy next{forward.last(), {}};
  for (int k = 0; k <= backward.last(); ++k) {
    const OperationInfo& op = backward.operations[static_cast<std::size_t>(k)];
    bool computes_again = false;
    bool spreads = false;
    for (int a = 0; a < given; ++a) {
      computes_again = computes_again || op.writes(a);
      spreads = spreads ||
                (kernel.is_state(a) && op.writes(adjoint.derivatives[static_cast<std::size_t>(a)]));
    }
    if (computes_again) continue;
    next.by.push_back(k);
    if (!spreads) continue;
    made.push_back(std::exchange(next, {next.operation - 1, {}}));
  }
  return made;
}

ArrayLayout derivative_layout(const Description& adjoint, int array, const Index3& extents) {
  Description wide = adjoint;
  for (int d = 0; d < 3; ++d) {
    if (comm::along(extents, d) > 1) wide.dimensions[static_cast<std::size_t>(d)].beyond *= 2;
  }
  return layout_of(wide, array, extents);
}

int shared_by(const SystemSetup& setup, const MatchedFace& face) {
  const bool divided = setup.part && comm::along(setup.part->grid.ranks(), face.axis) > 1;
  return 2 * face.axis + (divided ? face.side : 0);
}

Bytes matched_adjoint_memory(const SystemKernel& kernel, const SystemSetup& setup,
                             const SystemAdjoint& adjoint) {
  const Description& backward = adjoint.kernel.description(setup.element_bytes);
  const Description& forward = kernel.description(setup.element_bytes);
  Index elements = 0;
  std::array<std::set<int>, 6> shared;
  for (const MatchedFace& face : matched_faces_back(kernel, setup, backward)) {
    if (face.points() == 0) continue;
    std::set<int>& of_axis = shared[static_cast<std::size_t>(shared_by(setup, face))];
    const OperationInfo& op = forward.operations[static_cast<std::size_t>(face.operation)];
    for (int a = static_cast<int>(adjoint.derivatives.size());
         a < static_cast<int>(backward.arrays.size()); ++a) {
      const auto by = std::find(adjoint.derivatives.begin(), adjoint.derivatives.end(), a);
      const auto of = static_cast<int>(by - adjoint.derivatives.begin());
      const bool is_own = by == adjoint.derivatives.end();
      if (!is_own && !op.writes(of)) continue;
      const bool takes =
          !is_own && std::find(face.arrays.begin(), face.arrays.end(), of) != face.arrays.end();
      if (takes || of_axis.insert(a).second)
        elements += derivative_layout(backward, a, face.extents).elements;
    }
  }
  return Bytes{elements * setup.element_bytes};
}

} // namespace ridge::chain
