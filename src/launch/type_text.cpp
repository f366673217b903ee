#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/type_text.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace ridge::launch {

namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : type.name();
}

} // namespace

std::string type_text(const std::type_info& type) {
  // Kept, since each launch that was compiled on demand asks for some when it is bound.
  static std::mutex guard;
  static auto* const known = new std::unordered_map<std::string, std::string>;
  const std::lock_guard lock(guard);
  std::string& text = (*known)[type.name()];
  if (text.empty()) text = demangled(type);
  return text;
}

Demand detail::demand_of(const std::type_info& call, const std::string& pattern,
                         const std::string& kernel, const std::string& precision,
                         const std::string& definitions) {
  Demand demand;
  // Put together without formatting: what was compiled on demand is demanded at each binding.
  demand.executor.append("ridge/").append(pattern).append("/executor.hpp");
  const SourceFile source = find_source(call);
  const bool built_in =
      kernel.starts_with("ridge::") && kernel.find("(anonymous") == std::string::npos;
  if (!source.file.empty()) {
    demand.source = source.file;
    demand.flags = source.flags;
  } else if (built_in) {
    demand.source = fmt::format("ridge/lab/kernels/{}.hpp", pattern);
  } else {
    throw UsageError(fmt::format(
        "this kernel ({}) is not compiled for this schedule, and nothing says where its source is: "
        "compile it by ridge_add_kernels, which does, or take another schedule",
        kernel));
  }
  std::string& made = demand.instantiation;
  made.reserve(64 + pattern.size() + kernel.size() + precision.size());
  made.append("template struct ridge::").append(pattern).append("::Executor<");
  made.append(kernel).append(", ").append(precision).append(", ridge::Here>;");
  demand.definitions = definitions;
  return demand;
}

} // namespace ridge::launch
