#include "latest.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/recording.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace nb = nanobind;

namespace ridge::python {

namespace {

constexpr std::int32_t host_type = 1; // of DLPack

/// Whether the driver loads a library that watches the program, as for `ridge doctor`. It sees
/// launches: a graph may be shown as one bar, without names of kernels.
bool is_profiled() {
  static const bool known = std::getenv("CUDA_INJECTION64_PATH") != nullptr;
  return known;
}

/// A recording has memory of its own beside that of the queue.
constexpr Bytes most_memory{std::int64_t{16} << 20};

/// Where replayed recordings were measured: on NVIDIA's, whose profiler counts.
bool can_replay(const Queue& queue) {
  return facts_of(queue.device()).counts == Counts::profiler && queue.held() <= most_memory &&
         !is_profiled();
}

} // namespace

bool Outline::set(One& one, const dlpack::Tensor& tensor) {
  if (tensor.ndim < 1 || tensor.ndim > max_rank) return false;
  one.data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  one.device = tensor.device;
  one.type = tensor.dtype;
  one.rank = tensor.ndim;
  one.packed = tensor.strides == nullptr;
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  std::copy_n(tensor.shape, rank, one.extents.begin());
  if (!one.packed) std::copy_n(tensor.strides, rank, one.strides.begin());
  return true;
}

bool Outline::add_array(nb::handle array, bool written, Gradients gradients) {
  if (arrays_ == most || PyObject_CheckBuffer(array.ptr()) != 0 ||
      (gradients != Gradients::recorded && requires_grad(array)))
    return false;
  One& one = array_[arrays_];
  one.exchange = dlpack::exchange_of(array.ptr());
  if (one.exchange == nullptr) return false;
  int status = 0;
  if (written || one.exchange->describe == nullptr) { // this alone says what may be written to
    dlpack::Versioned* made = nullptr;
    status = one.exchange->manage(array.ptr(), &made);
    const dlpack::Managed managed(status == 0 ? made : nullptr);
    if (managed != nullptr) {
      const dlpack::Described described = dlpack::described(*managed);
      if (described.tensor == nullptr || described.copied || (written && described.read_only) ||
          !set(one, *described.tensor))
        return false;
    }
  } else {
    dlpack::Tensor tensor{};
    status = one.exchange->describe(array.ptr(), &tensor);
    if (status == 0 && !set(one, tensor)) return false;
  }
  void* stream = nullptr;
  if (status == 0 && one.device.type != host_type)
    status = one.exchange->current_stream(one.device.type, one.device.number, &stream);
  if (status != 0) {
    PyErr_Clear(); // whoever looks at the array closely says so
    return false;
  }
  if (arrays_ > 0 && stream != stream_) return false;
  stream_ = stream;
  ++arrays_;
  return true;
}

bool Outline::add_number(double number) {
  if (numbers_ == most) return false;
  number_[numbers_++] = number;
  return true;
}

bool Outline::alike(const One& a, const One& b) {
  if (a.data != b.data || a.exchange != b.exchange || a.rank != b.rank || a.packed != b.packed ||
      a.device.type != b.device.type || a.device.number != b.device.number ||
      a.type.code != b.type.code || a.type.bits != b.type.bits || a.type.lanes != b.type.lanes)
    return false;
  const auto rank = static_cast<std::size_t>(a.rank);
  return std::equal(a.extents.begin(), a.extents.begin() + rank, b.extents.begin()) &&
         (a.packed || std::equal(a.strides.begin(), a.strides.begin() + rank, b.strides.begin()));
}

bool operator==(const Outline& a, const Outline& b) {
  return a.arrays_ == b.arrays_ && a.numbers_ == b.numbers_ && a.stream_ == b.stream_ &&
         // by their bits: 0 and -0 are two numbers, and one that is none is like itself
         std::memcmp(a.number_.data(), b.number_.data(), a.numbers_ * sizeof(double)) == 0 &&
         std::equal(a.array_.begin(), a.array_.begin() + a.arrays_, b.array_.begin(),
                    &Outline::alike) &&
         a.schedule_ == b.schedule_;
}

bool Outline::is_of(const std::vector<Array>& arrays) const {
  return std::equal(array_.begin(), array_.begin() + arrays_, arrays.begin(), arrays.end(),
                    [](const One& one, const Array& array) {
                      return one.data == array.data && one.rank == array.rank;
                    });
}

void Repeatable::run() {
  if (bind_) record();
  if (replay_)
    replay_->launch(turn_.queue);
  else
    program_->run();
}

void Repeatable::record() {
  const Bind bind = std::exchange(bind_, {});
  if (!can_replay(turn_.queue)) return;
  const Unforkable unforkable;
  try {
    const Device& device = turn_.queue.device();
    if (!turn_.apart) turn_.apart = std::make_unique<Turn>(queue_to_record_on(device));
    const Binding binding(turn_.apart->queue); // other threads may record meanwhile
    recorded_ = bind(*turn_.apart);
    replay_.emplace(turn_.apart->queue, [this] { recorded_->run(); });
  } catch (const Failure&) { // too little memory, say: launches go on one by one
    recorded_.reset();
  }
}

} // namespace ridge::python
