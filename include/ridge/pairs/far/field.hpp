// A far field for any interaction: bodies that are near one by one, those that are far by proxies.
//
//   pairs::FarField field(queue, bodies, {.theta = 0.7, .degree = 4});
//   field.update();                                        // as often as bodies have moved
//   Program sums(queue, pairs::afar(field, call));         // a pairs::Call of bodies among
//   themselves sums.run();
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/pairs/far/data.hpp>
#include <ridge/spatial/octree.hpp>

#include <array>
#include <optional>
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

  /// Of where bodies are now. Throws UsageError that names the first body whose position is not
  /// finite, Failure where memory is too small.
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
