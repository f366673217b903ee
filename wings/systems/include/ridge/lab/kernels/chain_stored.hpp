// Declarations for descriptions of systems whose arrays are stored in 16 bits.
#pragma once

#include <ridge/chain/stored.hpp>
#include <ridge/lab/kernels/chain_system.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace ridge::lab {

/// C of these bytes on random arrays of S, but for those whose bits Wide has; `file` is where
/// Stored<C, S, Wide> can be compiled from.
template <class C, class S, unsigned Wide>
[[nodiscard]] std::unique_ptr<Case>
describe_stored_system(std::span<const std::byte> functor, const std::string& name,
                       const BenchRequest& request, const std::string& file) {
  using Kept = chain::Stored<C, S, Wide>;
  static_assert(std::is_trivially_copy_constructible_v<C>, "a chain is a struct of numbers");
  know_source(typeid(chain::Call<Kept, S>), file, "");
  C chain{};
  std::memcpy(static_cast<void*>(&chain), functor.data(), sizeof chain);
  return made_as<RandomSystem<Kept, S>, Case>(name, Kept(chain), request);
}

} // namespace ridge::lab
