// Tuning of interactions of pairs.
#pragma once

#include <ridge/pairs/menu.hpp>
#include <ridge/tune/automatic.hpp>
