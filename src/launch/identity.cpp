#include <ridge/core/file.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/identity.hpp>
#include <ridge/launch/type_text.hpp>

#include "hash.hpp"
#include "headers.hpp"
#include "included.hpp"

namespace ridge::launch {

std::string kernel_digest(const std::type_info& call) {
  std::string text = type_text(call) + "\n" + headers_digest() + "\n";
  const SourceFile source = find_source(call);
  for (const std::string& file : included_files(source.file, source.flags))
    text += read_file(file).value_or("") + "\n";
  return digest(text);
}

} // namespace ridge::launch
