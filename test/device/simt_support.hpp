// Short ways to run kernels on the emulated GPU, and to expect its faults.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/device/launch.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace ridge::simt_test {

/// A kernel body from a generic lambda of the lane.
template <class F>
struct Probe {
  static constexpr int max_threads = 1024;
  static constexpr const char* name = "probe";
  F f;
  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    f(lane);
  }
};

inline Device open(int warp_width) {
  return Device(DeviceId{DeviceKind::simt, warp_width});
}

template <class F>
void run(int warp_width, const LaunchShape& shape, const F& f) {
  Queue queue(open(warp_width));
  launch_body(queue, shape, Probe<F>{f});
}

/// The fault of a launch, if it has one.
template <class F>
std::optional<simt::Fault> fault_of(int warp_width, const LaunchShape& shape, const F& f) {
  try {
    run(warp_width, shape, f);
  } catch (const simt::Fault& fault) {
    return fault;
  }
  return std::nullopt;
}

inline void expect_fault(const std::optional<simt::Fault>& fault, simt::FaultKind kind, Dim3 block,
                         Dim3 thread, int lane, Index index, const std::string& words) {
  ASSERT_TRUE(fault.has_value()) << "no fault was reported";
  EXPECT_EQ(fault->kind, kind) << fault->what();
  EXPECT_EQ(fault->kernel, "probe");
  EXPECT_EQ(fault->block, block) << fault->what();
  EXPECT_EQ(fault->thread, thread) << fault->what();
  EXPECT_EQ(fault->lane, lane) << fault->what();
  EXPECT_EQ(fault->index, index) << fault->what();
  EXPECT_NE(std::string(fault->what()).find(words), std::string::npos) << fault->what();
  EXPECT_EQ(std::string(fault->what()).find('\n'), std::string::npos);
}

template <class T>
std::vector<T> values(const Field<T>& field) {
  return {field.data(), field.data() + field.count()};
}
template <class T>
Field<T> field_of(const Device& device, const std::vector<T>& from) {
  Field<T> field(device, {static_cast<Index>(from.size())});
  std::copy(from.begin(), from.end(), field.data());
  return field;
}
template <class T>
Span<const T> input(const Field<T>& field) {
  return {field.data(), field.count()};
}

/// Tests that run at both warp widths.
class EachWidth : public testing::TestWithParam<int> {
protected:
  int width = GetParam();
  Device device = open(GetParam());
};

inline const auto both_widths = testing::Values(32, 64);

} // namespace ridge::simt_test
