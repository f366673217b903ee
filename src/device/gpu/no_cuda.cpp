// Stands in for the CUDA backend in builds without it.
#include <ridge/device/gpu/backend.hpp>

namespace ridge {

int count_cuda() {
  return 0;
}
std::shared_ptr<Backend> open_cuda(int /*number*/) {
  return nullptr;
}

} // namespace ridge
