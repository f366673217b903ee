// Compiled for CUDA only.
#include "../cub_sum.hpp"

#include <ridge/device/gpu/native.hpp>

#include <cub/device/device_reduce.cuh>

namespace ridge::lab {

template <class T>
CubSum<T>::CubSum(Queue& queue, const Span<const T>& values)
    : queue_(queue), values_(values), result_(queue.device(), Bytes{sizeof(T)}, "the yardstick") {
  gpu::check(cub::DeviceReduce::Sum(nullptr, temporary_bytes_, values.data,
                                    static_cast<T*>(result_.data()), values.size),
             "cub::DeviceReduce::Sum");
  temporary_ = Memory(queue.device(), Bytes{static_cast<Index>(temporary_bytes_)}, "the yardstick");
}

template <class T>
void CubSum<T>::launch() {
  gpu::check(cub::DeviceReduce::Sum(temporary_.data(), temporary_bytes_, values_.data,
                                    static_cast<T*>(result_.data()), values_.size,
                                    static_cast<gpu::Stream>(queue_.native())),
             "cub::DeviceReduce::Sum");
}

template <class T>
double CubSum<T>::value() {
  T value;
  copy_to_host(queue_, &value, static_cast<const T*>(result_.data()), 1);
  queue_.wait();
  return static_cast<double>(value);
}

template class CubSum<float>;
template class CubSum<double>;

} // namespace ridge::lab
