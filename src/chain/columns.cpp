// Where elimination of tridiagonal systems fails.
#include <ridge/chain/columns.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/queue.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace ridge::chain {

namespace {

/// An array on the host.
template <class T>
class Copied {
public:
  Copied(Queue& queue, const View<const T>& view)
      : view_(view), values_(static_cast<std::size_t>(view.span())) {
    copy_to_host(queue, values_.data(), view.data, view.span());
    queue.wait();
  }
  [[nodiscard]] double at(Index x, Index y, Index z) const {
    return static_cast<double>(
        values_[static_cast<std::size_t>(view_.at(view_.extents.x == 1 ? 0 : x, y, z))]);
  }

private:
  View<const T> view_;
  std::vector<T> values_;
};

} // namespace

template <class T>
void require_pivots(Queue& queue, int dimensions, const View<const T>& lower,
                    const View<const T>& diagonal, const View<const T>& upper) {
  const Copied<T> a(queue, lower);
  const Copied<T> b(queue, diagonal);
  const Copied<T> c(queue, upper);
  const bool along_y = dimensions == 2;
  Index3 n = diagonal.extents;
  for (const View<const T>* view : {&lower, &upper})
    n.x = std::max(n.x, view->extents.x);
  const Index levels = along_y ? n.y : n.z;
  for (Index y = 0; y < (along_y ? 1 : n.y); ++y) {
    for (Index x = 0; x < n.x; ++x) {
      double ratio = 0;
      for (Index k = 0; k < levels; ++k) {
        const Index row = along_y ? k : y;
        const Index plane = along_y ? 0 : k;
        const double pivot = b.at(x, row, plane) - (k == 0 ? 0.0 : a.at(x, row, plane) * ratio);
        if (pivot == 0 || !std::isfinite(pivot)) {
          throw UsageError(fmt::format(
              "column {}: {} pivot at level {}: the system needs an exchange of rows, or has no "
              "solution",
              along_y ? fmt::format("{}", x) : fmt::format("({}, {})", x, y),
              pivot == 0 ? "zero" : "infinite", k));
        }
        ratio = c.at(x, row, plane) / pivot;
      }
    }
  }
}
template void require_pivots(Queue&, int, const View<const double>&, const View<const double>&,
                             const View<const double>&);
template void require_pivots(Queue&, int, const View<const float>&, const View<const float>&,
                             const View<const float>&);

} // namespace ridge::chain
