#include "masked.hpp"

#include <atomic>

namespace nb = nanobind;

namespace ridge::python {

namespace {

bool has_masked_class(nb::handle type) {
  const nb::object classes = nb::getattr(type, "__mro__", nb::tuple());
  for (const nb::handle c : classes) {
    const nb::object name = nb::getattr(c, "__name__", nb::none());
    if (PyUnicode_Check(name.ptr()) != 0 &&
        PyUnicode_CompareWithASCIIString(name.ptr(), "MaskedArray") == 0)
      return true;
  }
  return false;
}

} // namespace

bool is_masked(PyObject* object) {
  // Calls are mostly of one type of array: it is kept, so that its address stays its own.
  static std::atomic<PyTypeObject*> plain{nullptr};
  PyTypeObject* const type = Py_TYPE(object);
  if (plain.load(std::memory_order_relaxed) == type) return false;
  if (has_masked_class(reinterpret_cast<PyObject*>(type))) return true;
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  PyTypeObject* const before = plain.exchange(type, std::memory_order_relaxed);
  Py_XDECREF(reinterpret_cast<PyObject*>(before));
  return false;
}

} // namespace ridge::python
