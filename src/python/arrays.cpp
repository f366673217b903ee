#include "arrays.hpp"

#include <ridge/device/kind.hpp>

#include "dlpack.hpp"
#include "masked.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

/// An attribute of an array; null where it has none. Asked for in every call: its name is made
/// once.
nb::object attribute(nb::handle object, PyObject* name) {
  PyObject* const found = PyObject_GetAttr(object.ptr(), name);
  if (found == nullptr) PyErr_Clear();
  return nb::steal(found);
}

/// A type of numbers; `storage` is what the library calls those of 16 bits.
struct NumberType {
  const char* name;
  int bytes;
  const char* storage;
};
constexpr NumberType fp64{"float64", 8, ""}, fp32{"float32", 4, ""}, fp16{"float16", 2, "fp16"},
    bf16{"bfloat16", 2, "bf16"};

struct TypedArray : Array {
  NumberType type = fp64;
};

/// What is being looked at, for errors.
struct Subject {
  const std::string& kernel;
  const std::string& name;
  bool written;
  bool in_16_bits;
  Gradients gradients;

  [[noreturn]] void refuse(const std::string& why) const {
    throw nb::type_error(fmt::format("{}: {} {}", kernel, name, why).c_str());
  }
  /// Sets the type of an array's numbers, unless this kernel has none in 16 bits.
  void set_type(TypedArray& a, const NumberType& type) const {
    a.type = type;
    a.element_bytes = type.bytes;
    if (type.bytes > 2 || in_16_bits) return;
    refuse(fmt::format("is {}; this kernel takes float32 and float64. Stencils, their sweeps and "
                       "systems take arrays of 16 bits",
                       type.name));
  }
};

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

/// The last dimension of Python is the first of C++. Strides in bytes.
void set_shape(Array& a, const Subject& subject, int rank, const std::int64_t* shape,
               const std::int64_t* strides) {
  if (rank < 1 || rank > max_rank)
    subject.refuse(fmt::format("has {} dimensions; 1 to {} are possible", rank, max_rank));
  a.rank = rank;
  Index packed = a.element_bytes;
  for (int d = 0; d < rank; ++d) {
    const auto to = static_cast<std::size_t>(d);
    const int from = rank - 1 - d;
    a.extents[to] = shape[from];
    if (shape[from] == 0) subject.refuse("is empty");
    // What is never stepped along may have any stride.
    const Index stride = strides == nullptr || shape[from] == 1 ? packed : strides[from];
    if (d == 0 && stride != a.element_bytes) {
      subject.refuse(
          "is not contiguous along its last axis; numpy.ascontiguousarray, or the like of "
          "its library, makes a copy that is");
    }
    if (stride < packed || stride % a.element_bytes != 0) {
      subject.refuse("has its axes in another order than C's, or overlaps itself; "
                     "numpy.ascontiguousarray makes a copy in order");
    }
    a.strides[to] = stride / a.element_bytes;
    packed = stride * shape[from];
  }
}

/// As NumPy calls types; others by their format.
std::string name_of_format(const std::string& format) {
  constexpr std::pair<const char*, const char*> names[] = {
      {"?", "bool"},       {"b", "int8"},        {"B", "uint8"},  {"h", "int16"},
      {"H", "uint16"},     {"i", "int32"},       {"I", "uint32"}, {"l", "int64"},
      {"L", "uint64"},     {"q", "int64"},       {"Q", "uint64"}, {"g", "longdouble"},
      {"Zf", "complex64"}, {"Zd", "complex128"}, {"O", "object"},
  };
  for (const auto& [code, name] : names)
    if (format == code) return name;
  return "'" + format + "'";
}

/// The type of a number by the format of the buffer protocol or of array interfaces ("d", "<f8").
NumberType type_of_format(const Subject& subject, std::string_view format) {
  const std::string given(format);
  constexpr bool little = std::endian::native == std::endian::little;
  if (!format.empty() && std::string_view("@=<>!|").find(format[0]) != std::string_view::npos) {
    const char order = format[0];
    const bool foreign = little ? order == '>' || order == '!' : order == '<';
    if (foreign) {
      subject.refuse("is of the other byte order; x.astype(x.dtype.newbyteorder('=')) makes a copy "
                     "in this machine's");
    }
    format.remove_prefix(1);
  }
  if (format == "d" || format == "f8") return fp64;
  if (format == "f" || format == "f4") return fp32;
  if (format == "e" || format == "f2") return fp16;
  subject.refuse(fmt::format("has elements of type {}; float32 and float64 are possible, and "
                             "x.astype(float) makes a copy",
                             name_of_format(given)));
}

/// The memory that an object lets be used, if it does: arrays of some libraries do so on the host
/// alone. Released when its description was read: the object that is called with keeps the data.
class Buffer {
public:
  Buffer(const Subject& subject, nb::handle object) {
    const int read = PyBUF_STRIDES | PyBUF_FORMAT;
    given_ = get(object, read | (subject.written ? PyBUF_WRITABLE : 0));
    if (given_ || !subject.written || !get(object, read)) return;
    PyBuffer_Release(&view_);
    subject.refuse("is read-only, and the result is to be written to it");
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] bool given() const { return given_; }
  [[nodiscard]] const Py_buffer& view() const { return view_; }

private:
  bool get(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return true;
    PyErr_Clear();
    view_ = {};
    return false;
  }

  Py_buffer view_{};
  bool given_ = false;
};

TypedArray from_buffer(const Subject& subject, const Py_buffer& view, const NumberType& type) {
  TypedArray a;
  a.data = view.buf;
  subject.set_type(a, type);
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  std::array<std::int64_t, 64> shape{}, strides{};
  for (int d = 0; d < view.ndim; ++d) {
    shape[static_cast<std::size_t>(d)] = view.shape[d];
    strides[static_cast<std::size_t>(d)] = view.strides[d];
  }
  set_shape(a, subject, view.ndim, shape.data(), strides.data());
  return a;
}

/// The number of the current stream of the array's library; asked for on GPUs alone.
void* current_stream(nb::handle object, int device) {
  const nb::object helper = nb::module_::import_("ridge._arrays").attr("current_stream");
  return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(helper(object, device)));
}

/// Of DLPack's device types; those of the host have numbers of their own.
DeviceId device_of(const Subject& subject, std::int64_t type, std::int64_t number) {
  for (const KindFacts* const kind : kinds()) {
    if (std::find(kind->dlpack.begin(), kind->dlpack.end(), type) == kind->dlpack.end()) continue;
    return {kind->kind, kind->numbering == Numbering::none ? 0 : static_cast<int>(number)};
  }
  subject.refuse(fmt::format("is on a device of DLPack type {}, which ridge does not know; "
                             "the cpu, CUDA and ROCm are possible",
                             type));
}

/// Asks for the array itself, in order with `stream`: the producer waits for nothing.
nb::object export_dlpack(const Subject& subject, nb::handle object, const DeviceId& device,
                         void* stream) {
  nb::object number = nb::none();
  if (const KindFacts& kind = facts_of(device.kind); kind.is_gpu()) {
    const auto value = reinterpret_cast<std::uintptr_t>(stream);
    number = nb::int_(value == 0 ? kind.dlpack_stream : value);
  }
  const nb::object method = object.attr("__dlpack__");
  try {
    return method("stream"_a = number, "max_version"_a = nb::make_tuple(1, 0));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError))
      subject.refuse(std::string("cannot be used in place: ") +
                     nb::cast<std::string>(nb::str(e.value())));
  }
  try { // older producers know no versions
    return method("stream"_a = number);
  } catch (nb::python_error& e) {
    subject.refuse(std::string("cannot be used in place: ") +
                   nb::cast<std::string>(nb::str(e.value())));
  }
}

TypedArray from_tensor(const Subject& subject, const dlpack::Described& described,
                       const DeviceId& device, const Arrays& arrays) {
  if (described.tensor == nullptr) subject.refuse("gives no DLPack tensor");
  if (described.copied)
    subject.refuse("would be copied by its library; pass an array that need not be");
  if (described.read_only && subject.written)
    subject.refuse("is read-only, and the result is to be written to it");
  const dlpack::Tensor& t = *described.tensor;
  TypedArray a;
  a.data = static_cast<char*>(t.data) + t.byte_offset;
  const bool is_float = t.dtype.code == dlpack::float_code && t.dtype.lanes == 1;
  const bool is_bfloat = t.dtype.code == dlpack::bfloat_code && t.dtype.lanes == 1;
  if (is_float && t.dtype.bits == 64) {
    subject.set_type(a, fp64);
  } else if (is_float && t.dtype.bits == 32) {
    subject.set_type(a, fp32);
  } else if (is_float && t.dtype.bits == 16) {
    subject.set_type(a, fp16);
  } else if (is_bfloat && t.dtype.bits == 16) {
    subject.set_type(a, bf16);
  } else {
    subject.refuse("has numbers that are neither float32 nor float64, which are possible");
  }
  std::array<std::int64_t, 64> strides{};
  if (t.ndim > 64) subject.refuse("has too many dimensions");
  for (int d = 0; d < t.ndim && t.strides != nullptr; ++d)
    strides[static_cast<std::size_t>(d)] = t.strides[d] * a.element_bytes;
  set_shape(a, subject, t.ndim, t.shape, t.strides != nullptr ? strides.data() : nullptr);
  if (!(device == arrays.device)) {
    subject.refuse(fmt::format("is on {}, and the first array on {}; all must be on one device",
                               to_text(device), to_text(arrays.device)));
  }
  return a;
}

TypedArray from_dlpack(const Subject& subject, nb::handle object, Arrays& arrays, bool first) {
  const nb::tuple where = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
  const DeviceId device =
      device_of(subject, nb::cast<std::int64_t>(where[0]), nb::cast<std::int64_t>(where[1]));
  if (first) {
    arrays.device = device;
    if (facts_of(device.kind).is_gpu()) arrays.stream = current_stream(object, device.number);
  }
  nb::object capsule = export_dlpack(subject, object, device, arrays.stream);
  const TypedArray a = from_tensor(subject, dlpack::open(capsule.ptr()), device, arrays);
  arrays.kept.push_back(std::move(capsule));
  return a;
}

/// Throws unless a function of the exchange has done what it is for.
void must_give(const Subject& subject, int status) {
  if (status == 0) return;
  const nb::python_error e;
  subject.refuse(std::string("cannot be used in place: ") +
                 nb::cast<std::string>(nb::str(e.value())));
}

/// The same by what the array's library offers to C. Nothing where its stream is another than that
/// of the first array, which has to wait for it.
std::optional<TypedArray> from_exchange(const Subject& subject, nb::handle object,
                                        const dlpack::Exchange& exchange, Arrays& arrays,
                                        bool first) {
  dlpack::Tensor tensor{};
  dlpack::Described described{&tensor};
  dlpack::Managed managed;
  if (subject.written || exchange.describe == nullptr) { // this alone says what may be written to
    dlpack::Versioned* made = nullptr;
    must_give(subject, exchange.manage(object.ptr(), &made));
    managed.reset(made);
    described = dlpack::described(*made);
    if (described.tensor != nullptr) tensor = *described.tensor;
  } else {
    must_give(subject, exchange.describe(object.ptr(), &tensor));
  }
  const DeviceId device = device_of(subject, tensor.device.type, tensor.device.number);
  void* stream = nullptr;
  if (facts_of(device.kind).is_gpu())
    must_give(subject, exchange.current_stream(tensor.device.type, tensor.device.number, &stream));
  if (first) {
    arrays.device = device;
    arrays.stream = stream;
  } else if (device == arrays.device && stream != arrays.stream) {
    return {};
  }
  return from_tensor(subject, described, device, arrays);
}

TypedArray from_cuda_interface(const Subject& subject, nb::handle object, Arrays& arrays,
                               bool first) {
  const nb::dict interface = nb::cast<nb::dict>(object.attr("__cuda_array_interface__"));
  const nb::tuple data = nb::cast<nb::tuple>(interface["data"]);
  if (subject.written && nb::cast<bool>(data[1]))
    subject.refuse("is read-only, and the result is to be written to it");
  TypedArray a;
  a.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  const std::string format = nb::cast<std::string>(interface["typestr"]);
  subject.set_type(a, type_of_format(subject, format));
  const nb::tuple shape = nb::cast<nb::tuple>(interface["shape"]);
  std::array<std::int64_t, 64> extents{}, strides{};
  const auto rank = static_cast<int>(shape.size());
  const bool strided = interface.contains("strides") && !interface["strides"].is_none();
  for (int d = 0; d < rank && d < 64; ++d) {
    const auto at = static_cast<std::size_t>(d);
    extents[at] = nb::cast<std::int64_t>(shape[at]);
    if (strided) strides[at] = nb::cast<std::int64_t>(interface["strides"][d]);
  }
  set_shape(a, subject, rank, extents.data(), strided ? strides.data() : nullptr);
  const nb::object helper = nb::module_::import_("ridge._arrays").attr("device_number");
  const DeviceId device = parse_device(fmt::format("cuda:{}", nb::cast<int>(helper(object))));
  void* stream = nullptr;
  if (interface.contains("stream") && !interface["stream"].is_none())
    stream = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(interface["stream"]));
  if (first) {
    arrays.device = device;
    arrays.stream = stream != nullptr ? stream : current_stream(object, device.number);
  } else if (!(device == arrays.device)) {
    subject.refuse("is on " + to_text(device) + ", and the first array on " +
                   to_text(arrays.device) + "; all must be on one device");
  } else if (stream != nullptr && stream != arrays.stream) {
    subject.refuse("belongs to another stream than the first array; all must be of one");
  }
  return a;
}

/// NumPy's array of ml_dtypes' bfloat16, as one of integers: NumPy lends its memory under no other
/// name. Nothing for all else.
nb::object bits_of_bfloat16(nb::handle object) {
  static PyObject* const dtype = PyUnicode_InternFromString("dtype");
  const nb::object type = attribute(object, dtype);
  if (!type.is_valid() || !nb::hasattr(type, "name") || !nb::hasattr(object, "view")) return {};
  if (nb::cast<std::string>(nb::str(type.attr("name"))) != "bfloat16") return {};
  return object.attr("view")("int16");
}

TypedArray look(const Subject& subject, nb::handle object, Arrays& arrays, bool first) {
  if (is_masked(object.ptr())) {
    subject.refuse(
        "is a masked array, whose mask ridge does not know; pass x.filled(value), and the "
        "mask as an array of numbers where the kernel is to see it");
  }
  const bool may_give = PyObject_CheckBuffer(object.ptr()) != 0;
  if (may_give) {
    const auto on_host = [&] {
      if (first || !facts_of(arrays.device.kind).is_gpu()) return;
      subject.refuse("is in the host's memory, and the first array on " + to_text(arrays.device) +
                     "; all must be on one device");
    };
    if (const Buffer buffer(subject, object); buffer.given()) {
      on_host();
      const char* const format = buffer.view().format;
      return from_buffer(subject, buffer.view(),
                         type_of_format(subject, format != nullptr ? format : "B"));
    }
    if (const nb::object bits = bits_of_bfloat16(object); bits.is_valid()) {
      on_host();
      if (const Buffer buffer(subject, bits); buffer.given())
        return from_buffer(subject, buffer.view(), bf16);
    }
  }
  const bool has_gradient = subject.gradients != Gradients::none && requires_grad(object);
  if (has_gradient && subject.gradients == Gradients::refused)
    subject.refuse("requires a gradient, which ridge does not compute; pass x.detach()");
  if (const dlpack::Exchange* const exchange = dlpack::exchange_of(object.ptr())) {
    if (const auto a = from_exchange(subject, object, *exchange, arrays, first)) return *a;
  }
  if (has_gradient) return from_dlpack(subject, object.attr("detach")(), arrays, first);
  if (nb::hasattr(object, "__dlpack__")) return from_dlpack(subject, object, arrays, first);
  if (nb::hasattr(object, "__cuda_array_interface__"))
    return from_cuda_interface(subject, object, arrays, first);
  if (may_give) subject.refuse("does not let its memory be used (" + name_of_type(object) + ")");
  subject.refuse(
      "is no array but " + name_of_type(object) +
      "; arrays of NumPy, and those with __dlpack__ or __cuda_array_interface__, are possible");
}

} // namespace

bool requires_grad(nb::handle object) {
  static PyObject* const name = PyUnicode_InternFromString("requires_grad");
  const nb::object found = attribute(object, name);
  return found.is_valid() && nb::cast<bool>(found);
}

bool require_gradient(nb::handle objects) {
  for (const nb::handle object : objects)
    if (PyObject_CheckBuffer(object.ptr()) == 0 && requires_grad(object)) return true;
  return false;
}

Arrays look_at(nb::tuple objects, const Signature& signature) {
  const auto& [kernel, names, numbers, rank, first_written, end_written, in_16_bits, first_wide,
               gradients] = signature;
  Arrays arrays;
  arrays.all.reserve(objects.size());
  NumberType type = fp64;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const bool written = i >= first_written && i < end_written;
    const Subject subject{kernel, names[i], written, in_16_bits, gradients};
    const TypedArray seen = look(subject, objects[i], arrays, i == 0);
    arrays.all.push_back(seen);
    if (i == 0) type = seen.type;
    if (rank != 0 && arrays.all.back().rank != rank) {
      subject.refuse(fmt::format("has {} dimensions; this kernel's arrays have {}",
                                 arrays.all.back().rank, rank));
    }
    const bool wide = type.bytes == 2 && seen.type.bytes == 4;
    if (wide && first_wide > 0 && i >= first_wide) {
      arrays.wide |= 1U << i;
    } else if (std::string_view(seen.type.name) != type.name) {
      const bool coefficient = wide && i > 0 && !subject.written && first_wide == 0;
      subject.refuse(fmt::format(
          "is {}, and {} {}; all must be of one type{}", seen.type.name, names[0], type.name,
          coefficient ? ". Sweeps of a stencil take float32 coefficients beside them" : ""));
    }
  }
  arrays.storage = type.storage;
  return arrays;
}

} // namespace ridge::python
