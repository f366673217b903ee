// Layers that are matched to what they absorb, without what they send back but for what the wall
// behind them does: convolutional ones (J. A. Roden, S. D. Gedney, Microwave Opt. Technol. Lett.
// 27, 2000; D. Komatitsch, R. Martin, Geophysics 72, 2007), whose kappa is 1.
//
// A derivative along the axis of a face becomes itself plus psi, where psi <- b psi + a times it.
// Operations are linear in derivatives, and the medium does not change: the operation's
// share with the spacings of the other axes infinite is remembered in place of the derivative.
#pragma once

#include <ridge/chain/system/system.hpp>

#include <array>
#include <vector>

namespace ridge::chain {

/// The memory of one operation in the layer before one face.
struct MatchedFace {
  int operation = 0, axis = 0, side = 0;
  Index3 begin, extents;   ///< items of this rank
  std::vector<int> arrays; ///< that it writes with derivatives along the axis

  [[nodiscard]] Index points() const { return extents.x * extents.y * extents.z; }
};

/// In the order of operations. Empty where no layers are matched; throws UsageError for a system
/// that none are known for.
[[nodiscard]] std::vector<MatchedFace> matched_faces(const SystemKernel& kernel,
                                                     const SystemSetup& setup);
/// For the way back: all ranks have the same faces, and faces with the items further inside to
/// which transposed operations add. A rank may have no item of some.
[[nodiscard]] std::vector<MatchedFace> matched_faces_back(const SystemKernel& kernel,
                                                          const SystemSetup& setup,
                                                          const Description& adjoint);
/// Such a face in the whole range, without ends along the other axes.
[[nodiscard]] comm::Box box_of_face(const SystemSetup& setup, const Description& adjoint,
                                    const MatchedFace& face);

/// b and a for the points of an array in a layer.
[[nodiscard]] std::array<std::vector<double>, 2> memory_factors(const SystemKernel& kernel,
                                                                const SystemSetup& setup,
                                                                const MatchedFace& face, int array);

/// The step of an operation in a layer, without arrays: with derivatives along the axis alone.
[[nodiscard]] SystemStep step_along(const SystemSetup& setup, const MatchedFace& face);

/// Bytes that layers remember between steps, and what steps need beside them.
struct MatchedMemory {
  Bytes kept, beside;
};
[[nodiscard]] MatchedMemory matched_memory(const SystemKernel& kernel, const SystemSetup& setup);

} // namespace ridge::chain
