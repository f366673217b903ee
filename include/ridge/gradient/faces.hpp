// Points beyond the faces of a field of a gradient over time, filled in place by one launch.
#pragma once

#include <ridge/core/stored.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/device/view.hpp>
#include <ridge/stencil/boundary.hpp>

#include <array>
#include <string>

namespace ridge::gradient {

class Faces {
public:
  /// `boundary` is what stencil::parse_boundaries reads; fields have `reach` points, x first,
  /// beyond every face that is not untouched. Of `even` fields, coefficients, nothing is fixed and
  /// all reflection is even. Throws UsageError for a boundary that there is not.
  Faces(const std::string& boundary, const std::array<Index, 3>& reach,
        const std::array<double, 3>& spacing, bool even);

  /// Sets what faces fix and what lies beyond them, in the order of the queue.
  template <class T>
  void fill(Queue& queue, const View<T>& wide) const;

private:
  stencil::Boundaries boundaries_;
  stencil::Offset reach_;
  bool even_;
};

extern template void Faces::fill(Queue&, const View<float>&) const;
extern template void Faces::fill(Queue&, const View<double>&) const;
extern template void Faces::fill(Queue&, const View<Fp16>&) const;
extern template void Faces::fill(Queue&, const View<Bf16>&) const;

} // namespace ridge::gradient
