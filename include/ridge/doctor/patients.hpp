// The patients of each pattern.
#pragma once

#include <ridge/chain/description.hpp>
#include <ridge/doctor/patient.hpp>
#include <ridge/lattice/schedule.hpp>
#include <ridge/pairs/traits.hpp>
#include <ridge/stencil/traits.hpp>

namespace ridge::doctor {

/// Throws UsageError for extents in which the kernel writes no point.
[[nodiscard]] std::unique_ptr<Patient> stencil_patient(const stencil::Traits& traits,
                                                       const Examination& examination);

/// A chain over as many items as the size has.
/// Of a kernel that evolves, of so many time levels: a launch is one sweep.
[[nodiscard]] std::unique_ptr<Patient> sweeps_patient(const stencil::Traits& traits, int levels,
                                                      const Examination& examination);

[[nodiscard]] std::unique_ptr<Patient> chain_patient(const chain::Description& chain,
                                                     const Examination& examination);

/// What a reduction or a map does with its fields.
struct FieldUse {
  lattice::Task task;
  int read = 1, written = 0; ///< fields
  double flops = 1;          ///< a real number
  int held = 0;              ///< of an expression: numbers of a site that a lane holds at once
};
[[nodiscard]] std::unique_ptr<Patient> lattice_patient(const FieldUse& use,
                                                       const lattice::SiteShape& shape,
                                                       const Examination& examination);

/// Bodies among themselves where the size is one number; else so many targets and so many sources.
/// `steps` of Newton's method follow each reciprocal root.
[[nodiscard]] std::unique_ptr<Patient> pairs_patient(const pairs::Traits& traits, int steps,
                                                     const Examination& examination);

} // namespace ridge::doctor
