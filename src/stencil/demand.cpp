// What is compiled where a stencil was not compiled ahead.
#include <ridge/stencil/launch.hpp>

namespace ridge::stencil {

launch::Demand detail::demand(const Device& device, const Schedule& schedule, Rows rows,
                              const launch::CallTypes& types) {
  const std::string kernel = launch::type_text(types.kernel);
  const std::string precision = launch::type_text(types.precision);
  launch::Demand made = launch::detail::demand_of(
      types.call, "stencil", kernel, precision, variant_definition(device.kind(), schedule, rows));
  made.image = image_demand(device, schedule, kernel, precision, types.call_bytes);
  return made;
}

} // namespace ridge::stencil
