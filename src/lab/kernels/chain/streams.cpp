#include <ridge/chain/executor.hpp>
#include <ridge/chain/menu.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/pack_bounded.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/kernels/chain_streams.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/rank_shares.hpp>

#include "../../../core/refuse.hpp"
#include "lab/benches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <variant>

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

/// The functions that depend on a stream's length beside its precision. The rest is compiled once
/// for all lengths.
template <class T>
struct StreamOf {
  Program (*bind)(Queue& queue, const View<T>& in, const View<T>& out,
                  const chain::Schedule& schedule, std::string_view kernel);
  chain::Description (*describe)();
  const std::type_info* call;
};

template <int Length, class T>
Program bind_stream(Queue& queue, const View<T>& in, const View<T>& out,
                    const chain::Schedule& schedule, std::string_view kernel) {
  chain::Request<Stream<Length>, T> request{{}, {out.extents.x, 1, 1}, {}};
  request.views.set(chain::Slot<0>{}, in).set(chain::Slot<Length>{}, out);
  return {queue, request, schedule, kernel};
}

/// Throws UsageError for lengths that there are not.
template <class T>
const StreamOf<T>& stream_of(int length) {
  static constexpr auto all = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array{StreamOf<T>{bind_stream<I + 1, T>, chain::describe<Stream<I + 1>, T>,
                                  &typeid(chain::Call<Stream<I + 1>, T>)}...};
  }
  (std::make_integer_sequence<int, longest_stream>{});
  refuse_if(length < 1 || length > longest_stream, "a chain of {} operations: 1 to {} are possible",
            length, longest_stream);
  return all[static_cast<std::size_t>(length - 1)];
}

/// A stream with its arrays, on a queue of their own.
template <class T>
class StreamCase final : public Case {
public:
  StreamCase(const BenchRequest& request, int length)
      : of_(stream_of<T>(length)), length_(length), options_(request.measure),
        queue_(request.device),
        in_(request.device, {request.size.count()}, "the input of the chain"),
        out_(request.device, {request.size.count()}, "the output of the chain") {
    fill_random(queue_, in_.elements(), 1);
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    return {of_.call, name, precision_name<T>(), {in_.extents().count(), 1, 1}};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return chain::menu(of_.describe(), range(), place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return of_.bind(queue_, in_.view(), out_.view(), held<chain::Schedule>(s), name);
  }
  void poison() override { fill_bytes(queue_, out_.data(), poison_of_outputs, bytes()); }
  [[nodiscard]] Check check() override {
    return check_stream(queue_, length_, in_.view(), out_.view());
  }
  [[nodiscard]] Limit limit() const override {
    const Bytes lines{bytes().value / 64 * 64};
    return {"copy", "B/s", 2 * static_cast<double>(bytes().value), std::nullopt,
            RoofMemory{MemoryRoof::Kind::copy, lines, out_.view().data, in_.view().data}};
  }
  /// What launches alone take, and for schedules that launch a graph how many times as fast they
  /// are as the same launches one by one.
  void complete(Record& record, const AskedSchedule& s) override {
    if (!record.timing) return;
    auto schedule =
        chain::parse_schedule(s.text, queue_.device(), of_.describe(), range()).schedule;
    const View<T> in = in_.view(), out = out_.view();
    record.details.push_back(
        {launch_cost_detail,
         seconds(View<T>(in.data, {1, 1, 1}), View<T>(out.data, {1, 1, 1}), of_one_item(schedule)),
         {}});
    auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
    if (gpu == nullptr || gpu->graph == chain::Graph::off) return;
    gpu->graph = chain::Graph::off;
    record.details.push_back(
        {"graph_gain", seconds(in, out, schedule) / record.timing->median.value, {}});
  }

private:
  static constexpr const char* name = "chain";
  [[nodiscard]] chain::Range range() const { return {in_.extents().count(), 1, 1}; }
  [[nodiscard]] Bytes bytes() const { return {range().x * static_cast<Index>(sizeof(T))}; }
  [[nodiscard]] double seconds(const View<T>& in, const View<T>& out, const chain::Schedule& s) {
    const Program program = of_.bind(queue_, in, out, s, name);
    return measure(
               queue_, [&] { program.run(); }, options_)
        .median.value;
  }
  /// On a GPU each launch takes as long, on a cpu the start of its threads, which are as many.
  [[nodiscard]] chain::Schedule of_one_item(chain::Schedule schedule) const {
    const auto of_kind = [&](auto& s) {
      s.tile = {};
      if constexpr (requires { s.threads; }) s.threads = cpu_threads(s, range());
    };
    std::visit(of_kind, schedule);
    return schedule;
  }

  const StreamOf<T>& of_;
  int length_;
  MeasureOptions options_;
  Queue queue_;
  Field<T> in_, out_;
};

int operations_of(const BenchRequest& request) {
  return request.options.get("operations", 10);
}

} // namespace

void add_chain_kernels(std::vector<BenchKernel>& kernels) {
  BenchKernel kernel{"chain", "chain", "streaming operations, each on the result of the one before",
                     Extents{100000000}, [](const BenchRequest& request, RoofSource&) {
                       return in_precision(request.precision, "chain",
                                           [&]<class T>(T /*number*/) -> std::unique_ptr<Case> {
                                             return std::make_unique<StreamCase<T>>(
                                                 request, operations_of(request));
                                           });
                     }};
  kernel.make_menu = [](const BenchRequest& r, const Place& place) {
    return in_precision(r.precision, "chain", [&]<class T>(T /*number*/) {
      return chain::menu(stream_of<T>(operations_of(r)).describe(), {r.size.count(), 1, 1}, place);
    });
  };
  // Its operations read no neighbours.
  kernel.add_ranks([one = kernel.make_case](const BenchRequest& request, RoofSource& roofs) {
    return share_case("chain", one, request, roofs);
  });
  kernels.push_back(std::move(kernel));
}

} // namespace ridge::lab
