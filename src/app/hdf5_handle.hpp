// What of the HDF5 library the command uses.
#pragma once

#include "../io/hdf5_error.hpp"
#include "../io/hdf5_handle.hpp"

namespace ridge::app {

using io::borrowed;
using io::Handle;
using io::hdf5_reason;
using io::quiet_hdf5;

} // namespace ridge::app
