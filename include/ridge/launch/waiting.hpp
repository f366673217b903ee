// Waiting for a compiler: the process says so, and it may end the compiler.
#pragma once

#include <string>

namespace ridge::launch {

/// A compilation that somebody waits for.
struct Waiting {
  std::string what;   ///< "heat for cpu with g++"
  double seconds = 0; ///< since it began
  int usual = 0;      ///< seconds that such a compilation takes as a rule
  bool over = false;  ///< it has ended, and is not told of again
};

/// "compiling heat for cpu with g++ (2 of about 3 s)".
[[nodiscard]] std::string to_text(const Waiting& waiting);

/// Told of each compilation about ten times a second while it runs, by the thread that waits. An
/// exception that it throws ends the compiler at once and comes out of the launch; it throws none
/// when the compilation is over.
using Observer = void (*)(const Waiting& waiting);

/// From now on compilations are told of to `observer`; null: to nobody. Without one nothing is
/// said, and the terminal's Ctrl-C reaches compilers as it reaches the process.
void observe_compilers(Observer observer);

/// A compilation shorter than this, in seconds, is not worth a line in a terminal.
inline constexpr double shown_after = 1;
/// One line is written where standard error is no terminal, as soon as one has taken so long.
inline constexpr double logged_after = 30;

} // namespace ridge::launch
