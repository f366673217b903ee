// Fibers: lanes that can wait in the middle of a kernel body.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define RIDGE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RIDGE_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(RIDGE_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

namespace ridge::simt {

class Scheduler;

/// Something that execution can switch to: a fiber, or the host thread that started the fibers.
struct Context {
  boost::context::detail::fcontext_t handle = nullptr;
  Scheduler* scheduler = nullptr;
  // The address sanitizer follows which stack is in use.
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;
};

struct Fiber : Context {
  Fiber* next = nullptr; ///< in the queue it waits in
};

/// To be called first where a switch arrives at.
inline void arrive(Context& here, boost::context::detail::transfer_t from) {
  auto& previous = *static_cast<Context*>(from.data);
  previous.handle = from.fctx;
#if defined(RIDGE_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(here.fake_stack, &previous.stack_bottom, &previous.stack_bytes);
#else
  (void)here;
#endif
}

/// Continues at `there`; returns when something switches back.
inline void switch_context(Context& here, Context& there) {
#if defined(RIDGE_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&here.fake_stack, there.stack_bottom, there.stack_bytes);
#endif
  arrive(here, boost::context::detail::jump_fcontext(there.handle, &here));
}

/// Makes `fiber` begin in `entry` when it is first switched to. Throws Failure without memory.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  void equip(Fiber& fiber, void (*entry)(boost::context::detail::transfer_t));

private:
  void map_more();

  std::vector<std::byte*> mappings_;
  std::size_t stacks_ = 0; ///< handed out
};

} // namespace ridge::simt
