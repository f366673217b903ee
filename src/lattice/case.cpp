#include <ridge/lattice/case.hpp>

namespace ridge::lattice {

Limit limit_of(int read, int written, Bytes size, const RoofMemory& memory) {
  using Kind = MemoryRoof::Kind;
  const char* const name = memory.kind == Kind::read   ? "read"
                           : memory.kind == Kind::copy ? "copy"
                                                       : "triad";
  return {name, "B/s", static_cast<double>((read + written) * size.value), std::nullopt, memory};
}

} // namespace ridge::lattice
