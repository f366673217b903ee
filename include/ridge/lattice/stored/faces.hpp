// Faces of stored fields, packed and unpacked on the field's device.
#pragma once

#include <ridge/device/view.hpp>
#include <ridge/lattice/stored/grid.hpp>
#include <ridge/launch/bound.hpp>

namespace ridge::lattice {

/// Two sides of each dimension.
inline constexpr int most_stored_faces = 2 * grid_dimensions;

/// Numbers of a value of which a kernel reads but as many sums across a face: number e of those
/// sent is x[e] + x[other[e] - 1], or x[e] - x[-other[e] - 1], or x[e] where other[e] is 0.
struct StoredSums {
  static constexpr int most = 12;
  int count = 0; ///< half of the value's numbers; 0: all numbers are sent
  signed char other[most] = {};
};

/// A face and where it lies in the buffer, in elements.
struct StoredFace {
  SiteWindow sites;
  int extent[grid_dimensions] = {1, 1, 1, 1}; ///< of the grid
  Index buffer = 0;
  StoredSums sums;
};

/// Faces of a field to one piece of memory, or back. T is a word of an element's bytes. A face is
/// packed by as many elements of a value as lie together in the field: those of all its values,
/// then the next ones. Sums come back as a value whose other half is 0, of which they are the sums.
template <class T>
struct StoredCopies {
  Span<T> field, buffer;
  SiteGrid grid;
  int lanes = 1, words = 1;              ///< of the field
  int sent_elements = 1, sent_words = 1; ///< of a value, without and with its scale
  bool sums = false;                     ///< numbers of T's size; a half is whole chunks
  int values = 1;                        ///< of a site
  int chunk = 1;                         ///< elements that lie together
  bool to_field = false;
  int count = 0;
  StoredFace boxes[most_stored_faces];
};

/// Names what each kind's module offers: `Bound(Queue&, const StoredCopies<T>&)`.
template <class T>
struct StoredCopier;

/// Where a face comes to lie without being packed: in the layer of a neighbour's field.
struct StoredLanding {
  int begin[grid_dimensions] = {};            ///< its first site
  int extent[grid_dimensions] = {1, 1, 1, 1}; ///< of the neighbour's grid
  Index size = 0;                             ///< elements of the neighbour's field
  int own[grid_dimensions] = {};              ///< the first site of the layer here that it is of
};

/// Faces of a field straight to neighbours' fields. Message number m of the launch is box m, and
/// `to` of it where the neighbour's field begins. The other halves of sums become 0 where they are
/// received.
template <class T>
struct StoredPushes {
  StoredCopies<T> copies; ///< without a buffer
  StoredLanding landings[most_stored_faces];
};

/// Names what modules of kinds that write to peers offer:
/// `Bound(Queue&, const comm::PushCall&, const StoredPushes<T>&)`.
template <class T>
struct StoredPusher;

} // namespace ridge::lattice
