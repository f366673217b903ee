// What torch is told of tensors that were written to: its graphs may have kept them for later.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Counts versions of tensors as torch does it, once `ridge._torch` has said how.
class Versions {
public:
  /// `increment` takes a tuple of tensors, which are of the type `tensor`.
  void set(nanobind::object tensor, nanobind::object increment) {
    tensor_ = std::move(tensor);
    increment_ = std::move(increment);
  }

  /// Tells of `out`, a tuple where there are several. False where it is no tensor, or has none.
  [[nodiscard]] bool tell(nanobind::handle out, bool several) const {
    if (!increment_.is_valid()) return false;
    const nanobind::object all =
        several ? nanobind::borrow(out) : nanobind::object(nanobind::make_tuple(out));
    const int is_tensor = PyObject_IsInstance(PyTuple_GetItem(all.ptr(), 0), tensor_.ptr());
    PyObject* const told = is_tensor == 1
                               ? PyObject_CallFunctionObjArgs(increment_.ptr(), all.ptr(), nullptr)
                               : nullptr;
    if (told == nullptr) PyErr_Clear(); // one is of another library, or was made in inference mode
    Py_XDECREF(told);
    return told != nullptr;
  }

private:
  nanobind::object tensor_, increment_;
};

/// Those of the process; never destroyed, as the interpreter ends before.
[[nodiscard]] inline Versions& versions() {
  static auto* const all = new Versions;
  return *all;
}

} // namespace ridge::python
