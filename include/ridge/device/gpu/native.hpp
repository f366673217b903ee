// CUDA and HIP under one set of names: the only place that knows how each spells them.
// RIDGE_TARGET_CUDA or RIDGE_TARGET_HIP selects; both are needed by device code and by the backend.
#pragma once

#if defined(RIDGE_TARGET_CUDA)
#include <cuda_runtime.h>
#define RIDGE_NATIVE(name) cuda##name
#elif defined(RIDGE_TARGET_HIP)
#include <hip/hip_runtime.h>
#define RIDGE_NATIVE(name) hip##name
#else
#error "ridge/device/gpu is for translation units compiled for cuda or hip"
#endif

#include <ridge/core/error.hpp>
#include <ridge/device/lane.hpp>

#include <string>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

using Status = RIDGE_NATIVE(Error_t);
using Stream = RIDGE_NATIVE(Stream_t);
using NativeEvent = RIDGE_NATIVE(Event_t);

/// Most shared memory a block gets without asking.
inline constexpr int plain_shared_bytes = 48 << 10;

inline dim3 native(const Dim3& d) {
  return dim3(static_cast<unsigned>(d.x), static_cast<unsigned>(d.y), static_cast<unsigned>(d.z));
}

/// Throws Failure that names the call and the runtime's reason.
inline void check(Status status, const char* call) {
  if (status == RIDGE_NATIVE(Success)) return;
  (void)RIDGE_NATIVE(GetLastError)(); // clears the error, so that the next check starts afresh
  throw Failure(std::string(call) + ": " + RIDGE_NATIVE(GetErrorString)(status));
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
