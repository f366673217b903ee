// Lattice gauge theory: links, operators of fermions and their solvers, heatbath and smearing; the
// one header of it for users (docs/headers.md).
//
// In kernel sources it brings fields of links and site operators; in host code also the solvers.
#pragma once

#include <ridge/gauge/links.hpp>
#include <ridge/gauge/operators.hpp>
#include <ridge/lattice.hpp>

#ifdef RIDGE_TARGET_NONE
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/domain_wall.hpp>
#include <ridge/gauge/flow.hpp>
#include <ridge/gauge/gaussian.hpp>
#include <ridge/gauge/hadrons.hpp>
#include <ridge/gauge/heatbath.hpp>
#include <ridge/gauge/hmc.hpp>
#include <ridge/gauge/loops.hpp>
#include <ridge/gauge/plaquette.hpp>
#include <ridge/gauge/slices.hpp>
#include <ridge/gauge/smear.hpp>
#include <ridge/gauge/staggered_solver.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#endif
