#include "chain_case.hpp"

#include <ridge/chain/executor.hpp>
#include <ridge/chain/launch.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/chain_kernel.hpp>
#include <ridge/lab/chain_kernels.hpp>
#include <ridge/lab/chain_on_views.hpp>
#include <ridge/lab/deviation.hpp>
#include <ridge/lab/rank_shares.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace ridge::lab {

void require_chain(const std::string& name, int dimensions, const Extents& size,
                   const std::string& precision) {
  if (precision != "fp64" && precision != "fp32") {
    throw UsageError(fmt::format("unknown precision '{}'; {} has fp32 and fp64", precision, name));
  }
  if (size.rank() <= dimensions) return;
  throw UsageError(fmt::format("{} has {} dimension{}, and --size {} has {}", name, dimensions,
                               dimensions == 1 ? "" : "s", to_text(size), size.rank()));
}

namespace {

constexpr unsigned char poison_byte = 0xff;
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
  const T poison = poisoned<T>(poison_byte);
  for (Index i = 0; i < count; ++i) {
    found.compare(out[i], reference(length, One(in[i]))[0], poison, {first + i, 0, 0}, [&] {
      const auto right = reference(length, BoundedPack<T>(static_cast<double>(in[i]), 0.0));
      return right.bound + rounding_of<T>(right[0]);
    });
  }
}

/// Compares the whole result with the reference, piece by piece.
template <class T>
Check check_stream(Queue& queue, int length, const Field<T>& in, const Field<T>& out) {
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
  for (Index begin = 0; begin < in.count(); begin += chunk) {
    const Index count = std::min(chunk, in.count() - begin);
    const T* from = in.data() + begin;
    const T* to = out.data() + begin;
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

/// All of a case that does not depend on the chain's type.
template <class T>
class StreamCase : public Case {
public:
  StreamCase(const BenchRequest& request, chain::Description description)
      : description_(std::move(description)), options_(request.measure),
        queue_(request.device), extents_{request.size.count(), 1, 1},
        in_(request.device, {extents_.x}, "the input of the chain"),
        out_(request.device, {extents_.x}, "the output of the chain") {
    fill_random(queue_, in_.elements(), 1);
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return chain::menu(description_, extents_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return bind(held<chain::Schedule>(s), extents_.x);
  }
  void poison() override { fill_bytes(queue_, out_.data(), poison_byte, bytes()); }
  [[nodiscard]] Check check() override {
    return check_stream(queue_, description_.last() + 1, in_, out_);
  }
  [[nodiscard]] Limit limit() const override {
    const Bytes lines{bytes().value / 64 * 64};
    return {"copy", "B/s", 2 * static_cast<double>(bytes().value), std::nullopt,
            RoofMemory{MemoryRoof::Kind::copy, lines, out_.data(), in_.data()}};
  }
  /// For schedules that launch a graph: how many times as fast they are as the same launches one by
  /// one.
  void complete(Record& record, const AskedSchedule& s) override {
    auto schedule = held<chain::Schedule>(s);
    if (record.timing) add_launch_cost(record, schedule);
    auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
    if (gpu == nullptr || gpu->graph == chain::Graph::off || !record.timing) return;
    gpu->graph = chain::Graph::off;
    const Program plain = bind(schedule, extents_.x);
    const Timing timing = measure(
        queue_, [&] { plain.run(); }, options_);
    record.details.push_back({"graph_gain", timing.median.value / record.timing->median.value, {}});
  }

protected:
  [[nodiscard]] virtual Program bind(const chain::Schedule& schedule, Index items) = 0;
  [[nodiscard]] Index3 extents() const { return extents_; }

  template <class C>
  [[nodiscard]] Program bind(const C& chain, const chain::Schedule& schedule, Index items) {
    chain::Request<C, T> request{chain, {items, 1, 1}, {}};
    const auto first = [&](const Field<T>& field) { return View<T>(field.data(), {items, 1, 1}); };
    request.views.set(chain::Slot<0>{}, first(in_));
    request.views.set(chain::Slot<chain::arrays_of<C> - 1>{}, first(out_));
    return Program(queue_, request, schedule);
  }

private:
  /// What the launches alone take: on a GPU each, on a cpu the start of its threads. Those of the
  /// same schedule, of one item.
  template <class S>
  void add_launch_cost(Record& record, S schedule) {
    const auto of_one_item = [&](auto& of_kind) {
      of_kind.tile = {};
      if constexpr (requires { of_kind.threads; }) of_kind.threads = cpu_threads(of_kind, extents_);
    };
    std::visit(of_one_item, schedule);
    const Program empty = bind(schedule, 1);
    const Timing timing = measure(
        queue_, [&] { empty.run(); }, options_);
    record.details.push_back({launch_cost_detail, timing.median.value, {}});
  }

  [[nodiscard]] Bytes bytes() const { return {extents_.x * static_cast<Index>(sizeof(T))}; }

  chain::Description description_;
  MeasureOptions options_;
  Queue queue_;
  Index3 extents_;
  Field<T> in_, out_;
};

template <class C, class T>
class StreamOf final : public StreamCase<T> {
public:
  explicit StreamOf(const BenchRequest& request)
      : StreamCase<T>(request, chain::describe<C, T>()) {}

private:
  [[nodiscard]] Subject subject() const override {
    return subject_of(chain::Request<C, T>{C{}, this->extents(), {}}, "chain");
  }
  [[nodiscard]] Program bind(const chain::Schedule& schedule, Index items) override {
    return StreamCase<T>::bind(C{}, schedule, items);
  }
};

using Make = std::unique_ptr<Case> (*)(const BenchRequest&);
template <class T, int... I>
constexpr std::array<Make, sizeof...(I)> makers(std::integer_sequence<int, I...>) {
  return {[](const BenchRequest& request) -> std::unique_ptr<Case> {
    return std::make_unique<StreamOf<Stream<I + 1>, T>>(request);
  }...};
}

using DescribeChain = chain::Description (*)();
template <class T, int... I>
constexpr std::array<DescribeChain, sizeof...(I)> describers(std::integer_sequence<int, I...>) {
  return {&chain::describe<Stream<I + 1>, T>...};
}

constexpr std::make_integer_sequence<int, longest_stream> lengths{};

/// What `of_double` or `of_float` has for this length. Throws UsageError for precisions and lengths
/// that there are not.
template <class F>
F chosen(const std::string& precision, int operations,
         const std::array<F, longest_stream>& of_double,
         const std::array<F, longest_stream>& of_float) {
  if (precision != "fp64" && precision != "fp32") {
    throw UsageError(fmt::format("unknown precision '{}'; chain has fp32 and fp64", precision));
  }
  if (operations < 1 || operations > longest_stream) {
    throw UsageError(
        fmt::format("a chain of {} operations: 1 to {} are possible", operations, longest_stream));
  }
  return (precision == "fp64" ? of_double : of_float)[static_cast<std::size_t>(operations - 1)];
}

} // namespace

std::unique_ptr<Case> stream_case(const BenchRequest& request) {
  static constexpr auto of_double = makers<double>(lengths);
  static constexpr auto of_float = makers<float>(lengths);
  return chosen(request.precision, request.operations, of_double, of_float)(request);
}

void add_chain_kernels(std::vector<BenchKernel>& kernels) {
  BenchKernel kernel{"chain", "chain", "streaming operations, each on the result of the one before",
                     Extents{100000000},
                     [](const BenchRequest& request, RoofSource&) { return stream_case(request); }};
  kernel.make_menu = [](const BenchRequest& r, const Place& place) {
    static constexpr auto of_double = describers<double>(lengths);
    static constexpr auto of_float = describers<float>(lengths);
    return chain::menu(chosen(r.precision, r.operations, of_double, of_float)(),
                       {r.size.count(), 1, 1}, place);
  };
  // Its operations read no neighbours.
  kernel.add_ranks([one = kernel.make_case](const BenchRequest& request, RoofSource& roofs) {
    return share_case("chain", one, request, roofs);
  });
  kernels.push_back(std::move(kernel));
}

} // namespace ridge::lab
