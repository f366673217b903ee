// Subjects: kernels and calls that a schedule is found for.
#pragma once

#include <ridge/core/extents.hpp>

#include <string>
#include <typeinfo>

namespace ridge {

class Menu; // ridge/pattern/menu.hpp
struct Place;

/// A kernel at one size.
struct Subject {
  const std::type_info* call; ///< the type that executors take
  std::string kernel;         ///< the name people know it by
  std::string precision;      ///< "fp32", "fp64", "mixed"
  Extents size;
  std::string site = {}; ///< lattices: what a site holds
};

} // namespace ridge
