// Compiled once per device kind.
#include <ridge/device/offer.hpp>
#include <ridge/spatial/items.hpp>
#include <ridge/tiny/decay.hpp>

namespace ridge::tiny {

namespace decaying::inline RIDGE_TARGET_NAME {

struct DecaySample {
  static constexpr const char* name = "decay";
  Decay d;

  template <class Access>
  RIDGE_FN void operator()(Access& access, Index i) const {
    access.store(d.left, i, access.load_written(d.left, i) * (1 - d.share));
  }
};

void decay_once(Queue& queue, const Decay& d) {
  spatial::for_each_item(queue, d.left.size, DecaySample{d});
}

const Offer doubles(kind_of<Here>, typeid(Decay), &decay_once);

} // namespace decaying::inline RIDGE_TARGET_NAME

} // namespace ridge::tiny
