#include <ridge/stencil/kernel.hpp>

#include "words.hpp"

struct Words {
  static constexpr auto footprint = ridge::stencil::star<1>();
  double rate = 0.7, off = 0;
  template <class N>
  RIDGE_FN auto operator()(const N& u) const {
    return words::all_of(u(-1, 0, 0), u(0, 1, 0), rate, off);
  }
};
