// Compiled once per device kind: what builds lists of near pairs, and counts these.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/lists/count.hpp>
#include <ridge/pairs/lists/executor.hpp>

#if defined(RIDGE_TARGET_CPU)
#include "cpu/engine.hpp"
#else
#include "gpu/engine.hpp"
#endif

namespace ridge::pairs {

namespace building::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)
template <class T>
using Engine = cpu_pairs::Engine<T>;
#else
template <class T>
using Engine = gpu::Engine<T>;
#endif

template <class T>
std::unique_ptr<ListEngine<T>> make(Queue& queue, const Positions<T>& positions,
                                    const ListOptions& options) {
  return std::make_unique<Engine<T>>(queue, positions, options);
}

const Offer floats(kind_of<Here>, typeid(ListEngine<float>), &make<float>);
const Offer doubles(kind_of<Here>, typeid(ListEngine<double>), &make<double>);

} // namespace building::inline RIDGE_TARGET_NAME

template struct ListExecutor<CountNear, Fp32, Here>;
template struct ListExecutor<CountNear, Fp64, Here>;

} // namespace ridge::pairs
