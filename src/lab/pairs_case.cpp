#include <ridge/core/error.hpp>
#include <ridge/lab/pairs_case.hpp>
#include <ridge/lab/pairs_kernel.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>

#include <fmt/format.h>

namespace ridge::lab {

Index bodies_asked(const Extents& size, const std::string& precision, const std::string& name,
                   bool mixed) {
  if (size.rank() != 1) {
    throw UsageError(
        fmt::format("{} takes a number of bodies, such as 65536, not {}", name, to_text(size)));
  }
  if (precision != "fp32" && precision != "fp64" && !(mixed && precision == "mixed")) {
    throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name,
                                 mixed ? "fp32, fp64 and mixed" : "fp32 and fp64"));
  }
  return size.count();
}

Limit pairs_limit(const Device& device, const pairs::Traits& traits, const pairs::Bodies& bodies,
                  RoofSource& roof) {
  const bool single = traits.computed_bytes == 4;
  const Ceiling* const fma = roof.find(single ? "fma_fp32" : "fma_fp64");
  const double fma_rate = fma != nullptr ? fma->value : 0;
  const Ceiling* const rsqrt = single ? roof.find("rsqrt_fp32") : nullptr;
  return {"issue", "interactions/s", static_cast<double>(pairs::work_of(traits, bodies).items),
          pairs::issue_limit(traits, pairs::rsqrt_steps(device, traits), fma_rate,
                             rsqrt != nullptr ? rsqrt->value : 0)};
}

} // namespace ridge::lab
