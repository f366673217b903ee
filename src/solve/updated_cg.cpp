// Conjugate gradients in any numbers within double precision.
#include <ridge/solve/cg.hpp>

#include "updates.hpp"

namespace ridge::solve {

namespace {

/// Iterations that somebody else has: what they know of the residual goes through the host.
class GivenIterations {
public:
  GivenIterations(Workspace& work, UpdatedCg::Inner& inner)
      : work_(work), inner_(inner), now_(static_cast<std::size_t>(scalars), 0) {
    add_sum<Dot<float>, TakeAlong>(overlap_, work, {inner.residual(), inner.solution()});
  }

  [[nodiscard]] static bool foresees() { return true; }
  void begin() const {}
  [[nodiscard]] Chain residual(Span<const double> b, Span<const double> q) const {
    Chain chain;
    add_sum<Begin<float, double>, TakeResidual>(
        chain, work_, {b, q, inner_.residual(), inner_.residual(), false});
    return chain;
  }
  [[nodiscard]] double direction(const double* now) {
    std::copy_n(now, scalars, now_.begin());
    inner_.begin(now[fresh] != 0, now[residual2], now[along]);
    return 0;
  }
  /// Some iterations at a time, as many as are foreseen by how fast the residual falls.
  template <class Look>
  Index run(Index most, const Look& look) {
    Index done = 0;
    double rate = 0;
    const double start = now_[measured2];
    while (done < most) {
      const double before = now_[residual2];
      const double foreseen = rate > 0 ? std::ceil(std::log(before / now_[target2]) / rate) : 3;
      const auto few = std::min(static_cast<Index>(std::clamp(foreseen, 1.0, 10.0)), most - done);
      const double after = inner_.iterate(few);
      rate = after > 0 ? std::max(0.0, std::log(before / after) / static_cast<double>(few)) : 0;
      done += few;
      now_[residual2] = after;
      now_[iterations] += static_cast<double>(few);
      const bool grows = !(after <= 1e20 * start);
      if (after <= now_[target2] || grows) now_[ended] = 1;
      if (!look(now_.data())) break;
    }
    inner_.show();
    work_.set_all(now_.data());
    return done;
  }
  [[nodiscard]] Chain collect(Span<double> x, Span<double> best) const {
    Chain chain;
    add_op(chain, work_, Collect<double, float>{x, inner_.solution(), best, work_.s()});
    return chain;
  }
  [[nodiscard]] double overlap() const {
    inner_.show_direction();
    overlap_.run();
    return overlap_.bytes();
  }
  [[nodiscard]] double bytes() const { return inner_.bytes(); }
  [[nodiscard]] double flops() const { return inner_.flops(); }

private:
  Workspace& work_;
  UpdatedCg::Inner& inner_;
  std::vector<double> now_; ///< scalars, as the host has them
  Chain overlap_;
};

} // namespace

struct UpdatedCg::State : UpdatedSolver {
  State(Queue& queue, Operator<double> wide, std::unique_ptr<Inner> in, Index count)
      : UpdatedSolver(std::make_unique<Workspace>(queue, count), std::move(wide)),
        inner(std::move(in)) {}
  std::unique_ptr<Inner> inner;
};

UpdatedCg::UpdatedCg(Queue& queue, Operator<double> apply, std::unique_ptr<Inner> inner,
                     Index count)
    : state_(std::make_unique<State>(queue, std::move(apply), std::move(inner), count)) {}
UpdatedCg::~UpdatedCg() = default;

Solved UpdatedCg::solve(Span<double> x, Span<const double> b, const Options& options,
                        const Measure& measure) {
  State& state = *state_;
  return state
      .solve(x, b, options, measure,
             [&](const auto& beside) {
               GivenIterations given(state.work(), *state.inner);
               // Sixteen bits know four digits of the residual, and little of it where it is slow.
               return solve_by_updates(
                   state.work(), state.apply(), given, beside, x, b,
                   Drop(1e-2, 1e-2, 8e-6, 0.5, std::numeric_limits<double>::infinity()), options,
                   measure);
             })
      .front();
}

} // namespace ridge::solve
