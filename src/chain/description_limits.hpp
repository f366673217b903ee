// The largest chain: tables of its operations and arrays have this room.
#pragma once

namespace ridge::chain {

inline constexpr int most_described_operations = 63;
inline constexpr int most_described_arrays = 256;

} // namespace ridge::chain
