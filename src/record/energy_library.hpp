// Libraries of a card's vendor, opened when they are asked for.
#pragma once

#include "../core/refuse.hpp"

#include <dlfcn.h>

#include <string>

namespace ridge {

/// A library that stays open while a counter of its is read.
class EnergyLibrary {
public:
  EnergyLibrary(const std::string& name, const std::string& help)
      : name_(name), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    fail_if(handle_ == nullptr, "{} is not here; {}", name, help);
  }
  EnergyLibrary(const EnergyLibrary&) = delete;
  EnergyLibrary& operator=(const EnergyLibrary&) = delete;
  ~EnergyLibrary() { dlclose(handle_); }

  template <class F>
  [[nodiscard]] F* get(const char* function) const {
    auto* const found = reinterpret_cast<F*>(dlsym(handle_, function));
    fail_if(found == nullptr, "{} has no {}", name_, function);
    return found;
  }

  void require(int status, const char* function) const {
    fail_if(status != 0, "{}: {} gives error {}: this card or this user has no energy counter",
            name_, function, status);
  }

private:
  std::string name_;
  void* handle_;
};

} // namespace ridge
