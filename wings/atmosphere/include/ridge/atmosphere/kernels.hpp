// All kernels of the atmosphere.
#pragma once

#include <ridge/atmosphere/implicit.hpp>
#include <ridge/atmosphere/viscous.hpp>
