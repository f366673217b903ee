// What offers the executor of a call that is compiled ahead. Seen by the compilers of all device
// kinds.
#pragma once

#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>

namespace ridge::stencil {

template <class K, class T>
const Offer* offer_of(const Call<K, T>* /*call*/) {
  return &Executor<K, T, Here>::offered;
}
/// Null where it is left to be compiled on demand.
template <class K, class T>
const Offer* offer_of(const Pass<K, T>* /*pass*/) {
#if defined(RIDGE_TARGET_CPU)
  return &PassExecutor<K, T, Here>::offered.executor;
#elif defined(RIDGE_TARGET_CUDA)
  // Of other kernels they take nvcc longer than they are worth to most.
  if constexpr (radius_of<K>().z == 1) {
    if constexpr (most_gpu_pass_sweeps<K, T>() > 0)
      return &PassExecutor<K, T, Here>::offered.executor;
  }
#endif
  return nullptr;
}

} // namespace ridge::stencil
