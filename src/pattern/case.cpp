#include <ridge/comm/step.hpp>
#include <ridge/pattern/call_case.hpp>

#include <algorithm>
#include <cstdint>

namespace ridge {

namespace {

constexpr Index line = 64;

/// Bytes from an address to the next line.
Index before_line(const void* at) {
  return static_cast<Index>(-reinterpret_cast<std::uintptr_t>(at) % line);
}

} // namespace

RoofMemory roof_memory(void* to, const void* from, Bytes size) {
  const Index to_gap = before_line(to);
  const Index from_gap = before_line(from);
  const Index rest = std::max<Index>(size.value - std::max(to_gap, from_gap), 0);
  return {MemoryRoof::Kind::copy, Bytes{rest / line * line}, static_cast<char*>(to) + to_gap,
          static_cast<const char*>(from) + from_gap};
}

Program Case::program_of_ranks() {
  comm::Step* const step = ranks();
  return {queue(), Bound([step] { step->run(); }), [step] { return step->record(); }};
}

std::vector<double> results_on_host(Queue& queue, const Span<const double>& there) {
  std::vector<double> got(static_cast<std::size_t>(there.size));
  if (got.empty()) return got;
  copy_to_host(queue, got.data(), there.data, there.size);
  queue.wait();
  return got;
}

const Menu& Case::menu() {
  if (!menu_) menu_ = menu_at(Place{queue().device()});
  return *menu_;
}

} // namespace ridge
