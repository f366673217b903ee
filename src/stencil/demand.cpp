// What is compiled where a stencil was not compiled ahead.
#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/stencil/launch.hpp>

#include <typeinfo>

namespace ridge::stencil {

launch::Demand detail::demand(const Device& device, const Schedule& schedule, Rows rows,
                              const launch::CallTypes& types) {
  // Lanes copy 4 bytes at least to shared memory by themselves.
  const auto* const gpu = std::get_if<GpuSchedule>(&schedule);
  if (gpu != nullptr && gpu->stage == Stage::window && rows != Rows::lines && rows != Rows::packs &&
      (types.precision == typeid(Fp16) || types.precision == typeid(Bf16)))
    throw UsageError("stage=window of numbers in 16 bits needs rows that begin at multiples of 16 "
                     "bytes; stage=none takes any");
  const std::string kernel = launch::type_text(types.kernel);
  const std::string precision = launch::type_text(types.precision);
  launch::Demand made = launch::detail::demand_of(
      types.call, "stencil", kernel, precision, variant_definition(device.kind(), schedule, rows));
  made.image = image_demand(device, schedule, kernel, precision, types.call_bytes);
  return made;
}

} // namespace ridge::stencil
