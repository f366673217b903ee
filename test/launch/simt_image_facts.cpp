#define RIDGE_STENCIL_POINTS 2, ridge::stencil::Loads::ascending, ridge::stencil::Store::plain, 256
#define RIDGE_STENCIL_MARCH 128, 2, 4, ridge::stencil::Store::plain, ridge::stencil::Rows::packs
#define RIDGE_STENCIL_WINDOW                                                                       \
  32, 8, 2, ridge::stencil::Store::nontemporal, ridge::stencil::Rows::packs
#include <ridge/stencil/gpu/march.hpp>
#include <ridge/stencil/gpu/points.hpp>
#include <ridge/stencil/gpu/window.hpp>
#include <ridge/stencil/laplacian.hpp>

#include "launch/image_facts.hpp"

namespace ridge::test {

using K = stencil::Laplacian<4, 3>;

stencil::gpu::BodyFacts points_facts() {
  return stencil::gpu::Points<K, float, stencil::demanded_points[0]>::facts();
}
stencil::gpu::BodyFacts march_facts() {
  return stencil::gpu::March<K, double, stencil::demanded_march[0]>::facts();
}
stencil::gpu::BodyFacts window_facts() {
  return stencil::gpu::WindowMarch<K, double, stencil::demanded_window[0]>::facts();
}

} // namespace ridge::test
