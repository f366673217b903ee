// Halo exchange: the points around what a rank owns, from the ranks that own them.
//
//   ridge::comm::Exchange exchange(communicator, queue, grid, {{memory_of(view), origin, reach}});
//   exchange.begin();    // work that reads no halo may be given to the queue now
//   exchange.finish();   // and here what does
//
// ridge/comm/transfer.hpp says how work on the halos runs beside the rest of it, too.
#pragma once

#include <ridge/comm/copy_boxes.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/comm/transfer.hpp>

#include <vector>

namespace ridge::comm {

/// A field of any kind, padded by halos: its memory, and what is needed around the points owned.
struct PaddedField {
  FieldMemory memory;
  Index3 origin; ///< of the memory's first point, in coordinates of the whole field
  Reach reach;
};

/// An exchange of fields, bound once. Its messages travel on a queue of their own; boxes that lie
/// in one piece of memory are sent from where they are and received there. Collective; begin and
/// finish too.
class Exchange : public Transfer {
public:
  /// The queue and the fields must outlive it. Throws UsageError where a field does not hold the
  /// points that its reach asks for.
  Exchange(Communicator& communicator, Queue& queue, const Grid& grid,
           const std::vector<PaddedField>& fields);
};

} // namespace ridge::comm
