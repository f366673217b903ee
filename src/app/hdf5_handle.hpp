// What of the HDF5 library the command uses.
#pragma once

#include "../io/hdf5_handle.hpp"

namespace ridge::app {

using io::Handle;

} // namespace ridge::app
