// Exchange of stored fields: each rank keeps its neighbours' sites, brought from those that own
// them.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/lattice/stored/faces.hpp>
#include <ridge/lattice/stored/part.hpp>

#include <vector>

namespace ridge::lattice {

/// Memory of a stored field, as exchanges see it, and what of it is sent.
struct StoredMemory {
  void* data = nullptr;
  Index size = 0; ///< elements
  int element_bytes = 8;
  int lanes = 1;               ///< of a group
  int elements = 1, words = 1; ///< of a value, without and with its scale
  bool inner = true;           ///< a value for each of the fifth dimension
  /// Sites below and above that are read along each dimension; all has count 0. Those of a field
  /// have one count. They are not made of numbers of 16 bits, which are sent as they are.
  StoredSums sums[grid_dimensions][2] = {};

  template <class Site, class Number, int Reals>
  static StoredMemory of(const StoredView<Site, Number, Reals>& view) {
    using Code = typename StoredView<Site, Number, Reals>::Code;
    return {const_cast<void*>(static_cast<const void*>(view.elements.data)),
            view.elements.size,
            sizeof(typename Code::Element),
            view.lanes,
            Code::elements,
            Code::words,
            Code::inner};
  }
};

/// An exchange of fields on one grid, bound once. Messages travel on a queue of their own.
/// Collective; begin and finish too.
class StoredExchange : public comm::Transfer {
public:
  /// Queue and fields must outlive it. Where the carrier is `peer`, faces are stored in the layers
  /// of neighbours' fields: sums of one field, and not along x, where sites of a face lie alone.
  StoredExchange(const comm::Endpoint& at, const StoredPart& part, const SiteGrid& grid,
                 const std::vector<StoredMemory>& fields);
  StoredExchange(comm::Communicator& ranks, Queue& queue, const StoredPart& part,
                 const SiteGrid& grid, const std::vector<StoredMemory>& fields);
};

} // namespace ridge::lattice
