// The memory of a solver, and how it is asked without stopping the queue.
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/solve/vector_call.hpp>

namespace ridge::solve {

namespace {
constexpr Bytes all_scalars{scalars * sizeof(double)};
}

Workspace::Workspace(Queue& queue, Index count)
    : queue_(queue), count_(count), s_(queue.device(), all_scalars, "scalars of a solver"),
      parts_(queue.device(),
             Bytes{parts_of(queue.device().kind() == DeviceKind::cpu, count) * most_sums *
                   static_cast<Index>(sizeof(double))},
             "parts of sums"),
      copies_(queue.device(), Bytes{2 * all_scalars.value}, "scalars on the host",
              Memory::Place::staging),
      marks_{Event(queue.device()), Event(queue.device())} {
  fill_bytes(queue, s_.data(), 0, all_scalars);
}

void Workspace::set(Scalar which, double value) const {
  copy_to_device(queue_, s().data + which, &value, 1);
  queue_.wait(); // the value lies on the stack
}

void Workspace::ask(int slot) {
  double* const to = static_cast<double*>(copies_.data()) + slot * scalars;
  copy_bytes_to_host(queue_, to, s_.data(), all_scalars);
  marks_[slot].record(queue_);
}

const double* Workspace::answer(int slot) {
  (void)marks_[slot].until(marks_[slot]);
  return static_cast<const double*>(copies_.data()) + slot * scalars;
}

} // namespace ridge::solve
