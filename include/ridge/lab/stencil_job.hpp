// A stencil kernel with its type put away, for data of the user's own.
#pragma once

#include <ridge/lab/stencil_case.hpp>
#include <ridge/tune/stencil.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace ridge::lab {

/// A stencil kernel of one input in one precision. `in` and `out` are packed fields of that
/// precision on the queue's device.
struct StencilJob {
  std::string name;
  stencil::Traits traits;
  /// Binds one launch.
  std::function<Program(Queue&, const void* in, void* out, Index3, const stencil::Schedule&)> bind;
  /// The schedule that `auto` means: wisdom, or the default.
  std::function<tune::Choice(Queue&, const void* in, void* out, Index3)> choose;
  /// Compares with the reference; the points near the edge must hold bytes 0xff.
  std::function<Check(Queue&, const void* in, void* out, Index3)> check;
};

template <class K, class T>
[[nodiscard]] StencilJob stencil_job(std::string_view name, const K& kernel) {
  static_assert(stencil::inputs_of<K> == 1);
  StencilJob made;
  made.name = name;
  made.traits = stencil::traits_of<K, T>();
  const auto call = [kernel](const void* in, void* out, Index3 n) {
    return stencil::Call<K, T>{
        kernel, {View<const T>(static_cast<const T*>(in), n)}, View<T>(static_cast<T*>(out), n)};
  };
  made.bind = [call, name = made.name](Queue& queue, const void* in, void* out, Index3 n,
                                       const stencil::Schedule& schedule) {
    return Program(queue, call(in, out, n), schedule, name);
  };
  made.choose = [call, name = made.name](Queue& queue, const void* in, void* out, Index3 n) {
    const auto called = call(in, out, n);
    const auto menu = menu_of(called, Place{queue.device()});
    return tune::choose(tune::question_of(queue, called, *menu, name));
  };
  made.check = [call](Queue& queue, const void* in, void* out, Index3 n) {
    return check_stencil(queue, call(in, out, n), 0xff, stencil_tolerance<T>);
  };
  return made;
}

} // namespace ridge::lab
