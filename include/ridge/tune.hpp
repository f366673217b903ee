// Tuning: the fastest schedule of a call, kept for every later launch; the one header of it for
// users (docs/headers.md). Host code only.
#pragma once

#include <ridge/tune/chain.hpp>
#include <ridge/tune/lattice.hpp>
#include <ridge/tune/pairs.hpp>
#include <ridge/tune/stencil.hpp>
