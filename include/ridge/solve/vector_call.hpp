// Launches on vectors, from host code. Vectors are spans of real numbers on the device of a queue,
// all of one length; memory beside them is given once.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/launch/bound.hpp>
#include <ridge/solve/vector_ops.hpp>

#include <memory>
#include <optional>

namespace ridge::solve {

/// An operation on all `count` numbers; parts of its sum go to `parts`.
template <class Op>
struct VectorCall {
  Op op;
  Index count = 0;
  Span<double> parts;
};
/// What `Then` does with the sum of the parts.
template <class Then>
struct SumCall {
  Span<const double> parts;
  Span<double> s;
};

/// The same for several vectors that lie as the values of groups do, each with scalars of its own:
/// an operation's sum is one a value.
template <class Op>
struct ColumnCall {
  Op op;
  Index count = 0;
  Span<double> parts;
  GroupOrder order;
};
template <class Then>
struct ColumnSumCall {
  Span<const double> parts;
  Span<double> s;
  int columns = 1;
  int stride = 1; ///< from part to part
};

/// What kernel sources offer under the type of the call.
template <class Call>
using BindVector = Bound(Queue& queue, const Call& call);

template <class Call>
[[nodiscard]] Bound bind(Queue& queue, const Call& call) {
  return offered<BindVector<Call>>(queue.device().kind(), typeid(Call))(queue, call);
}

/// Most sums of an operation.
inline constexpr int most_sums = 3;

/// How many parts a sum over `count` numbers has: a function of these alone, so that a sum has the
/// same bits for any number of threads.
[[nodiscard]] RIDGE_FN constexpr Index parts_of(bool on_host, Index count) {
  constexpr Index chunk = 4096;
  constexpr Index most_blocks = 1024;
  const Index chunks = (count + chunk - 1) / chunk;
  return on_host || chunks < most_blocks ? chunks : most_blocks;
}

/// The same for sums a column. A multiple of three: so many blocks of 512 numbers are whole groups
/// of 12 values, and a thread stays in its column.
[[nodiscard]] RIDGE_FN constexpr Index column_parts_of(bool on_host, Index count) {
  return on_host ? parts_of(true, count) : (parts_of(false, count) + 2) / 3 * 3;
}

/// The sums of ranks, brought to all of them in the order of a queue. Each adds them up in the same
/// order, so that all decide alike.
class RankSums {
public:
  /// A sum each of `columns`. Queue and communicator must outlive it. Collective.
  RankSums(comm::Communicator& ranks, Queue& queue, int columns = 1);

  /// Where this rank's sums belong: the first number of a solver's scalars.
  [[nodiscard]] Span<double> mine() const {
    return {static_cast<double*>(mine_.data()), Index{columns_} * scalars};
  }
  /// The sums of all ranks, after exchange(): `stride` numbers a sum, the first of which is it.
  [[nodiscard]] Span<const double> all() const {
    return {static_cast<const double*>(all_.data()), ranks_ * columns_ * stride()};
  }
  [[nodiscard]] int stride() const { return columns_ > 1 ? scalars : 1; }
  /// Collective.
  void exchange();
  [[nodiscard]] bool needs_no_host() const { return transfer_.can_be_recorded(); }

private:
  [[nodiscard]] Bytes sent() const {
    return Bytes{Index{columns_} * stride() * static_cast<Index>(sizeof(double))};
  }
  Queue& queue_;
  Index ranks_, rank_;
  int columns_;
  Memory mine_, all_;
  comm::Transfer transfer_;
};

/// The sum of x y over all ranks, the same bits for any number of them; numbers that belong to none
/// are 0 in one of both. Waits; collective. `ranks` may be null for one.
template <class T>
[[nodiscard]] double reproducible_dot(comm::Communicator* ranks, Queue& queue, Span<const T> x,
                                      Span<const T> y);

/// Memory of a queue's solver: its scalars, and the parts of sums. Of several ranks each has its
/// own part of the vectors; numbers that belong to none are 0 where they are summed.
class Workspace {
public:
  Workspace(Queue& queue, Index count, comm::Communicator* ranks = nullptr);
  /// A workspace of several vectors at once, each with scalars of its own: vectors that lie as the
  /// values of groups, `count` numbers in all.
  Workspace(Queue& queue, Index count, const GroupOrder& columns,
            comm::Communicator* ranks = nullptr);

  [[nodiscard]] Queue& queue() const { return queue_; }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Span<double> s() const {
    return {static_cast<double*>(s_.data()), Index{columns()} * scalars};
  }
  [[nodiscard]] int columns() const { return order_ ? order_->lanes : 1; }

  template <class Op>
  [[nodiscard]] Bound bind(const Op& op) const {
    if (order_) return solve::bind(queue_, ColumnCall<Op>{op, count_, parts(), *order_});
    return solve::bind(queue_, VectorCall<Op>{op, count_, parts()});
  }
  template <class Then>
  [[nodiscard]] Bound bind_sum() const {
    Span<double> all = parts();
    if (order_) return bind_column_sum<Then>(all);
    all.size = all.size / most_sums * Then::sums;
    if constexpr (Then::sums == 1) {
      if (over_ranks_) {
        return Bound([part = solve::bind(queue_, SumCall<TakePart>{all, over_ranks_->mine()}),
                      sums = over_ranks_.get(),
                      then = solve::bind(queue_, SumCall<Then>{over_ranks_->all(), s()})] {
          part.run();
          sums->exchange();
          then.run();
        });
      }
    }
    return solve::bind(queue_, SumCall<Then>{all, s()});
  }
  /// The same with the sum of x y as the same bits for any number of ranks, by the host.
  template <class Then, class T>
  [[nodiscard]] Bound bind_reproducible(Span<const T> x, Span<const T> y) const {
    const Span<double> all = parts();
    if (order_) {
      return Bound(
          [this, x, y, first = all.data,
           then = solve::bind(queue_, ColumnSumCall<Then>{{all.data, columns()}, s(), columns()})] {
            for (int c = 0; c < columns(); ++c)
              put(first + c, reproducible_column(x, y, c));
            then.run();
          });
    }
    return Bound([this, x, y, first = all.data,
                  then = solve::bind(queue_, SumCall<Then>{{all.data, 1}, s()})] {
      const double sum = reproducible_dot(ranks_, queue_, x, y);
      put(first, sum);
      then.run();
    });
  }
  /// Whether sums are so from now on.
  void set_reproducible(bool on);
  [[nodiscard]] bool reproducible() const { return reproducible_; }
  /// An operation on `count` numbers of its own, without a sum.
  template <class Op>
  [[nodiscard]] Bound bind_few(const Op& op, Index count) const {
    return solve::bind(queue_, VectorCall<Op>{op, count, parts()});
  }
  /// Whether all its launches may be recorded in a graph.
  [[nodiscard]] bool needs_no_host() const {
    return !reproducible_ && (!over_ranks_ || over_ranks_->needs_no_host());
  }
  [[nodiscard]] bool over_ranks() const { return over_ranks_ != nullptr; }
  /// Sets one of the scalars, in queue order, of all columns.
  void set(Scalar which, double value) const;
  /// Sets them all.
  void set_all(const double* values) const;
  /// Gives a copy of the scalars to the queue, into slot 0 or 1, and a mark.
  void ask(int slot);
  /// Waits for that copy alone: what the queue was given later goes on. Columns follow each other.
  [[nodiscard]] const double* answer(int slot);

private:
  void put(double* at, double value) const;
  template <class Then>
  [[nodiscard]] Bound bind_column_sum(Span<const double> all) const {
    if (!over_ranks_) return solve::bind(queue_, ColumnSumCall<Then>{all, s(), columns()});
    return Bound(
        [part = solve::bind(queue_, ColumnSumCall<TakePart>{all, over_ranks_->mine(), columns()}),
         sums = over_ranks_.get(),
         then = solve::bind(queue_, ColumnSumCall<Then>{over_ranks_->all(), s(), columns(),
                                                        over_ranks_->stride()})] {
          part.run();
          sums->exchange();
          then.run();
        });
  }
  template <class T>
  [[nodiscard]] double reproducible_column(Span<const T> x, Span<const T> y, int column) const {
    const Index each = count_ / columns();
    double* const to = static_cast<double*>(column_.data());
    const auto take = [&](Span<const T> from, Span<double> into) {
      bind_few(TakeColumn<T>{from, into, *order_, column}, each).run();
      return Span<const double>(into);
    };
    const auto a = take(x, {to, each});
    return reproducible_dot(ranks_, queue_, a, x.data == y.data ? a : take(y, {to + each, each}));
  }
  [[nodiscard]] Span<double> parts() const {
    return {static_cast<double*>(parts_.data()),
            parts_.size().value / static_cast<Index>(sizeof(double))};
  }
  Queue& queue_;
  comm::Communicator* ranks_; ///< null: one rank
  bool reproducible_ = false;
  Index count_;
  std::optional<GroupOrder> order_; ///< of columns
  Memory s_, parts_, copies_;
  Memory column_; ///< two, where sums are reproducible
  Event marks_[2];
  std::unique_ptr<RankSums> over_ranks_;
};

} // namespace ridge::solve
