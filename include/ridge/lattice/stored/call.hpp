// Launches of kernels on stored fields, as data, and what the pattern says of them
// (ridge::Pattern).
//
// A kernel names its views by for_each_view(f), which calls f(view, in_place) with each view and
// whether it may be the result's memory, and has
//   using Real;                          what it computes with
//   static constexpr bool fixed;         numbers of 16 bits
//   static constexpr ... inner_ahead;    a range of the values a site that are compiled ahead
//   static constexpr const char *name, *form;   `form` says how numbers are stored
//   double flops() const;                operations a result
//   static constexpr const char* counted;  optional: by whom these are counted
//   template <class At> auto operator()(const At& at, bool sums) const;
//                                        at: gpu/site.hpp, cpu/sites.hpp. Returns a number a
//                                        result, which is added up where `sums`
#pragma once

#include <ridge/lattice/launch.hpp>
#include <ridge/lattice/stored/code.hpp>
#include <ridge/lattice/stored/schedule.hpp>
#include <ridge/lattice/stored/tile_order.hpp>

#include <vector>

namespace ridge::lattice {

template <class K>
struct StoredCall {
  K kernel;
  SiteGrid grid; ///< of the result
  /// One number: the sum of what the kernel's calls return. Nothing is summed where it has no data.
  Span<double> sum = {};
  /// The sites that are computed; the others are left as they are. All of the grid's where it holds
  /// none.
  SiteWindow window = {};

  [[nodiscard]] SiteWindow computed() const {
    return window.end[0] == 0 ? window_of(grid) : window;
  }
};

/// Variants that are compiled ahead: what defaults pick for the kernel's `inner_ahead` values a
/// site, and on real GPUs for half lattices.
template <class K>
struct StoredAhead {
  static constexpr StoredTraits traits{sizeof(typename K::Real), K::fixed};
  static constexpr auto values = detail::listed<StoredVariant>([](auto add) {
    for (const int inner : K::inner_ahead)
      add(stored_variant_of(traits, inner, false));
#if !defined(RIDGE_TARGET_SIMT)
    if (!K::fixed) add(stored_variant_of(traits, 1, true));
#endif
  });
};

#if defined(RIDGE_LATTICE_STORED)
template <class K>
struct StoredList {
  static constexpr std::array values{StoredVariant{RIDGE_LATTICE_STORED}};
};
#else
template <class K>
struct StoredList : StoredAhead<K> {};
#endif

[[nodiscard]] constexpr StoredVariant stored_variant(const StoredGpuSchedule& s, int inner) {
  return {s.bounds, s.resident, inner, s.links, s.store};
}

namespace detail {
/// Throws UsageError when a field that is written overlaps another, or one does not begin at a
/// line.
void check_stored(const std::vector<launch::Operand>& operands);
[[nodiscard]] std::string definition(const StoredVariant& variant);
/// Bytes and operations of a launch.
struct StoredWork {
  Index read = 0, written = 0;
  int fields = 0;
  const char* value = "spinor"; ///< what a site holds
  const char* counted = "as Grid and QUDA count them";
};
[[nodiscard]] Record stored_record(const Device& device, const SiteGrid& grid,
                                   const StoredSchedule& schedule, std::string_view kernel,
                                   const StoredTraits& traits, const StoredWork& work, double flops,
                                   const std::string& site);
/// Tiles and slabs of a schedule, and how many blocks they are. Throws UsageError for blocks of
/// more threads than `bounds`.
struct Tiles {
  TileOrder order;
  Index blocks = 0;
  int threads = 0;
};
[[nodiscard]] Tiles tiles_of(const StoredGpuSchedule& s, const SiteGrid& grid);
} // namespace detail

} // namespace ridge::lattice

template <class K>
struct ridge::Pattern<ridge::lattice::StoredCall<K>> {
  using Call = lattice::StoredCall<K>;
  using Schedule = lattice::StoredSchedule;
  static constexpr auto traits = lattice::StoredAhead<K>::traits;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return lattice::stored_default(device, lattice::windowed(call.grid, call.computed()), traits);
  }
  /// Throws UsageError when the result overlaps a field that is read.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& schedule) : call_(call) {
    std::vector<launch::Operand> operands;
    call.kernel.for_each_view([&](const auto& view, bool in_place) {
      auto made = launch::operand(view.elements, in_place);
      made.alignment = 64;
      for (const auto& other : operands) {
        if (other.begin == made.begin && other.bytes == made.bytes && !other.written &&
            !made.written)
          return; // both parities of links of a whole lattice
      }
      operands.push_back(made);
    });
    if (call.sum.data != nullptr) operands.push_back(launch::operand(call.sum));
    lattice::detail::check_stored(operands);
    if (const auto* const gpu = std::get_if<lattice::StoredGpuSchedule>(&schedule))
      (void)lattice::detail::tiles_of(*gpu, lattice::windowed(call.grid, call.computed()));
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    const lattice::SiteGrid computed = lattice::windowed(call_.grid, call_.computed());
    lattice::detail::StoredWork work;
    if constexpr (requires { K::counted; }) {
      work.value = "value";
      work.counted = K::counted;
    }
    std::vector<const void*> seen;
    call_.kernel.for_each_view([&]<class V>(const V& view, bool) {
      if (view.elements.data == nullptr) return;
      for (const void* const data : seen) {
        if (data == view.elements.data) return;
      }
      seen.push_back(view.elements.data);
      const Index values = computed.sites() * (V::Code::inner ? computed.inner : 1);
      const Index bytes = values * V::Code::site_bytes;
      if constexpr (std::is_const_v<typename V::Element>) {
        work.read += bytes;
      } else {
        work.written += bytes;
      }
      ++work.fields;
    });
    return lattice::detail::stored_record(device, computed, schedule,
                                          lattice::name_or(kernel, K::name), traits, work,
                                          call_.kernel.flops(), K::form);
  }
  [[nodiscard]] launch::Demand demand(const Device& /*device*/, const Schedule& schedule) const {
    const auto* const gpu = std::get_if<lattice::StoredGpuSchedule>(&schedule);
    const std::string k = launch::type_text<K>();
    auto demand = lattice::detail::demand_of<Call>(
        "ridge/lattice/stored/executor.hpp", "StoredLooper", k, k,
        gpu != nullptr
            ? lattice::detail::definition(lattice::stored_variant(*gpu, call_.grid.inner))
            : std::string());
    demand.bodies = "ridge/lattice/stored/gpu/tiles.hpp";
    return demand;
  }

private:
  Call call_;
};
