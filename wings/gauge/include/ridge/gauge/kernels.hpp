// All kernels of lattice gauge theory that schedules ask for.
#pragma once

#include <ridge/gauge/cg_step.hpp>
#include <ridge/gauge/clover.hpp>
#include <ridge/gauge/clover_links.hpp>
#include <ridge/gauge/dslash.hpp>
#include <ridge/gauge/fifth_dimension.hpp>
#include <ridge/gauge/recode.hpp>
#include <ridge/gauge/staggered.hpp>
#include <ridge/gauge/wilson.hpp>
