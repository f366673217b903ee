// Gradients of operators by links, for ridge.gauge.
#include <ridge/gauge/by_links.hpp>

#include "arrays.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python::of_gauge {

namespace {

/// The gradient by the links of hops, summed over `count` fermions that follow each other.
void hops_by_links(const Sizes& sizes, std::uintptr_t out, std::uintptr_t psi, std::uintptr_t w,
                   Index count, double hop, bool has_spin, const std::string& device) {
  in_turn(device, [&](Queue& queue) {
    const auto by_links = [&]<class Fermion>(const Fermion* /*type*/) {
      return gauge::hops_by_links(queue, extents_of(sizes), reinterpret_cast<const Fermion*>(psi),
                                  reinterpret_cast<const Fermion*>(w), count, hop);
    };
    const gauge::HostLinks found =
        has_spin ? by_links(static_cast<const lattice::Spinor<double>*>(nullptr))
                 : by_links(static_cast<const lattice::ColourVector<double>*>(nullptr));
    std::memcpy(reinterpret_cast<void*>(out), found.data(), bytes_of(found));
  });
}

} // namespace

void add_by_links(nb::module_& m) {
  m.def("hops_by_links", &hops_by_links, "extents"_a, "out"_a, "psi"_a, "w"_a, "count"_a, "hop"_a,
        "has_spin"_a, "device"_a);
}

} // namespace ridge::python::of_gauge
