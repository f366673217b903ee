// Stored fields: site tensors of a whole lattice, or of the sites of one parity, with one value a
// site or one for each value of a fifth dimension.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lattice/stored/code.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace ridge::lattice {

/// Which sites: all, or those of one parity.
enum class Sites { all, even, odd };

/// How the sites of a lattice of four dimensions lie on a device, for numbers of `real_bytes` that
/// are computed with. Throws UsageError for other than four dimensions, for half lattices with an
/// odd extent, and for fewer than one value a site.
[[nodiscard]] SiteGrid site_grid(const Device& device, const Extents& extents, Sites sites,
                                 int real_bytes, int inner = 1);

namespace detail {
/// Lanes of a group of a field, and how many groups it has.
struct StoredGroups {
  int lanes = 1;
  Index groups = 0;
};
[[nodiscard]] StoredGroups stored_groups(const SiteGrid& grid, bool inner);

/// The coordinates of the whole lattice of stored site `i`, x fastest, and as the grid stores them.
struct StoredCoordinates {
  int whole[grid_dimensions], stored[grid_dimensions];
};
[[nodiscard]] StoredCoordinates stored_coordinates(const SiteGrid& grid, Index i);

/// Zeros on the host, which all threads write first: one alone takes longer to get the pages than
/// to copy them.
template <class Element>
[[nodiscard]] std::unique_ptr<Element[]> zeros_of_all_threads(Index count) {
  auto all = std::make_unique_for_overwrite<Element[]>(static_cast<std::size_t>(count));
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(count, thread, threads);
    std::fill(all.get() + mine.begin, all.get() + mine.end, Element{});
  });
  return all;
}
} // namespace detail

/// Owns the memory of a stored field on a device.
template <class Tensor, class Number, int Reals = reals_of<Tensor>>
class StoredField {
public:
  using View = StoredView<Tensor, Number, Reals>;
  using Code = typename View::Code;
  using Element = typename Code::Element;
  using Host = Over<Tensor, double>;

  /// Throws Failure with the need and what there is when it does not fit.
  StoredField(const Device& device, const SiteGrid& grid, std::string name = "field")
      : grid_(grid), groups_(detail::stored_groups(grid, Code::inner)), name_(std::move(name)),
        memory_(device, bytes(), name_) {}

  [[nodiscard]] const SiteGrid& grid() const { return grid_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Bytes bytes() const {
    return {elements_count() * static_cast<Index>(sizeof(Element))};
  }
  [[nodiscard]] View view() const {
    return {{static_cast<Element*>(memory_.data()), elements_count()}, groups_.lanes};
  }
  [[nodiscard]] int inner() const { return Code::inner ? grid_.inner : 1; }

  /// Stores make(coordinates, s) of each site that is stored, on all threads of the host, and
  /// waits. `coordinates` are those of the whole lattice, an `int[4]`.
  template <class Make>
  void fill(Queue& queue, const Make& make) {
    const auto host = detail::zeros_of_all_threads<Element>(elements_count());
    each([&](const detail::StoredCoordinates& c, int s) {
      put(host.get(), c, s, make(c.whole, s));
    });
    copy_bytes_to_device(queue, memory_.data(), host.get(), bytes());
    queue.wait();
  }
  /// Calls take(coordinates, s, value) with each stored value, on all threads of the host.
  template <class Take>
  void visit(Queue& queue, const Take& take) const {
    const auto host = detail::zeros_of_all_threads<Element>(elements_count());
    copy_bytes_to_host(queue, host.get(), memory_.data(), bytes());
    queue.wait();
    each([&](const detail::StoredCoordinates& c, int s) {
      take(c.whole, s, get(host.get(), c, s));
    });
  }

private:
  [[nodiscard]] Index elements_count() const {
    return groups_.groups * groups_.lanes * Code::words;
  }
  template <class F>
  void each(const F& f) const {
    const Index sites = grid_.sites();
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(sites, thread, threads);
      for (Index i = mine.begin; i < mine.end; ++i) {
        const auto c = detail::stored_coordinates(grid_, i);
        for (int s = 0; s < inner(); ++s)
          f(c, s);
      }
    });
  }
  [[nodiscard]] std::size_t at(const detail::StoredCoordinates& c, int s, int e) const {
    const StoredPlace p = stored_place(grid_, c.stored, Code::inner, s, groups_.lanes);
    const int chunk = grid_.chunk == 0 ? 1 : grid_.chunk / static_cast<int>(sizeof(Element));
    return static_cast<std::size_t>(element_at<Code>(p.group, p.lane, groups_.lanes, chunk, e));
  }
  void put(Element* host, const detail::StoredCoordinates& c, int s, const Host& value) const {
    const auto* const reals = reinterpret_cast<const double*>(&value);
    if constexpr (Code::fixed) {
      double most = 1;
      if constexpr (Code::scaled) {
        most = 1e-30;
        for (int r = 0; r < Reals; ++r)
          most = std::max(most, std::abs(reals[r]));
        host[at(c, s, Code::elements)] = bits_of_float(static_cast<float>(most / 32767));
      }
      const auto fitted = [&](int r) {
        return static_cast<float>(std::clamp(reals[r] / most, -1.0, 1.0) * 32767);
      };
      for (int e = 0; e < Code::elements; ++e)
        host[at(c, s, e)] = encode_word(fitted(2 * e), fitted(2 * e + 1));
    } else {
      for (int r = 0; r < Reals; ++r)
        host[at(c, s, r)] = static_cast<Element>(reals[r]);
    }
  }
  [[nodiscard]] Host get(const Element* host, const detail::StoredCoordinates& c, int s) const {
    Host value{};
    auto* const reals = reinterpret_cast<double*>(&value);
    if constexpr (Code::fixed) {
      double scale = 1.0 / 32767;
      if constexpr (Code::scaled)
        scale = static_cast<double>(float_of_bits(host[at(c, s, Code::elements)]));
      for (int e = 0; e < Code::elements; ++e) {
        float a = 0, b = 0;
        decode_word(host[at(c, s, e)], a, b);
        reals[2 * e] = scale * static_cast<double>(a);
        reals[2 * e + 1] = scale * static_cast<double>(b);
      }
    } else {
      for (int r = 0; r < Reals; ++r)
        reals[r] = static_cast<double>(host[at(c, s, r)]);
    }
    if constexpr (Code::two_rows) complete_rows(value, 1.0);
    return value;
  }

  SiteGrid grid_;
  detail::StoredGroups groups_;
  std::string name_;
  Memory memory_;
};

} // namespace ridge::lattice
