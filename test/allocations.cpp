// Apart from what allocates, so that compilers do not look into these.
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#if !defined(RIDGE_SANITIZED) // which brings its own and checks that new and delete match

namespace {
std::atomic<long> count{0};
} // namespace

void* operator new(std::size_t size) {
  ++count;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t align) {
  ++count;
  const auto a = static_cast<std::size_t>(align);
  if (void* const memory = std::aligned_alloc(a, (size + a - 1) / a * a)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

long ridge::test::allocations() {
  return count;
}

#else

long ridge::test::allocations() {
  return 0; // nothing is counted here: the other builds do
}

#endif
