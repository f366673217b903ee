// Descriptions of stored systems are compiled from this (ridge/chain/system/stored.hpp).
#pragma once

#include <ridge/chain/source.hpp>
#include <ridge/chain/stored.hpp>
#include <ridge/chain/system/kernel.hpp>
#include <ridge/device/offer.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace ridge::chain {

/// Makes `kernel`, which is of the chain C of these bytes, one on arrays of S; `file` is where
/// Stored<C, S> can be compiled from.
template <class C, class S>
void describe_stored_system(std::span<const std::byte> functor, SystemKernel& kernel,
                            const std::string& file) {
  using Kept = Stored<C, S>;
  static_assert(std::is_trivially_copy_constructible_v<C>, "a chain is a struct of numbers");
  know_source(typeid(Call<Kept, S>), file, "");
  C chain{};
  std::memcpy(static_cast<void*>(&chain), functor.data(), sizeof chain);
  kernel.of_float = describe<Kept, S>();
  kernel.tells_places = false;
  kernel.bind = [name = kernel.name, chain](Queue& queue, int /*element_bytes*/,
                                            const SystemStep& step) {
    return detail::bind_step<C, S, Kept>(queue, chain, step, name);
  };
}

} // namespace ridge::chain
