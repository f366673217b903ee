// Tuning of chains.
#pragma once

#include <ridge/chain/menu.hpp>
#include <ridge/tune/automatic.hpp>
