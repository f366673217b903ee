// A far field for any interaction: bodies that are near one by one, those that are far by proxies.
//
//   pairs::FarField field(queue, bodies, {.theta = 0.7, .degree = 4});
//   field.update();                                        // as often as bodies have moved
//   Program sums(queue, pairs::afar(field, call));         // a call of bodies among themselves
//   sums.run();
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/pairs/far/data.hpp>
#include <ridge/spatial/octree.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace ridge::pairs {

struct FarOptions {
  /// The largest radius of a node over its distance from targets: 0, all pairs, to 1.
  double theta = 0.7;
  int degree = 4; ///< of the polynomials along each axis, 1 to 8
  int leaf = 0;   ///< most bodies of a leaf; 0: half as many as a node has proxies, 32 at least
};

/// Throws UsageError for options beyond these.
void require_sound(const FarOptions& options);

/// About how far sums are off, in parts of the sum of their terms' absolute values.
[[nodiscard]] double far_error_at(const FarOptions& options);
/// The rms error that sums may have, over the rms of the sums, where far_error_at allows single
/// bodies more than a quarter of their terms: degrees 1 and 2 near theta 1. Nothing elsewhere.
[[nodiscard]] std::optional<double> far_rms_at(const FarOptions& options);

/// An error does not choose larger ones: beyond, sums are off the more where targets are near
/// corners.
inline constexpr double most_chosen_theta = 0.9;
/// A degree and theta for an error: the rms of what sums are off over the rms of the sums. The
/// cheapest by a table of measurements of charges at random; `degree` 0: any. Throws UsageError for
/// errors below 1e-5 in fp32, 1e-10 in fp64, or above 0.1.
[[nodiscard]] FarOptions far_choice(double error, int degree, std::string_view precision);
/// The theta to try next where `theta` gave more than that error, or less than half of it.
[[nodiscard]] double next_far_theta(const FarOptions& options, double asked, double found);

template <class T>
class FarField {
public:
  /// Components of the bodies, positions first, on the device of `queue`; both must outlive it.
  /// Throws UsageError for options that are not right and bodies with more than 11 components.
  template <std::size_t N>
  FarField(Queue& queue, const std::array<Span<const T>, N>& bodies, const FarOptions& options)
      : FarField(queue, std::vector<Span<const T>>(bodies.begin(), bodies.end()), options) {
    static_assert(N >= 3, "bodies need positions: x, y, z");
  }
  FarField(Queue& queue, const std::vector<Span<const T>>& bodies, const FarOptions& options);

  /// Builds the field of where bodies are now. Throws UsageError that names the first body whose
  /// position is not finite, Failure where memory is too small.
  void update();

  [[nodiscard]] const FarOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<Span<const T>>& bodies() const { return bodies_; }
  /// Stays where it is; what it says changes when the field is updated.
  [[nodiscard]] const FarData<T>& data() const { return data_; }
  [[nodiscard]] const spatial::Octree<T, T>& octree() const { return octree_; }

private:
  Queue& queue_;
  std::vector<Span<const T>> bodies_;
  FarOptions options_;
  spatial::Octree<T, T> octree_;
  FindProxies<T>* find_;
  FarData<T> data_;
  Field<T> proxies_;
  Field<std::uint32_t> ranges_;
};

template <class T, std::size_t N>
FarField(Queue&, const std::array<Span<const T>, N>&, const FarOptions&) -> FarField<T>;

} // namespace ridge::pairs
