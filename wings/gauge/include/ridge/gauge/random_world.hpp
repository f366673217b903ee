// Random links and values of operators on stored fields that are benched.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/gauge/su3.hpp>
#include <ridge/lattice/stored/menu.hpp>
#include <ridge/lattice/stored/part.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/precision.hpp>

#include <array>

namespace ridge::gauge {

using lattice::Fixed16;
using lattice::site_grid;
using lattice::SiteGrid;
using lattice::Sites;
using lattice::stored_menu;
using lattice::StoredCall;
using lattice::StoredField;
using lattice::StoredNumber;
using lattice::StoredPart;
using lattice::StoredSchedule;
using lattice::StoredUse;
using lattice::StoredView;

/// Links and values as functions of the place: nothing of the size of a field is kept on the host.
/// Links are drawn from some thousand random elements of SU(3).
class RandomWorld {
public:
  explicit RandomWorld(const Extents& n) {
    for (std::size_t d = 0; d < 4; ++d)
      n_[d] = static_cast<int>(n[static_cast<int>(d)]);
    for (std::size_t i = 0; i < links_.size(); ++i)
      links_[i] = random_su3(1, static_cast<std::int64_t>(i));
  }
  [[nodiscard]] const std::array<int, 4>& extents() const { return n_; }
  [[nodiscard]] const ColourMatrix<double>& link(const int (&x)[4], int mu) const {
    return links_[mix_bits(static_cast<std::uint64_t>(site(x) * 4 + mu)) % links_.size()];
  }
  /// A tensor of doubles at value `s` of the fifth dimension.
  template <class Tensor>
  [[nodiscard]] Tensor value(const int (&x)[4], int s) const {
    Tensor all;
    const std::int64_t first = ((std::int64_t{s} << 34) + site(x)) * lattice::reals_of<Tensor>;
    for (int c = 0; c < lattice::components_of<Tensor>; ++c)
      component(all, c) = {random_value(2, first + 2 * c), random_value(2, first + 2 * c + 1)};
    return all;
  }
  [[nodiscard]] Spinor<double> spinor(const int (&x)[4], int s) const {
    return value<Spinor<double>>(x, s);
  }

  [[nodiscard]] std::int64_t site(const int (&x)[4]) const {
    return x[0] + n_[0] * (x[1] + n_[1] * (x[2] + std::int64_t{n_[2]} * x[3]));
  }

private:
  std::array<int, 4> n_{};
  std::array<ColourMatrix<double>, 4096> links_;
};

/// The sites that the neighbours of a grid's sites are.
[[nodiscard]] inline SiteGrid opposite(SiteGrid grid) {
  if (grid.half != 0) grid.parity = 1 - grid.parity;
  return grid;
}

/// 18 or 12, as --site says; else `otherwise`. Throws UsageError for others, and for a --width.
[[nodiscard]] int link_reals(const std::string& kernel, const BenchRequest& request, int otherwise);
/// Calls made<Number, Reals>() for numbers and links that are asked for. Throws UsageError for
/// others.
template <class Made>
[[nodiscard]] auto with_links(const std::string& kernel, const BenchRequest& request, int otherwise,
                              const Made& made, std::string_view known = "fp32 and fp64") {
  const int reals = link_reals(kernel, request, otherwise);
  return in_precision(
      request.precision, kernel,
      [&]<class T>(T /*number*/) {
        return reals == 18 ? made.template operator()<T, 18>() : made.template operator()<T, 12>();
      },
      known);
}

} // namespace ridge::gauge
