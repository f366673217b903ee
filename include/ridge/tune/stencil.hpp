// Tuning of stencils.
#pragma once

#include <ridge/stencil/menu.hpp>
#include <ridge/tune/automatic.hpp>
