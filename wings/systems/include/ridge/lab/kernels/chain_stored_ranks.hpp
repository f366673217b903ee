// Declarations for descriptions of systems over ranks whose arrays are stored in 16 bits.
#pragma once

#include <ridge/chain/system/describe_stored.hpp>
#include <ridge/lab/kernels/chain_system_ranks.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace ridge::lab {

/// C of these bytes on arrays of S that ranks divide, but for those whose bits Wide has; `file` is
/// where Stored<C, S, Wide> can be compiled from.
template <class C, class S, unsigned Wide>
[[nodiscard]] std::unique_ptr<Case>
describe_stored_system(std::span<const std::byte> functor, const std::string& name,
                       const BenchRequest& request, const std::string& file) {
  static_assert(std::is_trivially_copy_constructible_v<C>, "a chain is a struct of numbers");
  C chain{};
  std::memcpy(static_cast<void*>(&chain), functor.data(), sizeof chain);
  chain::SystemKernel kernel = chain::system_kernel(name, chain);
  chain::describe_stored_system<C, S, Wide>(functor, kernel, file);
  kernel.storage = request.precision;
  return rank_system_case(
      kernel, random_ranges<C>(),
      [chain](const SystemNumbersAt& numbers, Deviation& found) {
        compare_system<C, float, S, Wide>(chain, numbers, found);
      },
      request);
}

} // namespace ridge::lab
