// Constants of a description as they are measured on the device: no stencil is run for them.
#pragma once

#include <ridge/model/description.hpp>
#include <ridge/record/cache_roof.hpp>

namespace ridge::model {

/// The ceilings that `measured` takes from a roof.
[[nodiscard]] std::vector<std::string> measured_ceilings();

/// `base` with what `cache` and `roof` say of it; `sources` tell which constants these are. What
/// could not be told (where a cache ends, the room that stores take) stays as it was.
[[nodiscard]] Description measured(Description base, const CacheRoof& cache, const Roof& roof);

} // namespace ridge::model
