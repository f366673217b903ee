#include "fiber.hpp"

#include <ridge/core/error.hpp>

#include <sys/mman.h>

namespace ridge::simt {

namespace {

constexpr std::size_t page = 4096;
#if defined(RIDGE_ADDRESS_SANITIZER)
constexpr std::size_t stack_bytes = 512 * 1024; // its frames are several times larger
#else
constexpr std::size_t stack_bytes = 128 * 1024;
#endif
/// A stack and the page below it that nobody may touch. An odd number of pages, so that the stacks
/// of a block do not all compete for the same sets of the second-level cache.
constexpr std::size_t pitch = stack_bytes + page;
constexpr std::size_t stacks_per_mapping = 32;
constexpr std::size_t mapping_bytes = stacks_per_mapping * pitch;

} // namespace

StackPool::~StackPool() {
  for (std::byte* mapping : mappings_)
    munmap(mapping, mapping_bytes);
}

void StackPool::map_more() {
  mappings_.reserve(mappings_.size() + 1);
  void* memory = mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw Failure("no memory for the stacks of the emulated GPU's lanes");
  mappings_.push_back(static_cast<std::byte*>(memory));
  for (std::size_t s = 0; s < stacks_per_mapping; ++s)
    if (mprotect(mappings_.back() + s * pitch, page, PROT_NONE) != 0)
      throw Failure("the guard pages of the emulated GPU's stacks cannot be set up; "
                    "is the limit on memory mappings (vm.max_map_count) reached?");
}

void StackPool::equip(Fiber& fiber, void (*entry)(boost::context::detail::transfer_t)) {
  if (stacks_ == mappings_.size() * stacks_per_mapping) map_more();
  const std::size_t n = stacks_++;
  std::byte* bottom = mappings_[n / stacks_per_mapping] + n % stacks_per_mapping * pitch + page;
  // All stacks begin at the same place of a page: move them apart, for the first-level cache.
  const std::size_t size = stack_bytes - n * 5 % 16 * 256;
  fiber.stack_bottom = bottom;
  fiber.stack_bytes = size;
  fiber.handle = boost::context::detail::make_fcontext(bottom + size, size, entry);
}

} // namespace ridge::simt
