// Digests of files' contents, each taken again only when its file has changed.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace ridge::launch {

/// Whether there is a file of that name, links followed; folders are none.
[[nodiscard]] bool is_file(const std::string& name);

/// The digest of what a file holds. Nothing where it cannot be read: that equals nothing, itself
/// neither.
[[nodiscard]] std::optional<std::string> file_digest(const std::string& name);

/// What a file holds and how the system tells it from others, in one word: the digest, and where it
/// has rested for a while a stamp of it behind a colon. Nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> file_state(const std::string& name);
/// Whether a file holds what it held in this state. One of that stamp is not read: the system
/// changes the stamp of whatever is written.
[[nodiscard]] bool is_in_state(const std::string& name, std::string_view state);
/// The digest in a state.
[[nodiscard]] std::string_view digest_in(std::string_view state);

/// Whether a file was last changed so long before a moment that clocks and the steps of a file
/// system's times leave no doubt. False where it cannot be looked at.
[[nodiscard]] bool settled_before(const std::string& name, std::time_t moment);

} // namespace ridge::launch
