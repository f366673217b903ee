#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/field.hpp>

#include "../core/refuse.hpp"

namespace ridge::lattice::detail {

void check_operand(const FieldLabel& result, const void* result_data, const FieldLabel& operand,
                   const void* operand_data, bool in_place) {
  check_same_lattice(result.lattice, result.name, operand.lattice, operand.name);
  refuse_if(operand_data == result_data && !in_place,
            "{} is assigned an expression that reads it at other sites or components; assign to "
            "another field",
            result.name);
}

} // namespace ridge::lattice::detail
