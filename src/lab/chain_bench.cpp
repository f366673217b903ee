#include "chain_bench.hpp"

#include <ridge/chain/program.hpp>
#include <ridge/chain/reference.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/chain_kernels.hpp>
#include <ridge/record/memory_roof.hpp>

#include "account.hpp"
#include "asked_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

namespace ridge::lab {

namespace {

using OnRecord = std::function<void(const Record&)>;
using chain::NamedSchedule;

/// Rounding of ten operations on values of size 1.
template <class T>
constexpr double tolerance = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());

constexpr unsigned char poison = 0xff;
constexpr Index piece = Index{1} << 16; ///< items checked at a time

/// The largest error of items [begin, end), which `in` and `out` hold, relative to values of size
/// 1; NaN for what was not written.
template <class C, class T>
double error_of(const T* in, const T* out, Index count) {
  std::array<std::vector<double>, chain::arrays_of<C>> arrays;
  arrays[0].assign(in, in + count);
  chain::apply_reference(C{}, {count, 1, 1}, arrays);
  double worst = 0;
  for (Index i = 0; i < count; ++i) {
    const double error =
        std::abs(static_cast<double>(out[i]) - arrays.back()[static_cast<std::size_t>(i)]);
    if (!(error <= worst)) worst = error;
    if (std::isnan(error)) return error;
  }
  return worst;
}

/// Compares the whole result with the reference, piece by piece.
template <class C, class T>
Check check_stream(Queue& queue, const Field<T>& in, const Field<T>& out) {
  queue.wait();
  Memory staging;
  const bool copied = !queue.device().host_accessible();
  const Index chunk = 64 * piece;
  if (copied) {
    staging = Memory(queue.device(), Bytes{2 * chunk * static_cast<Index>(sizeof(T))}, "the check",
                     Memory::Place::staging);
  }
  Check check;
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
      for (Index i = mine.begin; i < mine.end; i += piece) {
        const double error = error_of<C>(from + i, to + i, std::min(piece, mine.end - i));
        const std::lock_guard lock(guard);
        if (!(error <= check.max_error)) check.max_error = error;
      }
    });
    if (std::isnan(check.max_error)) break;
  }
  check.ok = check.max_error <= tolerance<T>;
  if (!check.ok) {
    check.message = std::isnan(check.max_error)
                        ? "items were not written or are NaN"
                        : fmt::format("error {:.2g} exceeds {:.2g}", check.max_error, tolerance<T>);
  }
  return check;
}

/// For schedules that launch a graph: how many times as fast they are as the same launches one by
/// one, which `time` measures.
void add_graph_gain(Record& record, const chain::Schedule& schedule,
                    const std::function<double(const chain::Schedule&)>& time) {
  const auto* const gpu = std::get_if<chain::GpuSchedule>(&schedule);
  if (gpu == nullptr || gpu->graph == chain::Graph::off || !record.timing) return;
  chain::GpuSchedule plain = *gpu;
  plain.graph = chain::Graph::off;
  record.details.push_back({"graph_gain", time(plain) / record.timing->median.value, {}});
}

template <class C, class T>
void bench(const BenchRequest& request, RoofSource& roof, const OnRecord& on_record) {
  const Device& device = request.device;
  const chain::Description d = chain::describe<C, T>();
  const Index3 n{request.size.count(), 1, 1};
  const auto schedules = asked_schedules(
      request.schedule,
      [&](const std::string& text) { return chain::parse_schedule(text, device, d, n); },
      [&] {
        auto named = chain::named_schedules(device, d, n);
        if (device.is_gpu()) {
          named.push_back(chain::parse_schedule("fission graph=on", device, d, n));
          named.back().name = "fission-graph";
        }
        return named;
      },
      [&] { return chain::schedule_space(device, d, n); });
  const Index bytes = n.x * static_cast<Index>(sizeof(T));
  const bool beside =
      device.kind() == DeviceKind::cpu && 2 * bytes > device.facts().last_level_cache.value;
  const Ceiling* const copy = beside ? nullptr : roof.find("copy");

  Queue queue(device);
  const Field<T> in(device, {n.x}, "the input of the chain");
  const Field<T> out(device, {n.x}, "the output of the chain");
  fill_random(queue, in.elements(), 1);
  chain::Views<C, T> views;
  views.set(chain::Slot<0>{}, in.view());
  views.set(chain::Slot<chain::arrays_of<C> - 1>{}, out.view());

  std::optional<MemoryRoof> copy_roof;
  for (const NamedSchedule& s : schedules) {
    fill_bytes(queue, out.data(), poison, Bytes{bytes});
    chain::Program<C, T> program(queue, C{}, n, views, s.schedule);
    program.run();
    Record record = program.record();
    record.schedule_name = s.name;
    record.size = request.size;
    record.check = check_stream<C>(queue, in, out);
    const auto time = [&] {
      return measure(
          queue, [&] { program.run(); }, request.measure);
    };
    if (beside) {
      if (!copy_roof) {
        copy_roof.emplace(queue, MemoryRoof::Kind::copy, Bytes{bytes / 64 * 64}, out.data(),
                          in.data());
      }
      const Beside measured = measure_beside(*copy_roof, time);
      account(record, measured, "copy");
    } else {
      account(record, {time(), copy != nullptr ? copy->value : 0}, "copy");
    }
    add_graph_gain(record, s.schedule, [&](const chain::Schedule& plain) {
      chain::Program<C, T> other(queue, C{}, n, views, plain);
      return measure(
                 queue, [&] { other.run(); }, request.measure)
          .median.value;
    });
    on_record(record);
  }
}

template <int... Lengths>
std::string list(Choices<Lengths...>) {
  std::string all;
  ((all += (all.empty() ? "" : ", ") + std::to_string(Lengths)), ...);
  return all;
}

/// The items of any extents, one behind the other.
void bench_stream(const BenchRequest& request, RoofSource& roof, const OnRecord& on_record) {
  const bool known = choose(request.operations, StreamLengths{}, [&](auto length) {
    using C = Stream<length>;
    if (request.precision == "fp64") {
      bench<C, double>(request, roof, on_record);
    } else if (request.precision == "fp32") {
      bench<C, float>(request, roof, on_record);
    } else {
      throw UsageError(
          fmt::format("unknown precision '{}'; chain has fp32 and fp64", request.precision));
    }
  });
  if (!known) {
    throw UsageError(fmt::format("a chain of {} operations is not compiled in; {} are",
                                 request.operations, list(StreamLengths{})));
  }
}

} // namespace

void add_chain_kernels(std::vector<BenchKernel>& kernels) {
  kernels.push_back({"chain", "chain", "streaming operations, each on the result of the one before",
                     Extents{100000000}, bench_stream});
}

} // namespace ridge::lab
