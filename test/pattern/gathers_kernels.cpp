// Compiled once per device kind.
#include <ridge/launch/offer.hpp>
#include <ridge/spatial/items.hpp>

#include "gathers.hpp"

namespace ridge::gathers::inline RIDGE_TARGET_NAME {

template <class T>
struct Gatherer {
  static constexpr const char* name = "gathers";
  Call<T> call;
  Index apart = 1; ///< items of a lane
  int items = 1;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index first) const {
    for (int k = 0; k < items; ++k) {
      const Index i = first + k * apart;
      if (i < call.out.size)
        access.store(call.out, i, access.load(call.in, access.load(call.places, i)));
    }
  }
};

template <class T>
struct Executor {
  using Schedule =
      std::variant_alternative_t<kind_of<Here> == DeviceKind::cpu ? 0 : 1, gathers::Schedule>;

  static Bound bind(Queue& queue, const Call<T>& call, const Schedule& schedule) {
    const Index lanes = ceil_div(call.out.size, schedule.items);
    return Bound([&queue, lanes, item = Gatherer<T>{call, lanes, schedule.items}] {
      spatial::for_each_item(queue, lanes, item);
    });
  }
};

const Offer of_floats = launch::offer<Executor<float>, Call<float>>(kind_of<Here>, this_source);
const Offer of_doubles = launch::offer<Executor<double>, Call<double>>(kind_of<Here>, this_source);

} // namespace ridge::gathers::inline RIDGE_TARGET_NAME
