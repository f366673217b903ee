// Ctrl-C in long work.
#pragma once

namespace ridge::python {

/// Throws what Python's handlers of signals raise, KeyboardInterrupt for Ctrl-C. For work that has
/// released the interpreter's lock; in threads other than the main one it throws when the
/// interpreter ends.
void check_interrupt();

/// From now on compilations and launches on the host that take longer end with what Python's
/// handlers of signals raise; such compilations are told of by `ridge._progress.compiling`.
void heed_interrupts();

} // namespace ridge::python
