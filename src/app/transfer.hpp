// Moving whole datasets between files and a device, with progress, and heeding Ctrl-C.
#pragma once

#include <ridge/device/queue.hpp>

#include "hdf5_input.hpp"
#include "hdf5_output.hpp"

#include <functional>
#include <vector>

namespace ridge::app {

/// What of the data is not a finite number.
struct NotFinite {
  Index nan = 0, infinite = 0;
  Index first = 0; ///< index of the first in the packed dataset
  [[nodiscard]] Index count() const { return nan + infinite; }
};

/// Reads all of `input` to packed device memory at `to`. Throws Failure, or Interrupted.
[[nodiscard]] NotFinite read_to_device(const InputDataset& input, Queue& queue, void* to);

/// The same of some pieces, which lie in `to` where they say; `first` counts there, too.
[[nodiscard]] NotFinite read_to_device(const InputDataset& input, const std::vector<Piece>& pieces,
                                       Queue& queue, void* to);

/// Gives a piece in memory of the host, until it is called again.
using BringPiece = std::function<const void*(const Piece&)>;
/// Writes all pieces of a dataset of the type and shape of `input`; as write_from_device.
void write_pieces(OutputDataset& output, const InputDataset& input, const BringPiece& bring,
                  NotFinite* found, bool heed);

/// Writes all of packed device memory at `from`, which has the type and shape of `input`; counts in
/// `found`, where it is asked for, what is not finite. Throws Failure, or Interrupted, unless it
/// does not `heed` that: what is written because the user asked to stop must be written to the end.
void write_from_device(OutputDataset& output, const InputDataset& input, Queue& queue,
                       const void* from, NotFinite* found = nullptr, bool heed = true);

} // namespace ridge::app
