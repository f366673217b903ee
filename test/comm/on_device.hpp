// Tests over ranks on one device.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lattice/over_ranks.hpp>

#include "devices.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ridge::comm::test {

/// Messages and sums need the module of the device's kind beside the tests' own kernels. A build of
/// some targets may lack that of a GPU, emulated or not: its tests are skipped then and say so. A
/// module that is there and cannot be loaded fails them.
class OnDevice : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    const DeviceKind kind = Device(GetParam()).kind();
    if (kind == DeviceKind::cpu) return;
    try {
      (void)require_offer(kind, typeid(lattice::BoxSummer<double>*));
    } catch (const Failure& missing) {
      const std::string why = missing.what();
      if (!why.starts_with("this build has no kernels")) throw;
      GTEST_SKIP() << why;
    }
  }
};

} // namespace ridge::comm::test
