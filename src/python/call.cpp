#include "call.hpp"

#include <ridge/device/device.hpp>
#include <ridge/device/kind.hpp>

#include "options.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace ridge::python {

namespace {

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// What the interpreter says of a number that is none, with its name.
[[noreturn]] void refuse_number(const Signature& signature, std::size_t i, nb::handle number) {
  const nb::python_error e;
  const std::string name =
      i < signature.numbers.size() ? signature.numbers[i] : fmt::format("number {}", i);
  throw nb::type_error(fmt::format("{}: {} is {}, of type {}; a real number is right",
                                   signature.kernel, name, shown(number), type_of(number))
                           .c_str());
}

} // namespace

std::string Call::place(std::string_view schedule) const {
  std::string key;
  key.reserve(512); // grown once
  key = schedule;
  append(key, arrays.device.kind);
  append(key, arrays.device.number);
  append(key, arrays.stream);
  key += arrays.storage;
  for (const Array& a : arrays.all) {
    append(key, a.data);
    append(key, a.rank);
    append(key, a.element_bytes);
    for (int d = 0; d < a.rank; ++d) {
      append(key, a.extents[static_cast<std::size_t>(d)]);
      append(key, a.strides[static_cast<std::size_t>(d)]);
    }
  }
  return key;
}

std::string Call::key(std::string_view schedule) const {
  std::string key = place(schedule);
  for (const double number : numbers)
    append(key, number);
  return key;
}

Call look_at_call(const Signature& signature, nb::tuple arrays, nb::tuple numbers,
                  nb::object device) {
  Call call;
  call.arrays = look_at(std::move(arrays), signature);
  call.numbers.reserve(numbers.size());
  for (const nb::handle number : numbers) {
    const double value = PyFloat_AsDouble(number.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr)
      refuse_number(signature, call.numbers.size(), number);
    call.numbers.push_back(value);
  }
  if (device.is_none()) return call;
  const DeviceId wanted = parse_device(text_of(signature.kernel, "device", device));
  const bool on_host = !facts_of(wanted.kind).is_gpu();
  if (on_host != !facts_of(call.arrays.device.kind).is_gpu() ||
      (!on_host && !(wanted == call.arrays.device))) {
    throw nb::type_error(fmt::format("{}: the arrays are on {}, which {} cannot use in place; "
                                     "copy them there first",
                                     signature.kernel, to_text(call.arrays.device), to_text(wanted))
                             .c_str());
  }
  call.arrays.device = wanted;
  return call;
}

} // namespace ridge::python
