// Options of calls, which Python may give as anything.
#pragma once

#include <ridge/core/index.hpp>

#include <nanobind/nanobind.h>

#include <string>

namespace ridge::python {

/// An object as Python shows it, on one line, cut where it is long.
[[nodiscard]] std::string shown(nanobind::handle object);
[[nodiscard]] std::string type_of(nanobind::handle object);

/// Raise TypeError, which begins with the kernel's name and the option's, for what is no text, no
/// whole number, no number; UsageError for one below `least`.
[[nodiscard]] std::string text_of(const std::string& kernel, const char* option,
                                  nanobind::handle given);
[[nodiscard]] Index whole_of(const std::string& kernel, const char* option, nanobind::handle given,
                             Index least);

} // namespace ridge::python
