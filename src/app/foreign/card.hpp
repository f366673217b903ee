// A GPU's power and clocks while a program of the user's runs, by NVML.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>

#include <memory>

namespace ridge::app {

/// Asks all cards fifty times a second, from when it is made. The library is the driver's, or what
/// RIDGE_NVML names.
class CardWatch {
public:
  CardWatch();
  CardWatch(const CardWatch&) = delete;
  CardWatch& operator=(const CardWatch&) = delete;
  ~CardWatch();

  /// Ends, and gives the state of the card that took most of its watts; no samples where there is
  /// no NVML, or no card was at work.
  [[nodiscard]] doctor::CardState end();

private:
  struct Cards;
  std::unique_ptr<Cards> cards_;
};

} // namespace ridge::app
