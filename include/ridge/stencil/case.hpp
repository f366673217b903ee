// Cases of stencils, of kernels whose types are put away.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/stencil/check.hpp>
#include <ridge/stencil/menu.hpp>

#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ridge::stencil {

/// One application of a kernel whose type is put away.
template <class T>
struct [[gnu::visibility("hidden")]] AnyCall {
  std::shared_ptr<const CheckedKernel<T>> kernel;
  std::vector<View<const T>> in;
  View<T> out;
};

template <class T>
[[nodiscard]] std::unique_ptr<Menu> menu_of(const AnyCall<T>& call, const Place& place) {
  return menu(call.kernel->traits(), call.out.extents, place, Strides::of(call.out));
}
template <class T>
[[nodiscard]] Subject subject_of(const AnyCall<T>& call, std::string name) {
  const Index3 n = call.out.extents;
  return {&call.kernel->call_type(), std::move(name), precision_name<T>(), Extents{n.x, n.y, n.z}};
}

} // namespace ridge::stencil

template <class T>
class ridge::Reference<ridge::stencil::AnyCall<T>> {
  using Call = stencil::AnyCall<T>;

public:
  /// Records say how inputs are stored where some, whose bits `wide` has, stay fp32.
  Reference(unsigned wide = 0) : wide_(wide) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return {{call.out.data, bytes(call)}};
  }
  /// Under a schedule of the call's menu.
  [[nodiscard]] static Program bind(Queue& queue, const Call& call, const AskedSchedule& s,
                                    const std::string& name) {
    const auto schedule = text::parse_held<stencil::Schedule>(
        menu_of(call, Place{queue.device()})->parse(s.text).text,
        queue.device().kind() != DeviceKind::cpu);
    return call.kernel->bind(queue, call.in, call.out, &schedule, name);
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    return stencil::check_points<T>(queue, *call.kernel, call.in, call.out,
                                    bounded_unit<NumberOf<T>>);
  }
  [[nodiscard]] static Limit limit(Queue& /*queue*/, const Call& call) {
    const Work work = stencil::work_of(call.kernel->traits(), call.out.extents);
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(call.out.data, call.in[0].data, bytes(call))};
  }
  void complete(Queue& /*queue*/, const Call& call, Record& record, const AskedSchedule&) const {
    if (wide_ == 0) return;
    std::string stored;
    for (int i = 0; i < call.kernel->traits().inputs() - std::popcount(wide_); ++i) {
      stored += (i > 0 ? "," : "") + std::to_string(i + 1) + "=" +
                ((wide_ >> i & 1U) != 0 ? "fp32" : precision_name<T>());
    }
    record.details.push_back({"storage", 0, stored});
  }

private:
  [[nodiscard]] static Bytes bytes(const Call& call) {
    return {call.out.span() * static_cast<Index>(sizeof(T))};
  }
  unsigned wide_;
};
