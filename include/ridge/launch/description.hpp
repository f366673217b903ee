// Compiling what describes a kernel, for the host.
#pragma once

#include <ridge/device/offer.hpp>

#include <string>
#include <vector>

namespace ridge::launch {

/// Compiles a source text for the host (no device kind), or takes it from the cache, loads it and
/// returns what it offers. `file` is the user's file that it includes, by which errors are named
/// and whose content is part of the key. The header of Ridge's that the text includes first is
/// compiled once for all texts; `prelude` names it where errors are to say whether compilers take
/// it. Throws as bind_on_demand does.
[[nodiscard]] std::vector<Offered> load_description(const std::string& text,
                                                    const std::string& file,
                                                    const std::vector<std::string>& libraries,
                                                    const std::string& prelude = {});

/// Keeps the text of a kernel as a file in the cache, in a folder that is named by its content.
/// Returns where it is. Throws Failure where it cannot be written.
[[nodiscard]] std::string keep_source(const std::string& file_name, const std::string& text);

} // namespace ridge::launch
