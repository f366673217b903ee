// Stands in for the HIP backend in builds without it.
#include <ridge/device/gpu/backend.hpp>

namespace ridge {

int count_hip() {
  return 0;
}
std::shared_ptr<Backend> open_hip(int /*number*/) {
  return nullptr;
}

} // namespace ridge
