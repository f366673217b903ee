// The memory of a solver, and how it is asked without stopping the queue.
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lattice/over_ranks.hpp>
#include <ridge/solve/vector_call.hpp>

#include <algorithm>

namespace ridge::solve {

namespace {
constexpr Bytes all_scalars{scalars * sizeof(double)};
}

RankSums::RankSums(comm::Communicator& ranks, Queue& queue, int columns)
    : queue_(queue), ranks_(ranks.ranks()), rank_(ranks.rank()), columns_(columns),
      mine_(queue.device(), Bytes{columns * all_scalars.value}, "a rank's sums"),
      all_(queue.device(), Bytes{ranks_ * sent().value}, "the sums of all ranks") {
  fill_bytes(queue, mine_.data(), 0, mine_.size());
  const auto sums_of = [&](int rank) -> comm::Pieces {
    if (rank == ranks.rank()) return {{mine_.data(), sent()}};
    return {{static_cast<char*>(all_.data()) + rank * sent().value, sent()}};
  };
  transfer_ = comm::Transfer({ranks, queue}, comm::to_all(ranks, sums_of));
}

void RankSums::exchange() {
  transfer_.begin();
  copy_bytes_on_device(queue_, static_cast<char*>(all_.data()) + rank_ * sent().value, mine_.data(),
                       sent());
  transfer_.finish();
}

template <class T>
double reproducible_dot(comm::Communicator* ranks, Queue& queue, Span<const T> x, Span<const T> y) {
  static const std::unique_ptr<comm::Communicator> alone = comm::alone();
  Index row = std::min<Index>(x.size, 8192); // rows are shared out
  while (x.size % row != 0)
    --row;
  const Index3 box{row, x.size / row, 1};
  return lattice::inner_product<T>(ranks != nullptr ? *ranks : *alone, queue,
                                   View<const T>(x.data, box), View<const T>(y.data, box));
}
template double reproducible_dot(comm::Communicator*, Queue&, Span<const float>, Span<const float>);
template double reproducible_dot(comm::Communicator*, Queue&, Span<const double>,
                                 Span<const double>);

Workspace::Workspace(Queue& queue, Index count, comm::Communicator* ranks)
    : queue_(queue), ranks_(ranks), count_(count),
      s_(queue.device(), all_scalars, "scalars of a solver"),
      parts_(queue.device(),
             Bytes{parts_of(queue.device().kind() == DeviceKind::cpu, count) * most_sums *
                   static_cast<Index>(sizeof(double))},
             "parts of sums"),
      copies_(queue.device(), Bytes{2 * all_scalars.value}, "scalars on the host",
              Memory::Place::staging),
      marks_{Event(queue.device()), Event(queue.device())} {
  fill_bytes(queue, s_.data(), 0, all_scalars);
  if (ranks != nullptr && ranks->ranks() > 1)
    over_ranks_ = std::make_unique<RankSums>(*ranks, queue);
}

Workspace::Workspace(Queue& queue, Index count, const GroupOrder& columns,
                     comm::Communicator* ranks)
    : queue_(queue), ranks_(ranks), count_(count), order_(columns),
      s_(queue.device(), Bytes{columns.lanes * all_scalars.value}, "scalars of a solver"),
      parts_(queue.device(),
             Bytes{column_parts_of(queue.device().kind() == DeviceKind::cpu, count) *
                   columns.lanes * static_cast<Index>(sizeof(double))},
             "parts of sums"),
      copies_(queue.device(), Bytes{2 * s_.size().value}, "scalars on the host",
              Memory::Place::staging),
      marks_{Event(queue.device()), Event(queue.device())} {
  fill_bytes(queue, s_.data(), 0, s_.size());
  if (ranks != nullptr && ranks->ranks() > 1)
    over_ranks_ = std::make_unique<RankSums>(*ranks, queue, columns.lanes);
}

void Workspace::set_reproducible(bool on) {
  reproducible_ = on;
  if (!on || !order_ || column_.size().value > 0) return;
  column_ =
      Memory(queue_.device(), Bytes{2 * (count_ / columns()) * static_cast<Index>(sizeof(double))},
             "columns that are summed");
}

void Workspace::put(double* at, double value) const {
  copy_to_device(queue_, at, &value, 1);
  queue_.wait(); // the value lies on the stack
}
void Workspace::set(Scalar which, double value) const {
  for (int column = 0; column < columns(); ++column)
    put(s().data + Index{column} * scalars + which, value);
}

void Workspace::set_all(const double* values) const {
  copy_to_device(queue_, s().data, values, s().size);
  queue_.wait();
}

void Workspace::ask(int slot) {
  double* const to = static_cast<double*>(copies_.data()) + slot * s().size;
  copy_bytes_to_host(queue_, to, s_.data(), s_.size());
  marks_[slot].record(queue_);
}

const double* Workspace::answer(int slot) {
  (void)marks_[slot].until(marks_[slot]);
  return static_cast<const double*>(copies_.data()) + slot * s().size;
}

} // namespace ridge::solve
