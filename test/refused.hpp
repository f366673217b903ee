// What a call is refused with.
#pragma once

#include <ridge/core/error.hpp>

#include <functional>
#include <string>

namespace ridge::test {

/// The message of the UsageError that the call throws.
inline std::string refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

} // namespace ridge::test
