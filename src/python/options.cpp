#include "options.hpp"

#include "../core/refuse.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>

namespace nb = nanobind;

namespace ridge::python {

namespace {

[[noreturn]] void refuse(const std::string& kernel, const char* option, nb::handle given,
                         const char* right) {
  throw nb::type_error(
      fmt::format("{}: {}={}; {} is right", kernel, option, shown(given), right).c_str());
}

} // namespace

std::string shown(nb::handle object) {
  constexpr std::size_t most = 60;
  std::string text;
  try {
    text = nb::cast<std::string>(nb::repr(object));
  } catch (nb::python_error&) {
    return "an object that cannot be shown";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

std::string type_of(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

std::string text_of(const std::string& kernel, const char* option, nb::handle given) {
  if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
  refuse(kernel, option, given,
         std::string_view(option) == "device" ? "a name in quotes, such as 'cpu' or 'simt:32',"
                                              : "a text in quotes, such as 'auto',");
}

Index whole_of(const std::string& kernel, const char* option, nb::handle given, Index least) {
  if (PyIndex_Check(given.ptr()) == 0 || PyBool_Check(given.ptr()))
    refuse(kernel, option, given, "a whole number");
  const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const long long value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    const nb::python_error e;
    refuse(kernel, option, given, "a number that 64 bits hold");
  }
  refuse_if(value < least, "{}: {}={}; at least {} is right", kernel, option, value, least);
  return value;
}

} // namespace ridge::python
