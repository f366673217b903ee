#include <ridge/core/error.hpp>
#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/field.hpp>

#include <fmt/format.h>

namespace ridge::lattice::detail {

void check_operand(const FieldLabel& result, const void* result_data, const FieldLabel& operand,
                   const void* operand_data, bool in_place) {
  check_same_lattice(result.lattice, result.name, operand.lattice, operand.name);
  if (operand_data == result_data && !in_place) {
    throw UsageError(fmt::format("{} is assigned an expression that reads it at other sites or "
                                 "components; assign to another field",
                                 result.name));
  }
}

} // namespace ridge::lattice::detail
