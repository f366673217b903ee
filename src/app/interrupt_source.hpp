// Who asked to stop.
#pragma once

namespace ridge::app {

/// True where a terminal sent the signal: its programs that run beside this one have it, too.
[[nodiscard]] bool interrupt_by_terminal();

} // namespace ridge::app
