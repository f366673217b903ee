#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/type_text.hpp>

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace ridge::launch {

std::string type_text(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : type.name();
}

Demand detail::demand_of(const std::type_info& call, const std::string& pattern,
                         const std::string& kernel, const std::string& precision,
                         const std::string& definitions) {
  Demand demand;
  demand.executor = fmt::format("ridge/{}/executor.hpp", pattern);
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
  demand.instantiation = fmt::format("template struct ridge::{}::Executor<{}, {}, ridge::Here>;",
                                     pattern, kernel, precision);
  demand.definitions = definitions;
  return demand;
}

} // namespace ridge::launch
