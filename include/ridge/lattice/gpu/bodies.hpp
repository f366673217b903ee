// The bodies of all GPU kernels of lattices, without the host code that lays them over a device.
#pragma once

#include <ridge/lattice/gpu/box_reduce.hpp>
#include <ridge/lattice/gpu/flat_map.hpp>
#include <ridge/lattice/gpu/flat_reduce.hpp>
#include <ridge/lattice/gpu/fold.hpp>
#include <ridge/lattice/gpu/once_reduce.hpp>
#include <ridge/lattice/gpu/rolling_reduce.hpp>
#include <ridge/lattice/gpu/shift.hpp>
#include <ridge/lattice/gpu/site_items.hpp>
#include <ridge/lattice/gpu/site_sum.hpp>
#include <ridge/lattice/gpu/staged.hpp>
