// Site kernels of fields with numbers of two sizes, and of fields that they name or do not.
#pragma once

#include <ridge/lattice/site_access.hpp>

namespace ridge::lattice::test {

/// z(x) = a(x + d) + w(x - d) a(x), w of real numbers: half the size of the others.
struct Weighted {
  SiteView<const ColourVector<double>> a;
  SiteView<const double> w;
  SiteView<ColourVector<double>> z;
  int d = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    const auto weight = coalesced_read(at.shifted(d, -1), w);
    coalesced_write(at, z, coalesced_read(at.shifted(d, 1), a) + weight * coalesced_read(at, a));
  }
  template <class F>
  void for_each_view(const F& f) const {
    f(a), f(w), f(z);
  }
};

/// z(x) = a(x + d), of fields that it does not name.
struct Unnamed {
  SiteView<const ColourVector<double>> a;
  SiteView<ColourVector<double>> z;
  int d = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    coalesced_write(at, z, coalesced_read(at.shifted(d, 1), a));
  }
};

/// The same of fields that it names.
struct Named : Unnamed {
  template <class F>
  void for_each_view(const F& f) const {
    f(a), f(z);
  }
};

} // namespace ridge::lattice::test
