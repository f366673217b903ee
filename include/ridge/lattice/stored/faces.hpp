// Faces of stored fields, packed and unpacked on the field's device.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/lattice/stored/grid.hpp>
#include <ridge/launch/bound.hpp>

namespace ridge::lattice {

/// Two sides of each dimension.
inline constexpr int most_stored_faces = 2 * grid_dimensions;

/// A face and where it lies in the buffer, in elements.
struct StoredFace {
  SiteWindow sites;
  Index buffer = 0;
};

/// Faces of a field to one piece of memory, or back. T is a word of an element's bytes. A face is
/// packed by as many elements of a value as lie together in the field: those of all its values,
/// then the next ones.
template <class T>
struct StoredCopies {
  Span<T> field, buffer;
  SiteGrid grid;
  int lanes = 1, elements = 1, words = 1;
  int values = 1; ///< of a site
  int chunk = 1;  ///< elements that lie together
  bool to_field = false;
  int count = 0;
  StoredFace boxes[most_stored_faces];
};

/// Names what each kind's module offers: `Bound(Queue&, const StoredCopies<T>&)`.
template <class T>
struct StoredCopier;

} // namespace ridge::lattice
