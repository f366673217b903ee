#include <ridge/chain/system/stored.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/type_text.hpp>

#include <fmt/format.h>

namespace ridge::chain {

SystemKernel stored_system(SystemKernel kernel, std::string_view storage, unsigned wide) {
  for (int a = 0; a < kernel.arrays(); ++a) {
    if ((a < 32 && (wide >> a & 1U) != 0) && kernel.is_state(a))
      throw UsageError(
          fmt::format("{}: steps change '{}', which stays fp32 in no system of 16 bits",
                      kernel.name, kernel.of_double.arrays[static_cast<std::size_t>(a)].name));
  }
  if (kernel.of_float.scans_in(0, kernel.of_float.last()))
    throw UsageError(fmt::format("{} scans columns, which are not stored in 16 bits", kernel.name));
  if (kernel.functor.empty())
    throw UsageError(fmt::format(
        "{} is not a struct of numbers alone, and so not stored in 16 bits", kernel.name));
  const std::string called = launch::type_text(*kernel.call);
  const std::string type =
      called.substr(called.find('<') + 1, called.rfind(',') - called.find('<') - 1);
  const SourceFile source = find_source(*kernel.call);
  if (source.file.empty()) {
    throw UsageError(fmt::format("storage in 16 bits is compiled when it is asked for, and nobody "
                                 "said where the source of {} is",
                                 type));
  }
  const std::string file = launch::keep_source(
      "stored_system.hpp",
      fmt::format("#pragma once\n#include <ridge/chain/stored.hpp>\n#include \"{}\"\n",
                  source.file));
  const std::string text = fmt::format(
      "#include <ridge/chain/system/describe_stored.hpp>\n#include \"{0}\"\n"
      "namespace {{\n"
      "void store(std::span<const std::byte> functor, ridge::chain::SystemKernel& kernel) {{\n"
      "  ridge::chain::describe_stored_system<{1}, {2}, {3}U>(functor, kernel, \"{0}\");\n}}\n"
      "const ridge::Offer offered(ridge::DeviceKind::cpu, typeid(ridge::chain::SystemKernel), "
      "&store);\n}}\n",
      file, type, storage == "fp16" ? "ridge::Fp16" : "ridge::Bf16", wide);
  for (const Offered& o : launch::load_description(text, file, {})) {
    if (std::string_view(o.name) != typeid(SystemKernel).name()) continue;
    reinterpret_cast<StoreSystem*>(o.function)(kernel.functor, kernel);
    kernel.storage = storage;
    return kernel;
  }
  throw Failure(fmt::format("the description of {} offers nothing; please report this", type));
}

} // namespace ridge::chain
