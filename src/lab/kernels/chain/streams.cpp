#include <ridge/chain/case.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/kernels/chain_streams.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include "lab/benches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace ridge::lab {

namespace {

constexpr Index piece = Index{1} << 16; ///< items checked at a time

template <class V>
using OfOneValue = V (*)(const V&);
/// The operations of a stream on one value in double, with bounds where V has them: the reference.
template <class V, int... I>
constexpr std::array<OfOneValue<V>, sizeof...(I)> stream_values(std::integer_sequence<int, I...>) {
  return {[](const V& x) -> V { return stream_value<I>(x); }...};
}
template <class V>
V reference(int length, V value) {
  static constexpr auto operations =
      stream_values<V>(std::make_integer_sequence<int, longest_stream>{});
  for (int k = 0; k < length; ++k)
    value = operations[static_cast<std::size_t>(k)](value);
  return value;
}

/// Compares `count` results of `length` operations, from item `first` on.
template <class T>
void compare_items(int length, const T* in, const T* out, Index first, Index count,
                   Deviation& found) {
  using One = Pack<double, 1, abi::Array>;
  const T poison = poisoned<T>(poison_of_outputs);
  for (Index i = 0; i < count; ++i) {
    found.compare(out[i], reference(length, One(in[i]))[0], poison, {first + i, 0, 0}, [&] {
      const auto right = reference(length, BoundedPack<T>(static_cast<double>(in[i]), 0.0));
      return right.bound + rounding_of<T>(right[0]);
    });
  }
}

/// Compares the whole result with the reference, piece by piece.
template <class T>
Check check_stream(Queue& queue, int length, const View<T>& in, const View<T>& out) {
  queue.wait();
  Memory staging;
  const bool copied = !queue.device().host_accessible();
  const Index chunk = 64 * piece;
  if (copied) {
    staging = Memory(queue.device(), Bytes{2 * chunk * static_cast<Index>(sizeof(T))}, "the check",
                     Memory::Place::staging);
  }
  Deviation found;
  std::mutex guard;
  for (Index begin = 0; begin < in.span(); begin += chunk) {
    const Index count = std::min(chunk, in.span() - begin);
    const T* from = in.data + begin;
    const T* to = out.data + begin;
    if (copied) {
      T* const host = static_cast<T*>(staging.data());
      copy_to_host(queue, host, from, count);
      copy_to_host(queue, host + chunk, to, count);
      queue.wait();
      from = host;
      to = host + chunk;
    }
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(count, thread, threads, piece);
      Deviation here;
      for (Index i = mine.begin; i < mine.end; i += piece)
        compare_items(length, from + i, to + i, begin + i, std::min(piece, mine.end - i), here);
      const std::lock_guard lock(guard);
      found.add(here);
    });
  }
  return judge(found, bounded_unit<T>, [](Index3 at) { return fmt::format("item {}", at.x); });
}

/// A stream's arrays, on a queue of their own.
template <int Length, class T>
struct OwnStream {
  OwnStream(const Device& device, Index items)
      : queue(device), in(device, {items}, "the input of the chain"),
        out(device, {items}, "the output of the chain"), call{{}, {items, 1, 1}, {}} {
    fill_random(queue, in.elements(), 1);
    call.views.set(chain::Slot<0>{}, in.view()).set(chain::Slot<Length>{}, out.view());
  }
  Queue queue;
  Field<T> in, out;
  chain::Request<Stream<Length>, T> call;
};

} // namespace

} // namespace ridge::lab

/// Longer than the general one knows how to check.
template <int Length, class T>
class ridge::Reference<ridge::chain::Request<ridge::lab::Stream<Length>, T>> {
  using Call = chain::Request<lab::Stream<Length>, T>;

public:
  Reference(MeasureOptions options) : options_(std::move(options)) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return {{view(call, Length).data, bytes(call)}};
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    return lab::check_stream(queue, Length, view(call, 0), view(call, Length));
  }
  [[nodiscard]] static Limit limit(Queue& /*queue*/, const Call& call) {
    const Bytes lines{bytes(call).value / 64 * 64};
    return {"copy", "B/s", 2 * static_cast<double>(bytes(call).value), std::nullopt,
            RoofMemory{MemoryRoof::Kind::copy, lines, view(call, Length).data, view(call, 0).data}};
  }
  /// What launches alone take, and for schedules that launch a graph how many times as fast they
  /// are as the same launches one by one.
  void complete(Queue& queue, const Call& call, Record& record, const AskedSchedule& s) const {
    if (!record.timing) return;
    auto schedule = chain::parse_schedule(s.text, queue.device(),
                                          chain::describe<lab::Stream<Length>, T>(), call.extents)
                        .schedule;
    const auto seconds = [&](const Call& of, const chain::Schedule& under) {
      const Program program(queue, of, under);
      return measure(queue, [&] { program.run(); }, options_).median.value;
    };
    record.details.push_back(
        {lab::launch_cost_detail, seconds(first_item(call), of_one_item(schedule, call)), {}});
    auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
    if (gpu == nullptr || gpu->graph == chain::Graph::off) return;
    gpu->graph = chain::Graph::off;
    record.details.push_back(
        {"graph_gain", seconds(call, schedule) / record.timing->median.value, {}});
  }

private:
  [[nodiscard]] static const View<T>& view(const Call& call, std::size_t array) {
    return call.views.all()[array];
  }
  [[nodiscard]] static Bytes bytes(const Call& call) {
    return {call.extents.x * static_cast<Index>(sizeof(T))};
  }
  [[nodiscard]] static Call first_item(const Call& call) {
    Call one{call.chain, {1, 1, 1}, {}};
    one.views.set(chain::Slot<0>{}, View<T>(view(call, 0).data, {1, 1, 1}));
    one.views.set(chain::Slot<Length>{}, View<T>(view(call, Length).data, {1, 1, 1}));
    return one;
  }
  /// On a GPU each launch takes as long, on a cpu the start of its threads, which are as many.
  [[nodiscard]] static chain::Schedule of_one_item(chain::Schedule schedule, const Call& call) {
    const auto of_kind = [&](auto& s) {
      s.tile = {};
      if constexpr (requires { s.threads; }) s.threads = cpu_threads(s, call.extents);
    };
    std::visit(of_kind, schedule);
    return schedule;
  }

  MeasureOptions options_;
};

namespace ridge::lab {

namespace {

/// Calls made(Stream<N>{}, T{}) for what is asked. Throws UsageError for precisions and lengths
/// that there are not.
template <class Made>
auto chosen(const BenchRequest& r, const Made& made) {
  const int operations = r.options.get("operations", 10);
  return in_precision(r.precision, "chain", [&](auto number) {
    decltype(made(Stream<1>{}, number)) found{};
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (void)((I + 1 == operations && (found = made(Stream<I + 1>{}, number), true)) || ...);
    }(std::make_integer_sequence<int, longest_stream>{});
    if (found) return found;
    throw UsageError(
        fmt::format("a chain of {} operations: 1 to {} are possible", operations, longest_stream));
  });
}

} // namespace

void add_chain_kernels(std::vector<BenchKernel>& kernels) {
  BenchKernel kernel{"chain", "chain", "streaming operations, each on the result of the one before",
                     Extents{100000000}, [](const BenchRequest& request, RoofSource&) {
                       return chosen(request, [&]<int N, class T>(Stream<N>, T /*number*/) {
                         const auto own = std::make_shared<OwnStream<N, T>>(request.device,
                                                                            request.size.count());
                         return case_of("chain", own->queue, own->call, {request.measure}, own);
                       });
                     }};
  kernel.make_menu = [](const BenchRequest& r, const Place& place) {
    return chosen(r, [&]<int N, class T>(Stream<N>, T /*number*/) {
      return chain::menu(chain::describe<Stream<N>, T>(), {r.size.count(), 1, 1}, place);
    });
  };
  // Its operations read no neighbours.
  kernel.add_ranks([one = kernel.make_case](const BenchRequest& request, RoofSource& roofs) {
    return share_case("chain", one, request, roofs);
  });
  kernels.push_back(std::move(kernel));
}

} // namespace ridge::lab
