// Small fields of `ridge evolve` on the host: values on faces, friction of absorbing layers.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/stencil/boundary.hpp>

#include "hdf5_input.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace ridge::app {

/// A whole dataset as doubles, packed.
[[nodiscard]] std::vector<double> read_all(const InputDataset& input);

/// Reads the fields that Dirichlet conditions name. Throws UsageError for one of other extents than
/// its face, or with values that are not finite.
void read_face_fields(stencil::Boundaries& boundaries, const Extents& extents);

/// Lets k G flow in through faces of neumann:G, with k of the face's own point, where a kernel
/// continues k evenly and takes the mean of two points between them.
void let_k_flow_in(stencil::Boundaries& boundaries, const InputDataset& k);

/// Faces by axis and side.
using Faces = std::array<std::array<bool, 2>, 3>;
/// Reads "x,y-,z+" and "all". Throws UsageError.
[[nodiscard]] Faces parse_faces(std::string_view text, int rank);

/// Throws UsageError for absorbing layers of no points, or of so many that no point of an axis lies
/// outside them; it says how many fit.
void require_layers(const Faces& faces, Index width, const Index3& extents);

/// a = 1 / (1 + s dt / 2) of AbsorbedWave, packed: s grows with the square of the depth in a layer
/// of `width` points, to what leaves 1e-3 of the amplitude of a wave on its way in and out.
struct Friction {
  Faces faces;
  Index width;
  Extents extents;
  stencil::Spacing spacing;
  double speed, dt;
  /// Of a box of the field.
  [[nodiscard]] std::vector<double> within(const comm::Box& box) const;
};

} // namespace ridge::app
