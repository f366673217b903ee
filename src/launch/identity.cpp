#include <ridge/core/file.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/identity.hpp>
#include <ridge/launch/type_text.hpp>

#include "hash.hpp"
#include "headers.hpp"

namespace ridge::launch {

std::string kernel_digest(const std::type_info& call) {
  std::string text = type_text(call) + "\n" + headers_digest() + "\n";
  const KernelSource source = find_source(call);
  if (source.file[0] == '/') text += read_file(source.file).value_or("");
  return digest(text);
}

} // namespace ridge::launch
