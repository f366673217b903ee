// How `ridge solve poisson` says what a solve did.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/field.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/record/record.hpp>

#include <string>
#include <string_view>

namespace ridge::app {

/// The record of a cycle on average, `size` being of all ranks. Its ceiling is a copy of as much
/// memory as `f` and `u` take, of all ranks together; the copy writes over both fields. `own` is
/// the user's operator, empty for Poisson's. T is float or double. Collective.
template <class T>
Record record_of_solve(Queue& queue, comm::Communicator& ranks, const Extents& size,
                       const std::string& own, const solve::GridSolution& solution,
                       const Field<T>& f, const Field<T>& u);

/// By which it converged, as files and records have it: "residual" or "rounding".
[[nodiscard]] std::string_view criterion_of(const solve::GridSolution& solution);

/// Residuals cycle by cycle, what they cost, and the name of the file.
void print_solve(const Record& record, const solve::GridSolution& solution,
                 const std::string& written);

} // namespace ridge::app
