// Steps that follow a flow: what they multiply their dt by.
#pragma once

namespace ridge::chain {

/// Name in systems of the number that steps multiply their dt by, a ByStep of one value.
inline constexpr const char* factor_of_dt = "factor of dt";

} // namespace ridge::chain
