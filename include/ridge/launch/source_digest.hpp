// Digests that tell the text of a user's kernel from that of another.
#pragma once

#include <string>

namespace ridge::launch {

/// A digest of the file as the host's compiler sees it, with all that it includes but Ridge's and
/// the compiler's own headers: without comments and blanks, and with what variables of the
/// environment lead to. Empty where the compiler refuses the text. Throws Failure where there is no
/// compiler.
[[nodiscard]] std::string source_digest(const std::string& file);

} // namespace ridge::launch
