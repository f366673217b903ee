#include "transfer.hpp"

#include <ridge/device/field.hpp>

#include "interrupt.hpp"
#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ridge::app {

namespace {

template <class T>
void count_not_finite(const T* values, const Piece& piece, NotFinite& found) {
  const auto finite = [](T v) { return std::isfinite(v); };
  const auto odd = std::count_if(values, values + piece.elements, std::not_fn(finite));
  if (odd == 0) return; // the common case, which vectorises
  if (found.count() == 0) {
    found.first =
        piece.first + (std::find_if_not(values, values + piece.elements, finite) - values);
  }
  const auto nan = std::count_if(values, values + piece.elements, [](T v) { return v != v; });
  found.nan += nan;
  found.infinite += odd - nan;
}

void count_not_finite(const void* values, Index element_bytes, const Piece& piece,
                      NotFinite& found) {
  if (element_bytes == 4) {
    count_not_finite(static_cast<const float*>(values), piece, found);
  } else {
    count_not_finite(static_cast<const double*>(values), piece, found);
  }
}

/// Host memory for the largest piece; none where the device's memory is the host's.
Memory staging_for(const std::vector<Piece>& pieces, Index element_bytes, const Queue& queue) {
  if (queue.device().host_accessible()) return {};
  Index most = 0;
  for (const Piece& piece : pieces)
    most = std::max(most, piece.elements);
  return {queue.device(), Bytes{most * element_bytes}, "copying", Memory::Place::staging};
}

} // namespace

NotFinite read_to_device(const InputDataset& input, Queue& queue, void* to) {
  return read_to_device(input, input.pieces(), queue, to);
}

NotFinite read_to_device(const InputDataset& input, const std::vector<Piece>& pieces, Queue& queue,
                         void* to) {
  const Index size = input.element_bytes();
  const Memory staging = staging_for(pieces, size, queue);
  Index all = 0;
  for (const Piece& piece : pieces)
    all += piece.elements;
  NotFinite found;
  Progress progress;
  Index done = 0;
  for (const Piece& piece : pieces) {
    check_interrupt();
    progress.show("reading", static_cast<double>(done) / static_cast<double>(all));
    char* const place = static_cast<char*>(to) + piece.first * size;
    void* const host = staging.data() == nullptr ? place : staging.data();
    input.read(piece, host);
    if (host != place) {
      copy_bytes_to_device(queue, place, host, Bytes{piece.elements * size});
    }
    count_not_finite(host, size, piece, found);
    queue.wait();
    done += piece.elements;
  }
  check_interrupt();
  return found;
}

void write_pieces(OutputDataset& output, const InputDataset& input, const BringPiece& bring,
                  NotFinite* found, bool heed) {
  const int size = input.element_bytes();
  Progress progress;
  Index done = 0;
  for (const Piece& piece : input.pieces()) {
    if (heed) check_interrupt();
    progress.show("writing", static_cast<double>(done) / input.extents().count());
    const void* const host = bring(piece);
    output.write(piece, host, size);
    if (found != nullptr) count_not_finite(host, size, piece, *found);
    done += piece.elements;
  }
  if (heed) check_interrupt();
}

void write_from_device(OutputDataset& output, const InputDataset& input, Queue& queue,
                       const void* from, NotFinite* found, bool heed) {
  const Index size = input.element_bytes();
  const Memory staging = staging_for(input.pieces(), size, queue);
  const auto bring = [&](const Piece& piece) {
    const void* const data = static_cast<const char*>(from) + piece.first * size;
    if (staging.data() == nullptr) return data;
    copy_bytes_to_host(queue, staging.data(), data, Bytes{piece.elements * size});
    queue.wait();
    return static_cast<const void*>(staging.data());
  };
  write_pieces(output, input, bring, found, heed);
}

} // namespace ridge::app
