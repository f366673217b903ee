// What the module for MPI offers to the library: a function of this name and type.
#pragma once

#include <ridge/comm/communicator.hpp>

namespace ridge::comm {

/// Starts MPI and hands over its world, which ends MPI when it is destroyed.
using OpenWorld = Communicator*();
inline constexpr const char* open_world_name = "ridge_open_mpi_world";

} // namespace ridge::comm
