// Cases of chains of inputs, temporaries and outputs, of which the last array is one.
#pragma once

#include <ridge/chain/check.hpp>
#include <ridge/chain/menu.hpp>
#include <ridge/device/field.hpp>

#include <array>
#include <utility>
#include <vector>

namespace ridge::chain {

/// Random arrays for a range, on a queue of their own.
template <class C, class T>
struct OwnArrays {
  OwnArrays(const Device& device, const C& chain, const Range& range)
      : queue(device), call{chain, range, {}} {
    [&]<int... A>(std::integer_sequence<int, A...>) {
      (make<A>(), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }
  Queue queue;
  std::array<Field<T>, arrays_of<C>> fields;
  Request<C, T> call;

private:
  template <int A>
  void make() {
    constexpr Array array = C::arrays[A];
    if constexpr (array.role != Role::temporary) {
      const Range& n = call.extents;
      const Extents points{array.profile ? 1 : n.x + array.extra.x, n.y + array.extra.y,
                           n.z + array.extra.z, n.instances()};
      fields[A] = Field<T>(queue.device(), points, array.name);
      if (array.role == Role::input) fill_random(queue, fields[A].elements(), A + 1);
      call.views.set(Slot<A>{}, fields[A].view(), n.instances());
    }
  }
};

// The library has these, so that no description of a chain compiles them again.
extern template std::vector<float> packed(Queue&, const View<float>&, Index, Index);
extern template std::vector<double> packed(Queue&, const View<double>&, Index, Index);
extern template void compare_output(Queue&, const View<float>&,
                                    const std::vector<BoundedPack<float>>&, const Range&, Index,
                                    const Domain&, Deviation&);
extern template void compare_output(Queue&, const View<double>&,
                                    const std::vector<BoundedPack<double>>&, const Range&, Index,
                                    const Domain&, Deviation&);

} // namespace ridge::chain

extern template ridge::chain::Schedule ridge::text::parse_held(std::string_view, bool);

template <class C, class T>
class ridge::Reference<ridge::chain::Request<C, T>> {
  using Call = chain::Request<C, T>;

public:
  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    std::vector<Output> all;
    for (std::size_t i = 0; i < C::arrays.size(); ++i) {
      if (C::arrays[i].role != chain::Role::output) continue;
      const View<T>& view = call.views.all()[i];
      all.push_back({view.data, bytes_of(call, view)});
    }
    return all;
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    return chain::check_chain(queue, call);
  }
  [[nodiscard]] static Limit limit(Queue& /*queue*/, const Call& call) {
    const Work work = chain::work_of(chain::describe<C, T>(), call.extents);
    const View<T>& out = call.views.all().back();
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(out.data, call.views.all()[0].data, bytes_of(call, out))};
  }

private:
  /// Of all instances of an array.
  [[nodiscard]] static Bytes bytes_of(const Call& call, const View<T>& view) {
    const Index apart = chain::instance_elements<C>(view);
    return {((call.extents.instances() - 1) * apart + view.span()) * static_cast<Index>(sizeof(T))};
  }
};
