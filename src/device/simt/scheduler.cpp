#include "scheduler.hpp"

#include <ridge/core/error.hpp>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace ridge::simt {

namespace {

/// The alignment that GPU kernels may rely on.
constexpr std::size_t shared_alignment = 1024;
/// What a lane waiting for others throws when its block is given up.
struct Abandoned {};

void push(FiberQueue& queue, Fiber& fiber) {
  fiber.next = nullptr;
  (queue.last != nullptr ? queue.last->next : queue.first) = &fiber;
  queue.last = &fiber;
}

void push_front(FiberQueue& queue, Fiber& fiber) {
  fiber.next = queue.first;
  queue.first = &fiber;
  if (queue.last == nullptr) queue.last = &fiber;
}

Fiber* pop(FiberQueue& queue) {
  Fiber* fiber = queue.first;
  if (fiber != nullptr) {
    queue.first = fiber->next;
    if (queue.first == nullptr) queue.last = nullptr;
  }
  return fiber;
}

/// Moves all of `from` behind `to`.
void append(FiberQueue& to, FiberQueue& from) {
  if (from.first == nullptr) return;
  (to.last != nullptr ? to.last->next : to.first) = from.first;
  to.last = from.last;
  from = {};
}

} // namespace

void Scheduler::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

Scheduler::Scheduler()
    : warps_(new Warp[max_block_threads / 32]), copies_(std::size_t{max_block_threads}) {
  main_.scheduler = this;
  block_.scheduler = this;
  block_.warps = warps_.get();
}

Scheduler::~Scheduler() {
  make_stop();
}

void Scheduler::begin(const LaunchShape& shape, const Kernel& kernel, int warp_width) {
  if (busy_) throw Failure("a kernel body cannot launch kernels");
  const auto bytes = static_cast<std::size_t>(shape.shared_bytes);
  if (bytes >= shared_room_) {
    shared_room_ = (bytes / shared_alignment + 1) * shared_alignment;
    shared_.reset(static_cast<std::byte*>(std::aligned_alloc(shared_alignment, shared_room_)));
    if (!shared_) shared_room_ = 0;
    if (!shared_) throw std::bad_alloc();
  }
  kernel_ = &kernel;
  block_.kernel = kernel.name;
  block_.grid = shape.grid;
  block_.extent = shape.block;
  block_.threads = static_cast<int>(shape.block.count());
  block_.warp_shift = warp_width == 64 ? 6 : 5;
  block_.shared = shared_.get();
  block_.shared_bytes = shape.shared_bytes;
  block_.shadow.prepare(shape.shared_bytes, block_.warp_shift);
  for (int first = 0; first < block_.threads; first += warp_width) {
    Warp& warp = block_.warps[first / warp_width];
    const int rest = block_.threads - first;
    warp.first = first;
    warp.lanes = rest < warp_width ? rest : warp_width;
    warp.stamp = 0;
  }
  busy_ = true;
}

void Scheduler::reset_block(Dim3 index) {
  block_.index = index;
  block_.shadow.begin_block();
  // What nobody wrote should look like it.
  std::memset(block_.shared, 0xFF, static_cast<std::size_t>(block_.shared_bytes));
  next_rank_ = 0;
  next_thread_ = {0, 0, 0};
  ended_ = 0;
  phases_.states.clear();
  phases_.bulk_copies = (index.x + index.y + index.z) & 1;
}

void Scheduler::run_block(Dim3 index) {
  reset_block(index);
  running_ = &take_idle();
  switch_context(main_, *running_);
  // Back here: every lane has ended, or one threw, or none can go on.
  settle();
}

void Scheduler::settle() {
  if (!failure_ && ended_ < block_.threads) failure_ = std::make_exception_ptr(divergence());
  if (!failure_ && pending_copies > 0) failure_ = std::make_exception_ptr(unfinished_copy());
  if (!failure_ && phases_.in_use()) failure_ = unseen_copies();
  if (!failure_) return;

  abandoning_ = true;
  abandon(ready_);
  abandon(at_barrier_);
  for (PhaseState& state : phases_.states)
    abandon(state.waiting);
  arrived_ = 0;
  for (int w = 0; w <= (block_.threads - 1) >> block_.warp_shift; ++w) {
    abandon(block_.warps[w].waiting);
    block_.warps[w].arrived = 0;
  }
  abandoning_ = false;
  for (LaneCopies& copies : copies_)
    copies.pending.clear();
  pending_copies = 0;
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Unwinds the lanes that wait in `queue`, so that what they own is released.
void Scheduler::abandon(FiberQueue& queue) {
  while (Fiber* fiber = pop(queue)) {
    running_ = fiber;
    switch_context(main_, *fiber);
  }
}

Fiber& Scheduler::take_idle() {
  if (Fiber* fiber = pop(idle_)) return *fiber;
  auto fiber = std::make_unique<Fiber>();
  fiber->scheduler = this;
  stacks_.equip(*fiber, &Scheduler::enter_fiber);
  fibers_.push_back(std::move(fiber));
  return *fibers_.back();
}

void Scheduler::enter_fiber(boost::context::detail::transfer_t from) {
  Scheduler& scheduler = *static_cast<Context*>(from.data)->scheduler;
  Fiber& fiber = *scheduler.running_;
  arrive(fiber, from);
  scheduler.live(fiber);
  // Not to return: there is nothing below this frame.
#if defined(RIDGE_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(nullptr, scheduler.main_.stack_bottom,
                                 scheduler.main_.stack_bytes);
#endif
  boost::context::detail::jump_fcontext(scheduler.main_.handle, &fiber);
  std::abort();
}

/// A fiber starts lanes as long as there are any; a lane that waits keeps the fiber it is on.
void Scheduler::live(Fiber& fiber) {
  while (!stopping_) {
    bool failed = false;
    try {
      run_lanes();
    } catch (const Abandoned&) {
      failed = true;
    } catch (...) {
      if (!abandoning_) failure_ = std::current_exception();
      failed = true;
    }
    push_front(idle_, fiber); // the warmest stack is the next to be used
    if (failed || abandoning_) {
      next_rank_ = block_.threads;
      switch_context(fiber, main_);
    } else {
      yield(fiber);
    }
  }
}

void Scheduler::run_lanes() {
  while (next_rank_ < block_.threads) {
    const int rank = next_rank_++;
    const Dim3 thread = next_thread_;
    if (++next_thread_.x == block_.extent.x) {
      next_thread_.x = 0;
      if (++next_thread_.y == block_.extent.y) {
        next_thread_.y = 0;
        ++next_thread_.z;
      }
    }
    LaneStatus& status = status_[static_cast<std::size_t>(rank)];
    status.state = State::running;
    kernel_->run(kernel_->body, block_, rank, thread);
    status.state = State::ended;
    ++ended_;
  }
}

/// Leaves `fiber` for a lane that can go on, else for the next lane to start, else for run_block.
void Scheduler::yield(Fiber& fiber) {
  Context* next = &main_;
  if (Fiber* ready = pop(ready_); ready != nullptr) {
    next = running_ = ready;
  } else if (next_rank_ < block_.threads) {
    next = running_ = &take_idle();
  }
  switch_context(fiber, *next);
}

void Scheduler::wait(const LaneContext& lane, Collective at, FiberQueue& queue) {
  LaneStatus& status = status_[static_cast<std::size_t>(lane.rank())];
  status = {State::waiting, at};
  Fiber& self = *running_;
  push(queue, self);
  yield(self);
  if (abandoning_) throw Abandoned{};
  status.state = State::running;
}

void Scheduler::wake(FiberQueue& queue) {
  append(ready_, queue);
}

void Scheduler::wait_at_barrier(const LaneContext& lane) {
  if (++arrived_ < block_.threads) return wait(lane, Collective::barrier, at_barrier_);
  arrived_ = 0;
  block_.shadow.pass_barrier();
  if (phases_.in_use()) phases_.order.merge(0, block_.threads);
  append(ready_, at_barrier_);
}

void Scheduler::meet(const LaneContext& lane, Collective kind, int bytes) {
  Warp& warp = lane.warp();
  if (warp.arrived == 0) {
    warp.kind = kind;
    warp.bytes = bytes;
  } else if (warp.kind != kind || warp.bytes != bytes) {
    fault_mixed(lane, kind);
  }
  if (++warp.arrived < warp.lanes) return wait(lane, kind, warp.waiting);
  warp.arrived = 0;
  if (kind == Collective::warp_barrier) {
    warp.stamp = block_.shadow.pass_warp_barrier();
    if (phases_.in_use()) phases_.order.merge(warp.first, warp.lanes);
  } else {
    warp.half ^= 1;
  }
  append(ready_, warp.waiting);
}

/// Lets every fiber return, so that the address sanitizer forgets its stack.
void Scheduler::make_stop() {
#if defined(RIDGE_ADDRESS_SANITIZER)
  stopping_ = true;
  while (Fiber* fiber = pop(idle_)) {
    running_ = fiber;
    switch_context(main_, *fiber);
  }
#endif
}

} // namespace ridge::simt
