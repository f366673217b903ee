// The fifth pattern's own part: its schedules, records, references, and its kernel.
#include "gathers.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/named.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/pattern/call_case.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/pattern/pattern_row.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/pattern/text_menu.hpp>
#include <ridge/record/numbers.hpp>

#include <utility>
#include <vector>

namespace ridge {

namespace gathers {

namespace {

constexpr const char* pattern_name = "gathers";

Schedule schedule_of(const Device& device, int items) {
  if (facts_of(device).takes_gpu_schedules) return ScheduleOf<1>{items};
  return ScheduleOf<0>{items};
}

} // namespace

template <class T>
Subject subject_of(const Call<T>& call, const std::string& name) {
  return {&typeid(Call<T>), name, precision_name<T>(), Extents{call.out.size}};
}

template <class T>
std::unique_ptr<Menu> menu_of(const Call<T>& /*call*/, const Place& place) {
  const Device device = place.device;
  const auto names = [device] {
    return std::vector<text::Named<Schedule>>{{"wide", schedule_of(device, 4)}};
  };
  const auto space = [device] {
    std::vector<Schedule> all;
    for (const auto& s : text::space<ScheduleOf<0>>())
      all.push_back(schedule_of(device, s.items));
    return all;
  };
  const auto parse = [=](const std::string& asked) {
    return text::parse_named(asked, ridge::to_text(device.id()), schedule_of(device, 1), names);
  };
  return std::make_unique<TextMenu<Schedule>>(
      place, TextMenu<Schedule>::Source{parse, names, space, "gathers"});
}

} // namespace gathers

template <class T>
gathers::Schedule Pattern<gathers::Call<T>>::default_schedule(const Device& device,
                                                              const gathers::Call<T>& /*call*/) {
  return gathers::schedule_of(device, 1);
}

template <class T>
Pattern<gathers::Call<T>>::Pattern(Queue& /*queue*/, const gathers::Call<T>& call,
                                   const Schedule& /*schedule*/)
    : call_(call) {
  if (call.places.size != call.out.size)
    throw UsageError("gathers: a place for each number is right");
}

template <class T>
Record Pattern<gathers::Call<T>>::record(const Device& device, const Schedule& schedule,
                                         std::string_view kernel) const {
  Record record;
  record.pattern = gathers::pattern_name;
  record.kernel = kernel;
  record.device = device.id();
  record.device_name = device.facts().name;
  record.precision = precision_name<T>();
  record.size = Extents{call_.out.size};
  record.schedule = to_text(schedule);
  const Index number = sizeof(T);
  record.work = {Bytes{call_.out.size * (number + 4)}, Bytes{call_.out.size * number}, 0,
                 call_.out.size, "numbers and places are read once"};
  return record;
}

template <class T>
launch::Demand Pattern<gathers::Call<T>>::demand(const Device& /*device*/,
                                                 const Schedule& /*schedule*/) const {
  throw UsageError("gathers are compiled ahead");
}

template <class T>
class Reference<gathers::Call<T>> {
  using Call = gathers::Call<T>;

public:
  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return {{call.out.data, Bytes{call.out.size * static_cast<Index>(sizeof(T))}}};
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    const auto on_host = [&queue]<class V>(const Span<V>& there) {
      std::vector<std::remove_const_t<V>> values(static_cast<std::size_t>(there.size));
      copy_to_host(queue, values.data(), const_cast<const V*>(there.data), there.size);
      return values;
    };
    const auto in = on_host(call.in);
    const auto places = on_host(call.places);
    const auto out = on_host(call.out);
    queue.wait();
    Deviation found;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double right = in[static_cast<std::size_t>(places[i])];
      found.compare(out[i], right, poisoned<T>(poison_of_outputs), {static_cast<Index>(i), 0, 0},
                    [] { return 0.0; });
    }
    return judge(found, 0);
  }
  [[nodiscard]] static Limit limit(Queue& /*queue*/, const Call& call) {
    return {"copy", "B/s", static_cast<double>(call.out.size) * (2 * sizeof(T) + 4)};
  }
};

namespace gathers {

namespace {

/// Numbers, and the places of the last to the first.
template <class T>
struct OwnNumbers {
  OwnNumbers(const Device& device, Index n)
      : queue(device), in(device, Extents{n}, "in"), out(device, Extents{n}, "out"),
        places(device, Extents{n}, "places") {
    std::vector<T> numbers;
    std::vector<int> backwards;
    for (Index i = 0; i < n; ++i) {
      numbers.push_back(static_cast<T>(i) / 4);
      backwards.push_back(static_cast<int>(n - 1 - i));
    }
    copy_to_device(queue, in.data(), numbers.data(), n);
    copy_to_device(queue, places.data(), backwards.data(), n);
    queue.wait();
  }
  Queue queue;
  Field<T> in, out;
  Field<int> places;
};

BenchKernel reversal() {
  BenchKernel kernel{
      "reversal", pattern_name, "numbers in the opposite order", Extents{1 << 20}, {}};
  kernel.make_case = [](const BenchRequest& request, RoofSource& /*roof*/) {
    return in_precision(request.precision, "reversal", [&]<class T>(T /*number*/) {
      const auto own = std::make_shared<OwnNumbers<T>>(request.device, request.size.count());
      const Call<T> call{std::as_const(own->in).elements(), std::as_const(own->places).elements(),
                         own->out.elements()};
      return case_of("reversal", own->queue, call, {}, own);
    });
  };
  return kernel;
}

const PatternAnnounced row({pattern_name, 900});
const KernelsAnnounced kernels(900, [] { return std::vector{reversal()}; });

} // namespace

} // namespace gathers

} // namespace ridge
