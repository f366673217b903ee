// Solves of fields in single precision that go on in double.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/grid/multigrid.hpp>

namespace ridge::solve::detail {

/// The same numbers in double, by the host.
[[nodiscard]] Field<double> widened(Queue& queue, const View<const float>& from);
/// `to` = them, rounded.
void narrow(Queue& queue, const Field<double>& from, const View<float>& to);
/// What is asked of the rest of a solve.
[[nodiscard]] GridOptions rest_of(const GridOptions& options, const GridSolution& first);
/// Both as one solve.
[[nodiscard]] GridSolution joined(const GridSolution& first, GridSolution then);

} // namespace ridge::solve::detail
