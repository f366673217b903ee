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

double log_of(double x) {
  if (!(x > 0) || std::isinf(x)) return x > 0 ? x : -std::numeric_limits<double>::infinity();
  int exponent = 0;
  double part = std::frexp(x, &exponent); // 1/2 to 1
  if (part < 0.7071) {
    part *= 2;
    --exponent;
  }
  const double z = (part - 1) / (part + 1), z2 = z * z;
  constexpr double log_of_2 = 0.693147180559945309;
  const double series =
      1 + z2 * (1.0 / 3 + z2 * (1.0 / 5 + z2 * (1.0 / 7 + z2 * (1.0 / 9 + z2 / 11))));
  return exponent * log_of_2 + 2 * z * series;
}

void join(Solved& first, const Solved& then) {
  first.converged = then.converged;
  first.stopped = then.stopped;
  first.broken = then.broken;
  first.rounding = then.rounding;
  first.in_double = first.in_double || then.iterations > 0;
  first.residual = then.residual;
  first.iterations += then.iterations;
  first.updates += then.updates;
  first.bytes += then.bytes;
  first.flops += then.flops;
  first.seconds.value += then.seconds.value;
}

Batches::Batches(Workspace& work, const Chain& iteration, const Options& options, Forecast* known)
    : work_(work), iteration_(iteration), at_once_(!facts_of(work.queue().device()).is_gpu() ||
                                                   facts_of(work.queue().device()).is_emulated),
      foresees_(!at_once_ && options.check_every == 0),
      every_(options.check_every > 0 ? options.check_every
             : at_once_              ? 1
                                     : 10),
      own_(work.columns()), forecast_(known != nullptr ? *known : own_) {}

Index Batches::give(Index most) {
  const auto run = [this](Index count) {
    for (Index i = 0; i < count; ++i)
      iteration_.run();
  };
  if (most < every_) {
    run(most);
    return most;
  }
  repeated_.run(work_.queue(), work_.needs_no_host(), [this, run] { run(every_); });
  return every_;
}

Solved run_to_the_end(Workspace& work, Span<const double> b, const Chain& iteration,
                      const Chain& residual, const Options& options, Forecast* known) {
  const Stopwatch watch;
  Chain source;
  add_sum<Dot<double>, TakeSource>(source, work, {b, b});
  Solved solved;
  work.set(iterations, 0);
  work.set(broken, 0);
  work.set(target2, 0);
  source.run();
  work.ask(0);
  const double wanted = options.tolerance * options.tolerance * work.answer(0)[source2];
  work.set(target2, wanted);
  residual.run();
  solved.bytes = source.bytes() + residual.bytes();

  Batches batches(work, iteration, options, known);
  // The residual that the iteration has and the true one part: then it begins again from x.
  while (true) {
    work.ask(0);
    const double* const s = work.answer(0);
    solved.iterations = static_cast<Index>(s[iterations]);
    solved.broken = s[broken] != 0 || !(s[measured2] >= 0);
    solved.residual = relative(s, measured2);
    solved.converged = s[measured2] <= wanted;
    const Index left = options.most_iterations - solved.iterations;
    if (solved.converged || solved.broken || solved.stopped || left <= 0) break;
    const Index given = batches.run(left, [&](const double* now) {
      solved.stopped = options.go_on && !options.go_on({static_cast<Index>(now[iterations]),
                                                        relative(now, residual2)});
      return !solved.stopped && now[ended] == 0;
    });
    solved.bytes += static_cast<double>(given) * iteration.bytes() + residual.bytes();
    solved.flops += static_cast<double>(given) * iteration.flops();
    residual.run();
  }
  solved.seconds = watch.seconds();
  return solved;
}

} // namespace ridge::solve
