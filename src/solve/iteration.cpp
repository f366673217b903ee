#include "iteration.hpp"

#include <ridge/device/generate.hpp>

#include <algorithm>

namespace ridge::solve {

template <class T>
Vector<T>::Vector(Queue& queue, Index count, const char* what)
    : count_(count), memory_(queue.device(), Bytes{count * static_cast<Index>(sizeof(T))}, what) {
  clear(queue);
}
template <class T>
void Vector<T>::clear(Queue& queue) const {
  fill_bytes(queue, memory_.data(), 0, memory_.size());
}
template class Vector<float>;
template class Vector<double>;

void Chain::add(std::vector<Program> programs) {
  for (const Program& program : programs) {
    const Work work = program.record().work;
    bytes_ += static_cast<double>(work.read.value + work.written.value);
    flops_ += work.flops;
  }
  launches_.push_back({std::move(programs), {}});
}
void Chain::add(Bound bound, double bytes) {
  bytes_ += bytes;
  launches_.push_back({{}, std::move(bound)});
}
void Chain::run() const {
  for (const Launch& launch : launches_) {
    for (const Program& program : launch.programs)
      program.run();
    if (launch.bound) launch.bound.run();
  }
}

Batches::Batches(Workspace& work, const Chain& iteration, const Options& options)
    : work_(work), iteration_(iteration), at_once_(!facts_of(work.queue().device()).is_gpu() ||
                                                   facts_of(work.queue().device()).is_emulated),
      every_(options.check_every > 0 ? options.check_every
             : at_once_              ? 1
                                     : 10),
      most_(options.most_iterations) {
  every_ = std::min(every_, std::max<Index>(1, most_));
}

} // namespace ridge::solve
