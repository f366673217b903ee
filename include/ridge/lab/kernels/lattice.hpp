// All built-in kernels of lattices, but expressions, whose types say all.
#pragma once

#include <ridge/gauge/cg_step.hpp>
#include <ridge/gauge/clover.hpp>
#include <ridge/gauge/dslash.hpp>
#include <ridge/gauge/fifth_dimension.hpp>
#include <ridge/gauge/staggered.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduction.hpp>
