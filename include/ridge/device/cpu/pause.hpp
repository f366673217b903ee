// Launches of the host that can be given up: while one computes, its threads ask between pieces of
// their work whether it is still wanted.
#pragma once

#include <ridge/device/cpu/parallel.hpp>

namespace ridge::cpu {

/// Asked between pieces of a launch of `run`, or of the emulated GPU, once it has computed for a
/// moment, and then again and again, on the thread that launches. An exception of it ends the
/// launch, whose results are then incomplete, and is rethrown where it was launched. Null: nobody
/// is asked. For the one program that this process is; before its first launch.
using Ask = void (*)();
void ask_between_pieces(Ask ask);

/// True while the launch that the calling thread works for is wanted. False: return from `work`;
/// nobody reads its results. Takes nanoseconds; pieces of a microsecond to some milliseconds are
/// right.
[[nodiscard]] bool goes_on();

/// While one lives, launches of this thread run to their ends: what they change in place, somebody
/// wants as it is after a whole number of them.
class ToTheEnd {
public:
  ToTheEnd();
  ~ToTheEnd();
  ToTheEnd(const ToTheEnd&) = delete;
  ToTheEnd& operator=(const ToTheEnd&) = delete;

private:
  bool asked_before_;
};

/// Calls `work(piece)` with one range of at most `grain` items after the other, until the launch is
/// given up.
template <class Work>
void in_pieces(const Range& all, Index grain, const Work& work) {
  for (Index i = all.begin; i < all.end && goes_on(); i += grain)
    work(Range{i, all.end - i < grain ? all.end : i + grain});
}

} // namespace ridge::cpu
