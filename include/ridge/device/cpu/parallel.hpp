// Threads of the cpu: one team, each thread pinned to a core of its own.
#pragma once

#include <ridge/core/extents.hpp>

#include <memory>
#include <type_traits>

namespace ridge::cpu {

/// A reference to a callable, without an allocation or a template in the callee.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& f) // NOLINT(google-explicit-constructor): stands for the callable
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// Calls `work(thread, threads)` once on each of `threads` pinned threads and waits. An exception
/// of any of them is rethrown here.
void run(int threads, FunctionRef<void(int thread, int threads)> work);

/// As many threads as there are cores this process may use (hardware threads of a core count once).
[[nodiscard]] int default_threads();

/// Indices [begin, end).
struct Range {
  Index begin = 0, end = 0;
};

/// The share of `count` items that belongs to `thread` of `threads`, in whole multiples of `grain`.
[[nodiscard]] constexpr Range share_of(Index count, int thread, int threads, Index grain = 1) {
  const Index grains = ceil_div(count, grain);
  const Index begin = grains * thread / threads * grain;
  const Index end = grains * (thread + 1) / threads * grain;
  return {begin < count ? begin : count, end < count ? end : count};
}

} // namespace ridge::cpu
