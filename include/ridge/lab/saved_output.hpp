// Contents of an output, to be put back.
#pragma once

#include <ridge/device/backend.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lab/arrays.hpp>

namespace ridge::lab {

/// A copy of an output on its device, gaps between its rows included, which is put back at the end:
/// measuring poisons the output, and writes to all of it to find the ceiling of its memory.
class SavedOutput {
public:
  SavedOutput(Queue& queue, const Array& out)
      : queue_(queue), data_(out.data), size_(size_of(out)),
        copy_(queue.device(), size_, "what the output held") {
    move(copy_.data(), data_);
  }
  ~SavedOutput() {
    try {
      move(data_, copy_.data());
    } catch (...) { // a broken device: what broke it is already being told
    }
  }
  SavedOutput(const SavedOutput&) = delete;
  SavedOutput& operator=(const SavedOutput&) = delete;

private:
  [[nodiscard]] static Bytes size_of(const Array& a) {
    Index last = 0;
    for (int d = 0; d < a.rank; ++d) {
      const auto at = static_cast<std::size_t>(d);
      last += (a.extents[at] - 1) * a.strides[at];
    }
    return {(last + 1) * a.element_bytes};
  }
  void move(void* to, const void* from) {
    queue_.device().backend().copy(queue_.native(), to, from, static_cast<std::size_t>(size_.value),
                                   CopyDirection::on_device);
    queue_.wait();
  }

  Queue& queue_;
  void* data_;
  Bytes size_;
  Memory copy_;
};

} // namespace ridge::lab
