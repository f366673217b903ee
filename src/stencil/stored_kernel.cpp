#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/stencil/stored_demand.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

namespace ridge::stencil {

namespace {

/// K of the text "ridge::stencil::Call<K, float>".
std::string kernel_in(const std::string& call) {
  const std::size_t begin = call.find('<');
  const std::size_t end = call.rfind(',');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw Failure(call + " is no call of a stencil; please report this");
  return call.substr(begin + 1, end - begin - 1);
}

/// What the description of the kernel of a call offers under S: the function `name` of `header`,
/// compiled or taken from the cache.
template <class S>
AnyFunction described(const std::type_info& call, const char* header, const char* name,
                      const char* kind, unsigned wide) {
  const std::string type = kernel_in(launch::type_text(call));
  const SourceFile source = find_source(call);
  refuse_if(source.file.empty(),
            "storage in 16 bits is compiled when it is asked for, and nobody said where the source "
            "of {} is",
            type);
  const std::string file = launch::keep_source(
      "stored.hpp",
      fmt::format("#pragma once\n#include <ridge/stencil/stored.hpp>\n#include \"{}\"\n",
                  source.file));
  const std::string text = fmt::format(
      "#include <ridge/stencil/{3}>\n#include \"{0}\"\n"
      "namespace {{\nusing Number = {2};\n"
      "std::shared_ptr<const ridge::stencil::{5}<Number>>\n"
      "describe(std::span<const std::byte> functor) {{\n"
      "  return ridge::stencil::{4}<{1}, Number, {6}U>(functor, \"{0}\");\n}}\n"
      "const ridge::Offer offered(ridge::DeviceKind::cpu, typeid(Number), &describe);\n}}\n",
      file, type, std::is_same_v<S, Fp16> ? "ridge::Fp16" : "ridge::Bf16", header, name, kind,
      wide);
  for (const Offered& o : launch::load_description(text, file, {})) {
    if (std::string_view(o.name) == typeid(S).name()) return o.function;
  }
  throw Failure("the description of " + type + " offers nothing; please report this");
}

} // namespace

void require_at_point(const Traits& traits, std::size_t input, std::string_view name,
                      std::string_view kernel) {
  for (const Offset& o : traits.footprints.at(input)) {
    if (o == Offset{}) continue;
    throw UsageError(fmt::format("{} reads neighbours of '{}', so give it fp16 or bf16; what is "
                                 "read at the point alone may stay fp32",
                                 kernel, name));
  }
}

template <class S>
std::shared_ptr<const CheckedKernel<S>> stored_kernel(const CheckedKernel<float>& kernel,
                                                      unsigned wide) {
  return reinterpret_cast<DescribeStored<S>*>(
      described<S>(kernel.call_type(), "describe_stored.hpp", "describe_stored", "CheckedKernel",
                   wide))(kernel.functor());
}
template <class S>
std::shared_ptr<const SweptKernel<S>>
stored_swept(const std::type_info& call, std::span<const std::byte> functor, unsigned wide) {
  using Describe = std::shared_ptr<const SweptKernel<S>>(std::span<const std::byte>);
  return reinterpret_cast<Describe*>(described<S>(
      call, "describe_stored_swept.hpp", "describe_stored_swept", "SweptKernel", wide))(functor);
}
template std::shared_ptr<const CheckedKernel<Fp16>> stored_kernel(const CheckedKernel<float>&,
                                                                  unsigned);
template std::shared_ptr<const CheckedKernel<Bf16>> stored_kernel(const CheckedKernel<float>&,
                                                                  unsigned);

template std::shared_ptr<const SweptKernel<Fp16>>
stored_swept(const std::type_info&, std::span<const std::byte>, unsigned);
template std::shared_ptr<const SweptKernel<Bf16>>
stored_swept(const std::type_info&, std::span<const std::byte>, unsigned);

} // namespace ridge::stencil
