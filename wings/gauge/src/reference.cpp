// The plain Wilson operator on the host.
#include <ridge/gauge/reference.hpp>

namespace ridge::gauge {

const std::array<Gamma, 4>& gammas() {
  static const std::complex<double> i(0, 1);
  static const std::array<Gamma, 4> all{{
      {{3, 2, 1, 0}, {i, i, -i, -i}},
      {{3, 2, 1, 0}, {-1.0, 1.0, 1.0, -1.0}},
      {{2, 3, 0, 1}, {i, -i, -i, i}},
      {{2, 3, 0, 1}, {1.0, 1.0, 1.0, 1.0}},
  }};
  return all;
}

void add_reference_hop(Expected& sum, int mu, double s, const HostLink& link, bool adjoint,
                       const HostSpinor& psi) {
  HostSpinor product{};
  std::array<double, 12> size{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::complex<double> u = adjoint ? std::conj(link[k * 3 + row]) : link[row * 3 + k];
      for (std::size_t spin = 0; spin < 4; ++spin) {
        const std::complex<double> v = psi[spin * 3 + k];
        // Written out: the library's product looks for infinities.
        product[spin * 3 + row] += std::complex<double>(u.real() * v.real() - u.imag() * v.imag(),
                                                        u.real() * v.imag() + u.imag() * v.real());
        size[spin * 3 + row] += size_of(u) * size_of(v);
      }
    }
  }
  const Gamma& gamma = gammas()[static_cast<std::size_t>(mu)];
  for (std::size_t spin = 0; spin < 4; ++spin) {
    const auto other = static_cast<std::size_t>(gamma.column[spin]);
    const std::complex<double> factor = -s * gamma.value[spin];
    for (std::size_t colour = 0; colour < 3; ++colour) {
      const std::size_t to = spin * 3 + colour;
      const std::complex<double> v = product[other * 3 + colour];
      sum.value[to] +=
          product[to] + std::complex<double>(factor.real() * v.real() - factor.imag() * v.imag(),
                                             factor.real() * v.imag() + factor.imag() * v.real());
      sum.scale[to] += size[to] + size[other * 3 + colour];
    }
  }
}

} // namespace ridge::gauge
