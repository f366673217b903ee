// Compiled once per device kind: how many steps refine the root depends on its first approximation.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>

namespace ridge::pairs {

namespace {

int steps(Grade grade, int bytes) {
  if (grade != Grade::refined) return 0;
  return bytes == 4 ? ridge::rsqrt_steps<Grade::refined, float>()
                    : ridge::rsqrt_steps<Grade::refined, double>();
}

const Offer offered(kind_of<Here>, typeid(RsqrtSteps), &steps);

} // namespace

} // namespace ridge::pairs
