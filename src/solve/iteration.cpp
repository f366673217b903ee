#include "iteration.hpp"

#include <ridge/device/generate.hpp>

#include <algorithm>
#include <cmath>

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

void clear(Workspace& work, Span<double> x) {
  fill_bytes(work.queue(), x.data, 0, Bytes{x.size * static_cast<Index>(sizeof(double))});
}

Start::Start(Workspace& work, Span<double> x, Span<const double> b) : work_(work), b_(b) {
  constexpr double least = 1e-200, most = 1e200; // of |b|^2: residuals are smaller by 1e-30
  constexpr int far = 600;                       // what is beyond these comes between them
  const auto n = static_cast<std::size_t>(work.columns());
  work.set_all(std::vector<double>(n * static_cast<std::size_t>(scalars), 0).data());
  measure(b, x);
  std::vector<double> units(n, 1);
  // One column of zeros is one that rests; where all seem to be, their squares may be too small.
  bool apart = !any(work.answer(0), n, source2);
  for (std::size_t c = 0; c < n; ++c) {
    const double size2 = scalars_of(work.answer(0), c)[source2];
    apart = apart || (size2 > 0 && size2 < least) || size2 > most;
    if (size2 < least) units[c] = std::ldexp(1, far);
    if (size2 > most) units[c] = std::ldexp(1, -far);
  }
  if (!apart) return;
  copy_.emplace(work.queue(), work.count(), "the right-hand side in its unit");
  b_ = copy_->span();
  Chain scaled;
  add_op(scaled, work, Scale{b, copy_->span(), work.s()});
  set_units(units);
  scaled.run();
  measure(b_, x);
  for (std::size_t c = 0; c < n; ++c) {
    const double size2 = scalars_of(work.answer(0), c)[source2];
    const bool is_size = size2 > 0 && std::isfinite(size2);
    const int more = is_size ? std::ilogb(units[c]) - std::ilogb(std::sqrt(size2)) : 0;
    if (units[c] != 1) units[c] = std::ldexp(1, std::clamp(more, -1000, 1000));
  }
  units_ = units;
  set_units(units);
  scaled.run();
  scale(x);
  measure(b_, x);
  bytes_ += 2 * scaled.bytes();
}

void Start::measure(Span<const double> b, Span<const double> x) {
  Chain sums;
  add_sum<Dot<double>, TakeSource>(sums, work_, {b, b});
  add_sum<Dot<double>, TakeStart>(sums, work_, {x, x});
  sums.run();
  bytes_ += sums.bytes();
  work_.ask(0);
}

void Start::set_units(const std::vector<double>& units) const {
  const double* const now = work_.answer(0);
  std::vector<double> all(now, now + units.size() * static_cast<std::size_t>(scalars));
  for (std::size_t c = 0; c < units.size(); ++c)
    all[c * static_cast<std::size_t>(scalars) + static_cast<std::size_t>(unit)] = units[c];
  work_.set_all(all.data());
}

void Start::by(Span<double> x, bool back) const {
  if (units_.empty()) return;
  std::vector<double> units = units_;
  for (double& one : units)
    one = back ? 1 / one : one;
  work_.ask(0);
  set_units(units);
  work_.bind(Scale{x, x, work_.s()}).run();
  work_.queue().wait();
}

Solved run_to_the_end(Workspace& work, const Start& start, Span<double> x, Span<double> best,
                      const Chain& iteration, const Chain& residual, const Options& options,
                      Forecast* known, int patience) {
  const Stopwatch watch;
  Chain keep, back;
  add_op(keep, work, Keep{x, best, work.s()});
  add_op(back, work, TakeBest{best, x, work.s()});
  Solved solved;
  solved.bytes = start.bytes();
  const auto run = [&solved](const Chain& chain) {
    chain.run();
    solved.bytes += chain.bytes();
  };
  const auto now = [&work] {
    work.ask(0);
    return work.answer(0);
  };
  clear(work, best);
  const double source = now()[source2];
  // No residual is small beside what is no number.
  const double wanted = std::isfinite(source) ? options.tolerance * options.tolerance * source : -1;
  work.set(target2, wanted);
  run(residual);

  Batches batches(work, iteration, options, known);
  double before = -1;
  int lost = 0;
  // The residual that the iteration has and the true one part: then it begins again from x.
  while (true) {
    const double* s = now();
    double measured = s[measured2];
    const bool lost_sign = s[broken] != 0;
    lost = before < 0 || measured < 0.5 * before ? 0 : lost + 1;
    Index left = 0;
    const auto ends = [&] {
      measured = s[measured2];
      solved.iterations = static_cast<Index>(s[iterations]);
      solved.residual = relative(s, measured2);
      solved.converged = measured <= wanted;
      solved.broken = !solved.converged && (lost_sign || !std::isfinite(measured + source));
      solved.rounding = !solved.converged && !solved.broken && lost >= patience;
      left = options.most_iterations - solved.iterations;
      return solved.converged || solved.broken || solved.rounding || solved.stopped || left <= 0;
    };
    bool last = ends();
    // On the way x may be worse: from what was kept the same iterations would be done again.
    if (s[worse] != 0 && (last || before < 0)) {
      run(back);
      run(residual);
      s = now();
      last = ends();
    }
    if (last) break;
    before = measured;
    run(keep);
    const Index given = batches.run(left, [&](const double* at) {
      solved.stopped = options.go_on && !options.go_on({static_cast<Index>(at[iterations]),
                                                        relative(at, residual2)});
      return !solved.stopped && at[ended] == 0;
    });
    solved.bytes += static_cast<double>(given) * iteration.bytes();
    solved.flops += static_cast<double>(given) * iteration.flops();
    run(residual);
  }
  if (solved.stopped || solved.iterations >= options.most_iterations) solved.rounding = false;
  solved.seconds = watch.seconds();
  return solved;
}

} // namespace ridge::solve
