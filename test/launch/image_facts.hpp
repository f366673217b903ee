// What the host's compiler makes of bodies that NVRTC compiles, too.
#pragma once

#include <ridge/stencil/gpu/plan.hpp>

namespace ridge::test {

[[nodiscard]] stencil::gpu::BodyFacts points_facts();
[[nodiscard]] stencil::gpu::BodyFacts march_facts();
[[nodiscard]] stencil::gpu::BodyFacts window_facts();

} // namespace ridge::test
