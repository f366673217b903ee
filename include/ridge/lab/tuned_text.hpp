// Findings of tuning, as text for people and as JSON.
#pragma once

#include <ridge/tune/tune.hpp>

#include <string>

namespace ridge::lab {

/// A few lines: the default and the best, how far apart they are, and where the best is kept.
[[nodiscard]] std::string tuned_text(const tune::Tuned& tuned, const tune::Key& key);

/// An object with all that was measured. Its `schedule` is the best.
[[nodiscard]] std::string tuned_json(const tune::Tuned& tuned, const tune::Key& key);

} // namespace ridge::lab
