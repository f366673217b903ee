// The names of headers in a source text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::launch {

struct IncludedNames {
  struct Name {
    std::string text;
    bool quoted; ///< looked for beside the including file first
    bool next;   ///< looked for behind the folder where the including file was found
    [[nodiscard]] bool operator==(const Name&) const = default;
  };
  /// All that may be looked for, under whatever condition, in comments too.
  std::vector<Name> all;
  /// Whether one is put together by macros, or read by other means than an inclusion: `all` may
  /// lack it.
  bool computed = false;
};

/// Names after #include and its like, and after __has_include wherever that stands.
[[nodiscard]] IncludedNames included_names(std::string_view text);

} // namespace ridge::launch
