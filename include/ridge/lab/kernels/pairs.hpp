// All built-in interactions.
#pragma once

#include <ridge/pairs/interactions/biot_savart.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>
#include <ridge/pairs/interactions/gaussian.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/interactions/lennard_jones.hpp>
