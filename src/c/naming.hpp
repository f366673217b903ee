// Messages about kernels that came as a text or from a file, in the names that their user knows.
#pragma once

#include <ridge/core/error.hpp>

#include "objects.hpp"

#include <string>

namespace ridge::c {

[[nodiscard]] std::string in_words_of_user(const Shown& shown, std::string message);

/// Calls `work`; what its errors say is changed from our names to the user's.
template <class Work>
decltype(auto) naming(const Shown& shown, const Work& work) {
  try {
    return work();
  } catch (const UsageError& e) {
    throw UsageError(in_words_of_user(shown, e.what()));
  } catch (const Failure& e) {
    throw Failure(in_words_of_user(shown, e.what()));
  }
}

} // namespace ridge::c
