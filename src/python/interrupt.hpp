// Ctrl-C in long work.
#pragma once

namespace ridge::python {

/// Throws what Python's handlers of signals raise, KeyboardInterrupt for Ctrl-C. For work that has
/// released the interpreter's lock; does nothing in threads other than the main one.
void check_interrupt();

} // namespace ridge::python
