// Operations of solvers on vectors. Compiled once per device kind.
#include <ridge/solve/complex_ops.hpp>
#include <ridge/solve/vector_call.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#include <ridge/lattice/gpu/finish.hpp>
#endif

#include "numbers.hpp"

namespace ridge::solve {

inline namespace RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

template <class Op>
Bound bind_op(Queue& /*queue*/, const VectorCall<Op>& call) {
  return Bound([call] {
    constexpr int wide = 8;
    const Index parts = parts_of(true, call.count);
    const Index chunk = ceil_div(ceil_div(call.count, parts), Index{wide}) * wide;
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const Op op = call.op;
      const auto mine = cpu::share_of(parts, thread, threads);
      for (Index part = mine.begin; part < mine.end; ++part) {
        const Index end = part + 1 == parts ? call.count : (part + 1) * chunk;
        Index i = part * chunk;
        double sum[most_sums] = {};
        const auto add = [&](const auto& more) {
          for (int k = 0; k < Op::sums; ++k)
            sum[k] += more.w[k];
        };
        for (; i + wide <= end; i += wide)
          add(op(Numbers<wide>{i}));
        for (; i < end; ++i)
          add(op(Numbers<1>{i}));
        for (int k = 0; k < Op::sums; ++k)
          call.parts.data[part * Op::sums + k] = sum[k];
      }
    });
  });
}

template <class Then>
Bound bind_then(Queue& /*queue*/, const SumCall<Then>& call) {
  return Bound([call] {
    double sum[Then::sums] = {};
    for (Index i = 0; i < call.parts.size; ++i)
      sum[i % Then::sums] += call.parts.data[i];
    Then{}(sum, call.s.data);
  });
}

#else

/// What threads and blocks add up.
template <int N>
struct Sum {
  static constexpr int words = N;
  double w[N];
  RIDGE_FN void merge(const Sum& other) {
    RIDGE_UNROLL
    for (int k = 0; k < N; ++k)
      w[k] += other.w[k];
  }
  RIDGE_FN void add(const Totals<N>& more) {
    RIDGE_UNROLL
    for (int k = 0; k < N; ++k)
      w[k] += more.w[k];
  }
};

constexpr int vector_threads = 256;

template <class Op>
struct VectorBody {
  static constexpr int max_threads = vector_threads;
  static constexpr const char* name = Op::name;
  VectorCall<Op> call;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    constexpr int wide = 2;
    const Index all = Index{lane.grid_extent().x} * max_threads;
    const Index mine = Index{lane.block().x} * max_threads + lane.thread().x;
    constexpr int n = Op::sums > 0 ? Op::sums : 1;
    Sum<n> sum{};
    for (Index i = mine; i < call.count / wide; i += all)
      sum.add(call.op(Numbers<Lane, wide>{lane, i * wide}));
    if (call.count % wide != 0 && mine == 0)
      sum.add(call.op(Numbers<Lane, 1>{lane, call.count - 1}));
    if constexpr (Op::sums > 0) {
      sum = lattice::gpu::merge_block(lane, sum);
      if (lane.thread().x != 0) return;
      for (int k = 0; k < n; ++k)
        lane.store(call.parts, Index{lane.block().x} * n + k, sum.w[k]);
    }
  }
};

template <class Then>
struct SumBody {
  static constexpr int max_threads = vector_threads;
  static constexpr const char* name = "solver's scalars";
  SumCall<Then> call;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    constexpr int n = Then::sums;
    Sum<n> sum{};
    for (Index i = lane.thread().x; i < call.parts.size / n; i += max_threads) {
      for (int k = 0; k < n; ++k)
        sum.w[k] += lane.load(call.parts, i * n + k);
    }
    sum = lattice::gpu::merge_block(lane, sum);
    if (lane.thread().x != 0) return;
    double s[scalars];
    for (int k = 0; k < scalars; ++k)
      s[k] = lane.load_written(call.s, k);
    Then{}(sum.w, s);
    for (int k = 0; k < scalars; ++k)
      lane.store(call.s, Index{k}, s[k]);
  }
};

constexpr int shared_bytes = vector_threads * static_cast<int>(sizeof(Sum<most_sums>));

template <class Op>
Bound bind_op(Queue& queue, const VectorCall<Op>& call) {
  const auto blocks = static_cast<int>(parts_of(false, call.count));
  return Bound(Ready<VectorBody<Op>>(queue, {{blocks, 1, 1}, {vector_threads, 1, 1}, shared_bytes},
                                     VectorBody<Op>{call}));
}
template <class Then>
Bound bind_then(Queue& queue, const SumCall<Then>& call) {
  return Bound(Ready<SumBody<Then>>(queue, {{1, 1, 1}, {vector_threads, 1, 1}, shared_bytes},
                                    SumBody<Then>{call}));
}

#endif

template <class Op>
struct OfferOp {
  Offer offer{kind_of<Here>, typeid(VectorCall<Op>), &bind_op<Op>};
};
template <class Then>
struct OfferThen {
  Offer offer{kind_of<Here>, typeid(SumCall<Then>), &bind_then<Then>};
};

} // namespace RIDGE_TARGET_NAME

namespace {

template <class... Each>
struct All : Each... {};

const All<OfferOp<Dot<float>>, OfferOp<Dot<double>>, OfferOp<Begin<float>>, OfferOp<Begin<double>>,
          OfferOp<Begin<float, double>>, OfferOp<StepResidual<float>>,
          OfferOp<StepResidual<double>>, OfferOp<StepDirection<float>>,
          OfferOp<StepDirection<double>>, OfferOp<Collect<double, float>>,
          OfferOp<Collect<double, double>>, OfferOp<BeginDirection<float>>,
          OfferOp<BeginDirection<double>>, OfferOp<Keep>, OfferOp<TakeBest>, OfferOp<Scale>>
    of_vectors;
const All<OfferOp<ComplexDot>, OfferOp<StepHalf>, OfferOp<TwoDots>, OfferOp<StepBoth>,
          OfferOp<StepBlend>>
    of_complex_vectors;
const All<OfferThen<ChooseWeight>, OfferThen<ChooseDamping>, OfferThen<ChooseMixing>,
          OfferThen<TakeShadow>>
    of_complex_sums;
const All<OfferThen<ChooseStep>, OfferThen<ChooseTurn>, OfferThen<TakeResidual>,
          OfferThen<TakeSource>, OfferThen<TakeStart>, OfferThen<TakeAlong>, OfferThen<TakePart>>
    of_sums;
const All<OfferOp<StepShifts>, OfferOp<StepShifted>, OfferOp<AddShift>> of_shifts;
const All<OfferOp<Rearrange>, OfferOp<TakeColumn<double>>, OfferOp<TakeColumn<float>>> of_orders;

} // namespace

} // namespace ridge::solve
