// The part of DLPack's binary interface (https://dmlc.github.io/dlpack) that is read here.
#pragma once

#include <Python.h>

#include <cstdint>

namespace ridge::python::dlpack {

/// Types of devices.
enum : std::int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,
  rocm = 10,
  rocm_host = 11,
  cuda_managed = 13
};
constexpr std::uint8_t float_code = 2;

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

struct Described {
  const Tensor* tensor = nullptr;
  bool read_only = false, copied = false;
};

/// What a capsule holds; it stays its owner, and frees what it holds when it goes.
inline Described open(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    const auto* const v =
        static_cast<const Versioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (v->major != 1) return {};
    return {&v->tensor, (v->flags & 1) != 0, (v->flags & 2) != 0};
  }
  if (PyCapsule_IsValid(capsule, "dltensor") != 0)
    return {static_cast<const Tensor*>(PyCapsule_GetPointer(capsule, "dltensor"))};
  return {};
}

} // namespace ridge::python::dlpack
