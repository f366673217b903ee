// Operations of solvers on several vectors at once, each with scalars of its own. Compiled once per
// device kind.
#include <ridge/solve/vector_call.hpp>

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

#include "numbers.hpp"

namespace ridge::solve {

inline namespace RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

/// A number of a column.
struct ColumnNumber : Numbers<1> {
  Index column;
  RIDGE_FN ColumnNumber(Index i, Index c) : Numbers<1>{i}, column(c) {}
  RIDGE_FN double scalar(const Span<const double>& s, int k) const {
    return s.data[column * scalars + k];
  }
};

template <class Op>
Bound bind_column_op(Queue& /*queue*/, const ColumnCall<Op>& call) {
  return Bound([call] {
    const Index lanes = call.order.lanes; // a number's neighbours are those of other columns
    const Index parts = column_parts_of(true, call.count);
    const Index chunk = ceil_div(ceil_div(call.count, parts), lanes) * lanes;
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const Op op = call.op;
      const auto mine = cpu::share_of(parts, thread, threads);
      for (Index part = mine.begin; part < mine.end; ++part) {
        double* const sums = call.parts.data + part * lanes;
        for (Index c = 0; c < lanes; ++c)
          sums[c] = 0;
        const Index begin = part * chunk < call.count ? part * chunk : call.count;
        const Index end = begin + chunk < call.count ? begin + chunk : call.count;
        for (Index first = begin; first < end; first += lanes) {
          for (Index c = 0; c < lanes; ++c)
            sums[c] += op(ColumnNumber(first + c, c)).w[0];
        }
      }
    });
  });
}

template <class Then>
Bound bind_column_then(Queue& /*queue*/, const ColumnSumCall<Then>& call) {
  return Bound([call] {
    for (Index c = 0; c < call.columns; ++c) {
      double sum = 0;
      for (Index i = c; i < call.parts.size / call.stride; i += call.columns)
        sum += call.parts.data[i * call.stride];
      Then{}(&sum, call.s.data + c * scalars);
    }
  });
}

#else

template <class Lane, int N>
struct ColumnNumbers : Numbers<Lane, N> {
  Index column;
  RIDGE_DEVICE ColumnNumbers(const Lane& lane, Index i, Index c)
      : Numbers<Lane, N>{lane, i}, column(c) {}
  RIDGE_DEVICE double scalar(const Span<const double>& s, int k) const {
    return this->lane.load(s, column * scalars + k);
  }
};

constexpr int column_threads = 256;
/// Numbers of a thread: no more than lie together of a value.
constexpr int column_wide = 2;

template <class Op>
struct ColumnBody {
  static constexpr int max_threads = column_threads;
  static constexpr const char* name = Op::name;
  ColumnCall<Op> call;

  [[nodiscard]] RIDGE_DEVICE int column_of(Index thread) const {
    const int row = call.order.chunk * call.order.lanes;
    return static_cast<int>(thread * column_wide % row) / call.order.chunk;
  }
  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Index all = Index{lane.grid_extent().x} * max_threads;
    const Index first = Index{lane.block().x} * max_threads;
    const int thread = lane.thread().x;
    const int column = column_of(first + thread);
    double sum = 0;
    for (Index i = first + thread; i < call.count / column_wide; i += all)
      sum += call.op(ColumnNumbers<Lane, column_wide>(lane, i * column_wide, column)).w[0];
    if constexpr (Op::sums > 0) {
      auto sums = lane.template shared<double>(0, max_threads);
      sums[thread] = sum;
      lane.barrier();
      if (thread >= call.order.lanes) return;
      double total = 0;
      for (int t = 0; t < max_threads; ++t) {
        const double more = sums[t];
        if (column_of(first + t) == thread) total += more;
      }
      lane.store(call.parts, Index{lane.block().x} * call.order.lanes + thread, total);
    }
  }
};

/// A block for each column.
template <class Then>
struct ColumnSumBody {
  static constexpr int max_threads = column_threads;
  static constexpr const char* name = "solver's scalars";
  ColumnSumCall<Then> call;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int thread = lane.thread().x;
    const int column = lane.block().x;
    double sum = 0;
    for (Index i = thread; i < call.parts.size / (call.stride * call.columns); i += max_threads)
      sum += lane.load(call.parts, (i * call.columns + column) * call.stride);
    auto sums = lane.template shared<double>(0, max_threads);
    sums[thread] = sum;
    lane.barrier();
    for (int half = max_threads / 2; half > 0; half /= 2) {
      if (thread < half) {
        const double a = sums[thread], b = sums[thread + half];
        sums[thread] = a + b;
      }
      lane.barrier();
    }
    if (thread != 0) return;
    const Index from = Index{column} * scalars;
    double s[scalars];
    for (int k = 0; k < scalars; ++k)
      s[k] = lane.load_written(call.s, from + k);
    const double total = sums[0];
    Then{}(&total, s);
    for (int k = 0; k < scalars; ++k)
      lane.store(call.s, from + k, s[k]);
  }
};

constexpr int column_shared = column_threads * static_cast<int>(sizeof(double));

template <class Op>
Bound bind_column_op(Queue& queue, const ColumnCall<Op>& call) {
  const auto blocks = static_cast<int>(column_parts_of(false, call.count));
  return Bound(Ready<ColumnBody<Op>>(queue, {{blocks, 1, 1}, {column_threads, 1, 1}, column_shared},
                                     ColumnBody<Op>{call}));
}
template <class Then>
Bound bind_column_then(Queue& queue, const ColumnSumCall<Then>& call) {
  return Bound(Ready<ColumnSumBody<Then>>(
      queue, {{call.columns, 1, 1}, {column_threads, 1, 1}, column_shared},
      ColumnSumBody<Then>{call}));
}

#endif

template <class Op>
struct OfferColumnOp {
  Offer offer{kind_of<Here>, typeid(ColumnCall<Op>), &bind_column_op<Op>};
};
template <class Then>
struct OfferColumnThen {
  Offer offer{kind_of<Here>, typeid(ColumnSumCall<Then>), &bind_column_then<Then>};
};

} // namespace RIDGE_TARGET_NAME

namespace {

template <class... Each>
struct AllColumns : Each... {};

const AllColumns<OfferColumnOp<Dot<float>>, OfferColumnOp<Dot<double>>,
                 OfferColumnOp<Begin<double>>, OfferColumnOp<Begin<float, double>>,
                 OfferColumnOp<StepResidual<float>>, OfferColumnOp<StepResidual<double>>,
                 OfferColumnOp<StepDirection<float>>, OfferColumnOp<StepDirection<double>>,
                 OfferColumnOp<Collect<double, float>>, OfferColumnOp<Collect<double, double>>,
                 OfferColumnOp<BeginDirection<float>>, OfferColumnOp<BeginDirection<double>>,
                 OfferColumnOp<TakeBest>, OfferColumnOp<Scale>>
    of_column_vectors;
const AllColumns<OfferColumnThen<ChooseStep>, OfferColumnThen<ChooseTurn>,
                 OfferColumnThen<TakeResidual>, OfferColumnThen<TakeSource>,
                 OfferColumnThen<TakeStart>, OfferColumnThen<TakeAlong>, OfferColumnThen<TakePart>>
    of_column_sums;

} // namespace

} // namespace ridge::solve
