#include <ridge/pairs/case.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>

namespace ridge::pairs {

Limit limit_of(const Device& device, const Traits& traits, const Bodies& bodies, RoofSource& roof) {
  const bool single = traits.computed_bytes == 4;
  const Ceiling* const fma = roof.find(single ? "fma_fp32" : "fma_fp64");
  const double fma_rate = fma != nullptr ? fma->value : 0;
  const Ceiling* const rsqrt = single ? roof.find("rsqrt_fp32") : nullptr;
  return {"issue", "interactions/s", static_cast<double>(work_of(traits, bodies).items),
          issue_limit(traits, rsqrt_steps(device, traits), fma_rate,
                      rsqrt != nullptr ? rsqrt->value : 0)};
}

} // namespace ridge::pairs

template ridge::pairs::Schedule ridge::text::parse_held(std::string_view, bool);
