// What is compiled where sums over pairs was not compiled ahead.
#include <ridge/pairs/launch.hpp>

namespace ridge::pairs {

launch::Demand detail::demand(const Device& device, const Schedule& schedule,
                              const launch::CallTypes& types) {
  const std::string kernel = launch::type_text(types.kernel);
  const std::string precision = launch::type_text(types.precision);
  launch::Demand made = launch::detail::demand_of(types.call, "pairs", kernel, precision,
                                                  variant_definition(schedule));
  made.image = image_demand(device, schedule, kernel, precision, types.call_bytes);
  if (!made.image) made.bodies = "ridge/pairs/gpu/symmetric.hpp";
  return made;
}

} // namespace ridge::pairs
