// The executors that a header of ridge/lab/kernels/stencil wants compiled ahead. Seen by the
// compilers of all device kinds.
#pragma once

#include <ridge/lab/stencil_entry.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include <vector>

namespace ridge::lab {

/// What offers the executor of a call; null where it is left to be compiled on demand.
template <class K, class T>
const Offer* offer_of(const stencil::Call<K, T>* /*call*/) {
  return &stencil::Executor<K, T, Here>::offered;
}
template <class K, class T>
const Offer* offer_of(const stencil::Pass<K, T>* /*pass*/) {
#if defined(RIDGE_TARGET_CPU)
  return &stencil::PassExecutor<K, T, Here>::offered.executor;
#elif defined(RIDGE_TARGET_CUDA)
  // Of other kernels they take nvcc longer than they are worth to most.
  if constexpr (stencil::radius_of<K>().z == 1) {
    if constexpr (stencil::most_gpu_pass_sweeps<K, T>() > 0)
      return &stencil::PassExecutor<K, T, Here>::offered.executor;
  }
#endif
  return nullptr;
}

template <class... Calls>
std::vector<const Offer*> offers_of(Ahead<Calls...> /*calls*/) {
  return {offer_of(static_cast<const Calls*>(nullptr))...};
}

/// Instantiated explicitly, it makes the executors of all entries, which offer themselves.
template <class... E>
std::vector<std::vector<const Offer*>> compile_ahead(Stencils<E...> /*entries*/) {
  return {offers_of(typename E::ahead{})...};
}

} // namespace ridge::lab
