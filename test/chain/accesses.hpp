// Accesses of operations that are described by hand.
#pragma once

#include <ridge/chain/description.hpp>

namespace ridge::chain {

inline Access reads(int array, Reach reach = {}) {
  return {array, false, false, reach};
}
inline Access writes(int array) {
  return {array, true, false, {}};
}

} // namespace ridge::chain
