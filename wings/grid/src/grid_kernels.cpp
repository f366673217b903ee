// Passes over the levels of a grid, compiled once per device kind.
#include <ridge/device/offer.hpp>

#if defined(RIDGE_TARGET_CPU)
#include "passes_cpu.hpp"
#else
#include "corrected_gpu.hpp"
#include "march.hpp"
#endif

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

template <class T>
void combined(Queue& queue, const Combined<T>& c) {
  each_point(queue, Combining<T>{c});
}
template <class T>
void magnified(Queue& queue, const Magnified<T>& m) {
  each_point(queue, Magnifying<T>{m});
}
template <class T>
void defect(Queue& queue, const Defect<T>& d) {
  each_point(queue, Defecting<T>{d});
}
template <class T>
void shifted(Queue& queue, const Shifted<T>& s) {
  each_point(queue, Shifting<T>{s});
}
template <class T>
void masked(Queue& queue, const Masked<T>& m) {
  each_point(queue, Masking<T>{m});
}
template <class T>
void picked(Queue& queue, const Picked<T>& p) {
  each_point(queue, Picking<T>{p});
}
template <class T>
void divided(Queue& queue, const Divided<T>& d) {
  each_point(queue, Dividing<T>{d});
}
template <class T>
void widened(Queue& queue, const Wide<T>& w) {
  each_point(queue, Widening<T>{w});
}
template <class T>
void surrounded(Queue& queue, const Surrounded<T>& s) {
  each_point(queue, Surrounding<T>{s});
}
template <class T>
void averaged(Queue& queue, const Averaged<T>& a) {
  each_point(queue, Averaging<T>{a});
}
template <class T>
void gathered(Queue& queue, const Gathered<T>& g) {
  each_point(queue, Gathering<T>{g});
}
template <class T>
void scattered(Queue& queue, const Scattered<T>& s) {
  each_point(queue, Scattering<T>{s});
}

inline void narrowed(Queue& queue, const Narrowed& n) {
  each_point(queue, Narrowing{n});
}
const Offer of_both[2] = {{kind_of<Here>, typeid(Corrected), &corrected},
                          {kind_of<Here>, typeid(Narrowed), &narrowed}};

/// All passes in one precision.
template <class T>
struct Passes {
  static constexpr DeviceKind kind = kind_of<Here>;
  Offer all[21] = {{kind, typeid(Sweep<T>), &sweep<T>},
                   {kind, typeid(ColouredSweep<T>), &coloured_sweep<T>},
                   {kind, typeid(Residual<T>), &residual<T>},
                   {kind, typeid(Applied<T>), &applied<T>},
                   {kind, typeid(Norms<T>), &norms<T>},
                   {kind, typeid(Product<T>), &product<T>},
                   {kind, typeid(Restriction<T>), &restricted<T>},
                   {kind, typeid(Interpolation<T>), &interpolated<T>},
                   {kind, typeid(Exact<T>), &exact<T>},
                   {kind, typeid(Combined<T>), &combined<T>},
                   {kind, typeid(Magnified<T>), &magnified<T>},
                   {kind, typeid(Defect<T>), &defect<T>},
                   {kind, typeid(Shifted<T>), &shifted<T>},
                   {kind, typeid(Masked<T>), &masked<T>},
                   {kind, typeid(Picked<T>), &picked<T>},
                   {kind, typeid(Divided<T>), &divided<T>},
                   {kind, typeid(Wide<T>), &widened<T>},
                   {kind, typeid(Surrounded<T>), &surrounded<T>},
                   {kind, typeid(Averaged<T>), &averaged<T>},
                   {kind, typeid(Gathered<T>), &gathered<T>},
                   {kind, typeid(Scattered<T>), &scattered<T>}};
};
#if !defined(RIDGE_TARGET_CPU)
template <class T>
struct Marches {
  static constexpr DeviceKind kind = kind_of<Here>;
  Offer all[3] = {{kind, typeid(FitsMarch<T>), &fits_march<T>},
                  {kind, typeid(WayDown<T>), &way_down<T>},
                  {kind, typeid(WayUp<T>), &way_up<T>}};
};
const Marches<float> float_marches;
const Marches<double> double_marches;
#else
const Offer counted_sweeps[2] = {
    {kind_of<Here>, typeid(CountedSweep<float>), &counted_sweep<float>},
    {kind_of<Here>, typeid(CountedSweep<double>), &counted_sweep<double>}};
#endif
const Passes<float> floats;
const Passes<double> doubles;

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
