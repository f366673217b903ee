// The part of DLPack's binary interface (https://dmlc.github.io/dlpack) that is read here.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>

namespace ridge::python::dlpack {

constexpr std::uint8_t float_code = 2, bfloat_code = 4;

struct Device {
  std::int32_t type, number;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides; ///< in elements; null: packed
  std::uint64_t byte_offset;
};
struct Versioned {
  std::uint32_t major, minor;
  void* manager;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;
};

struct Release {
  void operator()(Versioned* v) const {
    if (v->deleter != nullptr) v->deleter(v);
  }
};
using Managed = std::unique_ptr<Versioned, Release>;

/// What a library offers for arrays of a type beside the protocol: the same without objects of
/// Python between, a tenth of the time. Nothing is waited for.
struct Exchange {
  std::uint32_t major, minor;
  Exchange* previous; ///< as of an older version
  void* allocate;
  int (*manage)(void* object, Versioned** to);
  void* to_object;
  int (*describe)(void* object, Tensor* to); ///< null, or valid until Python runs again
  int (*current_stream)(std::int32_t type, std::int32_t number, void** stream);
};

/// Null where the type of the object has none.
inline const Exchange* exchange_of(PyObject* object) {
  // Calls are mostly of one type of array: the last that has one is kept, with its address.
  static PyTypeObject* last = nullptr;
  static const Exchange* of_last = nullptr;
  PyTypeObject* const type = Py_TYPE(object);
  if (type == last) return of_last;
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  PyObject* const capsule = PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name);
  if (capsule == nullptr) PyErr_Clear();
  constexpr const char* holds = "dlpack_exchange_api";
  const Exchange* found = nullptr;
  if (PyCapsule_IsValid(capsule, holds) != 0)
    found = static_cast<const Exchange*>(PyCapsule_GetPointer(capsule, holds));
  Py_XDECREF(capsule); // the type keeps it
  while (found != nullptr && found->major != 1)
    found = found->previous;
  if (found == nullptr) return nullptr;
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  Py_XDECREF(reinterpret_cast<PyObject*>(last));
  last = type;
  of_last = found;
  return found;
}

struct Described {
  const Tensor* tensor = nullptr;
  bool read_only = false, copied = false;
};

inline Described described(const Versioned& v) {
  if (v.major != 1) return {};
  return {&v.tensor, (v.flags & 1) != 0, (v.flags & 2) != 0};
}

/// What a capsule holds; it stays its owner, and frees what it holds when it goes.
inline Described open(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    return described(
        *static_cast<const Versioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned")));
  }
  if (PyCapsule_IsValid(capsule, "dltensor") != 0)
    return {static_cast<const Tensor*>(PyCapsule_GetPointer(capsule, "dltensor"))};
  return {};
}

} // namespace ridge::python::dlpack
