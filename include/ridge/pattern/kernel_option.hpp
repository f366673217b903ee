// Options of kernels beside size, precision and schedule. A pattern announces its own in its
// folder; commands offer, check and hand on what is announced.
#pragma once

#include <ridge/core/index.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ridge {

/// A value of an option, empty where it is not given.
using OptionValue = std::variant<std::optional<int>, std::optional<Index>, std::optional<double>,
                                 std::optional<std::string>>;

/// Values by the names of their options, without dashes.
struct OptionValues {
  std::map<std::string, OptionValue> all = {};

  template <class T>
  void set(const std::string& name, T value) {
    all[name] = std::optional<T>(std::move(value));
  }
  /// T is the type that the option's row has.
  template <class T>
  [[nodiscard]] std::optional<T> find(const std::string& name) const {
    const auto at = all.find(name);
    return at == all.end() ? std::nullopt : std::get<std::optional<T>>(at->second);
  }
  template <class T>
  [[nodiscard]] T get(const std::string& name, T otherwise) const {
    return find<T>(name).value_or(std::move(otherwise));
  }
  [[nodiscard]] std::string get(const std::string& name, const char* otherwise) const {
    return get(name, std::string(otherwise));
  }
  [[nodiscard]] bool has(const std::string& name) const;
};

/// Throws UsageError for values that cannot be, or not together.
using CheckOptions = void (*)(const OptionValues& given);

/// An option of the kernels of a pattern: a row of its table.
struct KernelOption {
  enum Command : unsigned { bench = 1, tune = 2, doctor = 4, model = 8, count = 16, all = 31 };

  const char* names;   ///< "--ls,--rhs"; the first is the option's
  OptionValue value;   ///< an empty one of its type
  const char* meaning; ///< in --help
  unsigned commands;   ///< that take it
  /// What is said of kernels of other patterns: "--site is for lattice kernels; {} is not one".
  /// Where it is empty, they ignore the option.
  const char* refusal = "";
  int least = 0, most = 0;       ///< of whole numbers; both 0: any
  std::string_view pattern = {}; ///< as BenchKernel::pattern has it
  CheckOptions check = nullptr;  ///< of all of the pattern's

  [[nodiscard]] std::string name() const; ///< "ls"
};

/// Announces options of a pattern from a static initialiser in its folder.
class KernelOptionsOf {
public:
  KernelOptionsOf(std::string_view pattern, std::vector<KernelOption> rows,
                  CheckOptions check = nullptr);
};

/// Those of a command, by pattern and in the order of their tables. Patterns may share a name.
[[nodiscard]] std::vector<KernelOption> kernel_options(KernelOption::Command command);

/// Of the values given to a command, those that a kernel of a pattern takes, checked; `kernel` is
/// its name in messages. Throws UsageError.
[[nodiscard]] OptionValues options_of_kernel(const OptionValues& given,
                                             KernelOption::Command command,
                                             std::string_view pattern, std::string_view kernel);

} // namespace ridge
