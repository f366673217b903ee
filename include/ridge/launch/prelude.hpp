// The prelude of every executor that is compiled on demand for the cpu or the emulated GPU:
// compiled once and kept (src/launch/prelude.hpp). Nothing in it depends on which variant is meant.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/functions.hpp>
#include <ridge/core/text.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/device/queue.hpp>
#include <ridge/launch/offer.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>
