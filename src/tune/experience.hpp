// What a change of one field did to the time, wherever it was measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ridge::tune {

/// How many fields of two schedules differ.
[[nodiscard]] int fields_apart(const std::string& a, const std::string& b);

class Experience {
public:
  /// A schedule was measured.
  void learn(const std::string& schedule, double seconds);
  /// By which factor the time changes from one schedule to another that differs in a single field:
  /// the mean over what was measured with the same change elsewhere; nothing where that was not.
  [[nodiscard]] std::optional<double> change(const std::string& from, const std::string& to) const;

private:
  struct Mean {
    double sum = 0; ///< of logarithms
    int count = 0;
  };
  std::vector<std::pair<std::string, double>> measured_;
  std::map<std::string, Mean> changes_; ///< by the two words
};

} // namespace ridge::tune
