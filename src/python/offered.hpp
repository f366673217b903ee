// What the description of a kernel offers once it is compiled.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/description.hpp>

#include <string>
#include <string_view>
#include <typeinfo>

namespace ridge::python {

/// Calls `work`; errors in a kernel's source name its file without the folder of the cache.
template <class Work>
decltype(auto) naming_source(const std::string& file, const Work& work) {
  try {
    return work();
  } catch (const UsageError& e) {
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    std::string message = e.what();
    for (std::size_t at = 0;
         !folder.empty() && (at = message.find(folder, at)) != std::string::npos;)
      message.erase(at, folder.size());
    throw UsageError(message);
  }
}

/// Compiles a description, or takes it from the cache, and returns the function of type F that it
/// offers. `file` is the kernel's source, which it includes; `name` is for errors. Throws as
/// load_description does.
template <class F>
[[nodiscard]] F& offered_by(const std::string& description, const std::string& file,
                            const std::string& name) {
  return naming_source(file, [&]() -> F& {
    for (const Offered& o : launch::load_description(description, file, {lab::lab_library()})) {
      if (std::string_view(o.name) == typeid(F*).name()) return *reinterpret_cast<F*>(o.function);
    }
    throw Failure("the description of " + name + " offers nothing; please report this");
  });
}

} // namespace ridge::python
