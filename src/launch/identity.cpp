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
  if (!source.file.empty())
    text += contents(trace_of_source(source.file, named_folders(flags_of(source.flags))).lines);
  return digest(text);
}

} // namespace ridge::launch
