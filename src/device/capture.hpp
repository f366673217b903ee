// A stream's recording while some work is given to it.
#pragma once

#include <ridge/device/backend.hpp>

namespace ridge {

/// The graph, which whoever asks for it destroys. Throws what `work` throws, and what the runtime
/// says.
template <class Work>
[[nodiscard]] void* captured(Backend& backend, void* stream, const Work& work) {
  backend.begin_capture(stream);
  try {
    work();
  } catch (...) {
    backend.destroy_graph(backend.end_capture(stream));
    throw;
  }
  return backend.end_capture(stream);
}

} // namespace ridge
