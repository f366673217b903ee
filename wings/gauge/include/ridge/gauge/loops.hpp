// Wilson and Polyakov loops on a device. Rounded: the same bits on every device.
#pragma once

#include <ridge/gauge/links.hpp>
#include <ridge/gauge/rounded_link.hpp>
#include <ridge/lattice/site_call.hpp>

#include <functional>
#include <vector>

namespace ridge::gauge {

/// out(x) = U_mu(x) line(x + mu): the product of one link more along mu.
struct ExtendLine {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "line";
  static constexpr double flops = 198;

  lattice::SiteView<const Link> link, line;
  lattice::SiteView<Link> out;
  int mu = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto longer = product(rounded_read(at, link), rounded_read(at.shifted(mu, 1), line));
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      at.store(out, c, {component(longer, c).re.v, component(longer, c).im.v});
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(link), f(line), f(out);
  }
};

/// out(x) = tr of the loop of two lines, `across` along mu, `r` links, and `up` along nu, `t`
/// links; of a line that closes by itself, where `r` is 0, the trace of `up`.
struct LoopTrace {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "loop";
  static constexpr double flops = 2 * 198 + 36;

  lattice::SiteView<const Link> across, up;
  lattice::SiteView<lattice::Complex<double>> out;
  int mu = 0, nu = 0, r = 0, t = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    Rounded<V> re(0.0), im(0.0);
    const RoundedLink<V> here = rounded_read(at, up);
    if (r == 0) {
      for (int i = 0; i < 3; ++i) {
        re = re + here(i, i).re;
        im = im + here(i, i).im;
      }
    } else {
      const auto there = product(rounded_read(at, across), rounded_read(at.shifted(mu, r), up));
      const auto other = product(here, rounded_read(at.shifted(nu, t), across));
      for (int c = 0; c < 9; ++c) {
        const auto &a = component(there, c), &b = component(other, c);
        re = re + (a.re * b.re + a.im * b.im);
        im = im + (a.im * b.re - a.re * b.im);
      }
    }
    at.store(out, 0, {re.v, im.v});
  }

  template <class F>
  void for_each_view(const F& f) const {
    f(across), f(up), f(out);
  }
};

/// A Wilson loop of r links in space and t in time: Re tr / 3, the mean over sites and the three
/// directions.
struct WilsonLoop {
  int r = 0, t = 0;
  double value = 0;
};

/// All loops up to r by t links, in order of t, then r. Throws UsageError where r or t is below 1
/// or above the lattice's extents. `between` is called after each launch; what it throws ends all.
[[nodiscard]] std::vector<WilsonLoop> wilson_loops(Queue& queue, const Links<double>& links, int r,
                                                   int t,
                                                   const std::function<void()>& between = {});

/// The mean over sites of tr / 3 of the product of all links along time.
[[nodiscard]] lattice::Complex<double> polyakov_loop(Queue& queue, const Links<double>& links);

} // namespace ridge::gauge
