// Systems whose arrays are stored in 16 bits: what binds their steps is compiled when it is asked
// for.
#pragma once

#include <ridge/chain/system/kernel.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ridge::chain {

/// Offered by the description of a stored system under SystemKernel: makes `kernel` one of such
/// arrays. The bytes are its chain's.
using StoreSystem = void(std::span<const std::byte> functor, SystemKernel& kernel);

/// The system on arrays of "fp16" or "bf16", its mathematics in fp32. Arrays whose bits `wide` has
/// stay fp32. The description is compiled or taken from the cache.
/// Throws as load_description does; UsageError for a system that scans, or whose source nobody
/// said, and for arrays that steps change.
[[nodiscard]] SystemKernel stored_system(SystemKernel kernel, std::string_view storage,
                                         unsigned wide = 0);

} // namespace ridge::chain
