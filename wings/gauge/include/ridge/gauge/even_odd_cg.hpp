// Conjugate gradients for M^+ M on the even sites, M = 1 - kappa^2 D_eo D_oe: five launches an
// iteration, which reads and writes 32 half-lattice spinors (links of 12 numbers included) where
// operators and vector operations one by one take 38. No number goes through the host.
//
//   gauge::EvenOddCg<double, 12> cg(queue, links, even, kappa);
//   cg.residual().fill(queue, b);   cg.start();
//   while (cg.rr() > limit) cg.iterate(10);
//
// With the preconditioned right-hand side b = M^+ (b_e + kappa D_eo b_o) the solution is that of
// the Wilson operator on even sites; on odd ones it is b_o + kappa D_oe x_e.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/gauge/cg_step.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/launch/program.hpp>

#include <array>
#include <optional>

namespace ridge::gauge {

template <class Number, int Reals>
class EvenOddCg {
public:
  using Fermion = StoredFermion<Number>;
  using Operator = lattice::StoredCall<Dslash<Number, Reals>>;

  /// The queue and the links must outlive it. `boundary`: factors of ways around the lattice.
  EvenOddCg(Queue& queue, const StoredLinks<Number, Reals>& links, const lattice::SiteGrid& even,
            double kappa, const std::array<double, 4>& boundary = {1, 1, 1, 1})
      : queue_(&queue), x_(queue.device(), even, "x"), r_(queue.device(), even, "r"),
        p_(queue.device(), even, "p"), q_(queue.device(), even, "M p"),
        t_(queue.device(), other(even), "D p"), numbers_(queue.device(), 4) {
    const auto bounded = [&](Operator call) {
      for (std::size_t mu = 0; mu < dimensions; ++mu)
        call.kernel.boundary[mu] = static_cast<typename Dslash<Number, Reals>::Real>(boundary[mu]);
      return call;
    };
    const double k2 = kappa * kappa;
    Operator apply = bounded(dslash_call(q_, links, t_, p_, 1, -k2));
    apply.sum = number(pap);
    launches_.emplace_back(queue, bounded(dslash_call(t_, links, p_)), "D p");
    launches_.emplace_back(queue, apply, "M p");
    launches_.emplace_back(queue, bounded(dslash_call(t_, links, q_, true)), "D+ M p");
    for (const int now : {0, 1}) { // which of the two numbers is |r|^2 before
      Operator update = bounded(dslash_call(r_, links, t_, r_, 1, k2, true));
      update.kernel.other = q_.view();
      update.kernel.also = -1;
      update.kernel.below = number(pap);
      update.sum = number(1 - now);
      for (const int rp : {now, along}) {
        update.kernel.above = number(rp);
        (rp == now ? updates_ : updates_anew_)[static_cast<std::size_t>(now)].emplace(
            queue, update, "r - a M+ M p");
        (rp == now ? steps_ : steps_anew_)[static_cast<std::size_t>(now)].emplace(
            queue, step(now, rp), "cg step");
      }
    }
    auto first = step(0, 0);
    first.sum = number(2);
    first_.emplace(queue, first, "p = r");
  }
  EvenOddCg(const EvenOddCg&) = delete;
  EvenOddCg& operator=(const EvenOddCg&) = delete;
  ~EvenOddCg() = default;

  /// b before start(), b - M^+ M x after.
  [[nodiscard]] Fermion& residual() { return r_; }
  [[nodiscard]] Fermion& solution() { return x_; }
  [[nodiscard]] const Fermion& direction() const { return p_; }

  /// x = 0, p = r.
  void start() {
    fill_bytes(*queue_, x_.view().elements.data, 0, x_.bytes());
    fill_bytes(*queue_, p_.view().elements.data, 0, p_.bytes());
    const double neutral[3] = {1, 0, 1}; // no step: p = r + 0 p
    copy_to_device(*queue_, numbers_.doubles().data, neutral, 3);
    queue_->wait();
    first_->run();
    copy_bytes_on_device(*queue_, number(0).data, number(2).data, Bytes{sizeof(double)});
    now_ = 0;
    anew_ = false;
  }
  /// x = 0; p stays, for a residual that was computed anew and has |r|^2 = `r2` and r.p = `rp`.
  void go_on(double r2, double rp) {
    fill_bytes(*queue_, x_.view().elements.data, 0, x_.bytes());
    copy_to_device(*queue_, number(now_).data, &r2, 1);
    copy_to_device(*queue_, number(along).data, &rp, 1);
    queue_->wait();
    anew_ = true;
  }
  void iterate(int iterations) {
    for (int i = 0; i < iterations; ++i) {
      for (const Program& launch : launches_)
        launch.run();
      (anew_ ? updates_anew_ : updates_)[static_cast<std::size_t>(now_)]->run();
      (anew_ ? steps_anew_ : steps_)[static_cast<std::size_t>(now_)]->run();
      now_ = 1 - now_;
      anew_ = false;
    }
  }
  /// |r|^2, as the recursion has it; waits for the queue.
  [[nodiscard]] double rr() const { return numbers_.get(*queue_)[static_cast<std::size_t>(now_)]; }
  /// Least bytes and operations of an iteration.
  [[nodiscard]] double bytes() const {
    return sum_of(
        [](const Work& w) { return static_cast<double>(w.read.value + w.written.value); });
  }
  [[nodiscard]] double flops() const {
    return sum_of([](const Work& w) { return w.flops; });
  }

private:
  template <class F>
  [[nodiscard]] double sum_of(const F& f) const {
    double all = f(updates_[0]->record().work) + f(steps_[0]->record().work);
    for (const Program& launch : launches_)
      all += f(launch.record().work);
    return all;
  }
  static constexpr int pap = 2, along = 3; ///< numbers of |r|^2 are 0 and 1
  static lattice::SiteGrid other(lattice::SiteGrid grid) {
    grid.parity = 1 - grid.parity;
    return grid;
  }
  [[nodiscard]] Span<double> number(int i) const { return {numbers_.doubles().data + i, 1}; }
  [[nodiscard]] lattice::StoredCall<CgStep<Number>> step(int now, int rp) const {
    CgStep<Number> kernel;
    kernel.r = r_.view();
    kernel.x = x_.view();
    kernel.p = p_.view();
    kernel.rr = number(now);
    kernel.new_rr = number(1 - now);
    kernel.pap = number(pap);
    kernel.rp = number(rp);
    return {kernel, x_.grid()};
  }

  Queue* queue_;
  Fermion x_, r_, p_, q_, t_;
  lattice::DeviceResult<double> numbers_;
  std::vector<Program> launches_;
  std::array<std::optional<Program>, 2> updates_, steps_;
  std::array<std::optional<Program>, 2> updates_anew_, steps_anew_; ///< of a residual from outside
  std::optional<Program> first_;
  int now_ = 0;
  bool anew_ = false;
};

} // namespace ridge::gauge
