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

/// Makes `kernel`, which is of the chain C of these bytes, one on arrays of S, but for those whose
/// bits Wide has; `file` is where Stored<C, S, Wide> can be compiled from.
template <class C, class S, unsigned Wide = 0>
void describe_stored_system(std::span<const std::byte> functor, SystemKernel& kernel,
                            const std::string& file) {
  using Kept = Stored<C, S, Wide>;
  static_assert(std::is_trivially_copy_constructible_v<C>, "a chain is a struct of numbers");
  know_source(typeid(Call<Kept, S>), file, "");
  C chain{};
  std::memcpy(static_cast<void*>(&chain), functor.data(), sizeof chain);
  kernel.of_float = describe<Kept, S>();
  kernel.of_double = describe<Kept, double>(); // has the same arrays, and runs nothing
  kernel.wide = Wide;
  kernel.own_arrays = Kept::own_arrays;
  for (int a = 0; a < Kept::own_arrays; ++a) {
    if (kernel.is_wide(a))
      kernel.placements.push_back(kernel.placements[static_cast<std::size_t>(a)]);
  }
  kernel.tells_places = false;
  kernel.bind = [name = kernel.name, chain](Queue& queue, int /*element_bytes*/,
                                            const SystemStep& step) {
    return detail::bind_step<C, S, Kept>(queue, chain, step, name);
  };
}

} // namespace ridge::chain
