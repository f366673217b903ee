// Elliptic problems of constant coefficients solved by a Fourier transform: FFTW's on the host, the
// vendor's on a GPU. These libraries are opened at run time.
#pragma once

#include "equations.hpp"

#include <memory>
#include <string>

namespace ridge::solve::detail {

template <class T>
class Fourier {
public:
  /// Why no problem can be solved so on this device; empty where one of constant coefficients can.
  [[nodiscard]] static std::string problem(const Device& device);

  /// Whether it is the fastest way there: on GPUs points are reflected at faces, which makes the
  /// transforms up to eight times as large as the field, and more where faces are not alike.
  [[nodiscard]] static bool is_small(const Device& device, const GridProblem& problem);

  /// Throws UsageError where it cannot be, Failure where memory does not suffice.
  explicit Fourier(Equations<T>& equations);
  ~Fourier();

  /// u of A u = number b, on the points that are solved for. A mean that nothing fixes is 0.
  void solve(Span<const T> b, Span<T> u, T number);
  void solve(const Field<T>& b, const Field<T>& u) {
    solve(Span<const T>(b.elements()), u.elements(), 1);
  }
  /// Where b and u are read and written once and in order: on GPUs between periodic faces.
  [[nodiscard]] bool is_packed() const;
  /// Least bytes of a solve: each of two transforms reads and writes its array, and so does the
  /// division between them.
  [[nodiscard]] double bytes() const;

private:
  class Way;
  class Extended;
  class Real;
  void begin();

  Equations<T>& equations_;
  std::shared_ptr<Way> way_;
};

/// The method that the options ask for, or the quickest. Throws UsageError for options that do not
/// go together or with the problem.
template <class T>
[[nodiscard]] GridMethod method_for(const Equations<T>& equations, const GridOptions& options);

} // namespace ridge::solve::detail
