// Bodies of kernels that were compiled alone, put together by host code that has no type of them.
#pragma once

#include <ridge/device/image.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/bound.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace ridge::launch {

class BodyBytes {
public:
  /// A body of `bytes` that begins with the call, which takes `call_bytes` on the GPU and
  /// `here` as the host's compiler lays it out. Throws Failure where the two differ.
  BodyBytes(int bytes, int call_bytes, const void* call, std::size_t here);

  template <class T>
  void put(int offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  [[nodiscard]] void* data() { return bytes_.data(); }

private:
  std::vector<unsigned char> bytes_;
};

/// The part of a call that lies at `offset`.
template <class T>
[[nodiscard]] T part_of(const void* call, int offset) {
  T part;
  std::memcpy(static_cast<void*>(&part), static_cast<const char*>(call) + offset, sizeof part);
  return part;
}

struct ImageLaunch {
  LaunchShape shape;
  BodyBytes body;
};
/// Runs the launches in turn; empty where the image cannot be launched so. `prepared_early` as in
/// ridge/device/launch.hpp.
[[nodiscard]] Bound bind_launches(Queue& queue, std::shared_ptr<KernelImage> image,
                                  std::vector<ImageLaunch> launches, bool prepared_early);

} // namespace ridge::launch
