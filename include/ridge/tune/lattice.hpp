// Tuning of lattice launches: reductions, maps, expressions and site loops.
#pragma once

#include <ridge/lattice/menu.hpp>
#include <ridge/tune/automatic.hpp>
