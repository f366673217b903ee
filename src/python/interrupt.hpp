// Ctrl-C in long work.
#pragma once

namespace ridge::python {

/// Throws what Python's handlers of signals raise, KeyboardInterrupt for Ctrl-C. For work that has
/// released the interpreter's lock; in threads other than the main one it throws when the
/// interpreter ends.
void check_interrupt();

/// From now on compilations that take longer are told of by `ridge._progress.compiling`, and end
/// with what Python's handlers of signals raise.
void watch_compilers();

} // namespace ridge::python
