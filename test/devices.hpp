// The devices here, as parameters of tests.
#pragma once

#include "dispatch.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ridge::test {

/// Those that the tests' kernels are compiled for (RIDGE_TEST_KINDS).
inline std::vector<std::string> devices_here() {
  std::vector<std::string> names;
  for (const DeviceId id : list_devices()) {
    if (is_built(id.kind)) names.push_back(ridge::to_text(id));
  }
  return names;
}

/// The name of a test of a device: "cuda_0" of "cuda:0".
struct DeviceName {
  template <class Info>
  std::string operator()(const Info& info) const {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
  }
};

} // namespace ridge::test
