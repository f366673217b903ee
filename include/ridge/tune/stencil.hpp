// Tuning of stencils.
#pragma once

#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/menu.hpp>
#include <ridge/tune/automatic.hpp>
