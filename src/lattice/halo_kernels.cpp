// Compiled once per device kind.
#include <ridge/comm/box_launch.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/halo.hpp>

#include <cstdint>

namespace ridge::lattice {

namespace {

/// Words between numbers of a site, and the first word of one, in the order of the layout.
template <class T>
RIDGE_FN Index first_word(const HaloCopies<T>& c, const Place& place, int component) {
  return ((place.group * c.components + component) * c.geometry.nsimd + place.lane) * c.words;
}

/// The place of a site of a box.
RIDGE_FN Place place_in(const Geometry& g, const SiteBox& box, Index site) {
  Coordinates x;
  RIDGE_UNROLL
  for (int d = 0; d < max_rank; ++d) {
    const Index n = box.end[d] - box.begin[d];
    const Index rest = site / n;
    x[d] = box.begin[d] + static_cast<int>(site - rest * n);
    site = rest;
  }
  return g.place(x);
}

#if defined(RIDGE_TARGET_CPU)

template <class T>
void copy_sites(const HaloCopies<T>& c, const HaloBox& box, cpu::Range sites) {
  const Index step = Index{c.geometry.nsimd} * c.words; // to the next component
  T* packed = c.buffer.data + box.buffer + sites.begin * c.components * c.words;
  for (Index site = sites.begin; site < sites.end; ++site) {
    T* field = c.field.data + first_word(c, place_in(c.geometry, box.sites, site), 0);
    for (int k = 0; k < c.components; ++k, field += step) {
      for (int w = 0; w < c.words; ++w, ++packed)
        (c.to_field ? field[w] : *packed) = c.to_field ? *packed : field[w];
    }
  }
}

template <class T>
Bound bind(Queue& /*queue*/, const HaloCopies<T>& copies) {
  const auto sites = [](const HaloBox& box) { return box.sites.count(); };
  return comm::bind_box_copies(copies, sites, &copy_sites<T>);
}

#else

/// A block row of the grid for each box; threads walk over its numbers, so that the packed side is
/// contiguous.
template <class T>
struct CopyHalo {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "copying halos of a lattice";

  HaloCopies<T> copies;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const HaloBox& box = copies.boxes[lane.block().y];
    const Index numbers = box.sites.count() * copies.components;
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    for (Index i = Index{lane.block().x} * max_threads + lane.thread().x; i < numbers;
         i += stride) {
      const Index site = i / copies.components;
      const int component = static_cast<int>(i - site * copies.components);
      const Index field = first_word(copies, place_in(copies.geometry, box.sites, site), component);
      const Index packed = box.buffer + i * copies.words;
      for (int w = 0; w < copies.words; ++w) {
        if (copies.to_field) {
          lane.store(copies.field, field + w, lane.load_written(copies.buffer, packed + w));
        } else {
          lane.store(copies.buffer, packed + w, lane.load_written(copies.field, field + w));
        }
      }
    }
  }
};

template <class T>
Bound bind(Queue& queue, const HaloCopies<T>& copies) {
  return comm::bind_box_copies<CopyHalo<T>>(
      queue, copies, [&](const HaloBox& box) { return box.sites.count() * copies.components; });
}

#endif

const Offer words(kind_of<Here>, typeid(HaloCopier<std::uint32_t>*), &bind<std::uint32_t>);
const Offer long_words(kind_of<Here>, typeid(HaloCopier<std::uint64_t>*), &bind<std::uint64_t>);

} // namespace

} // namespace ridge::lattice
