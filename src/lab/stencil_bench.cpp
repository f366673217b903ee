#include "stencil_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/stencil_check.hpp>
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/record/memory_roof.hpp>
#include <ridge/stencil/launch.hpp>

#include "account.hpp"
#include "asked_schedules.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace ridge::lab {

namespace {

using OnRecord = std::function<void(const Record&)>;
using stencil::NamedSchedule;

constexpr unsigned char poison = 0xff;

/// Rounding of a few dozen operations, relative to the largest value of the result.
template <class T>
constexpr double tolerance = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());

template <class K, class T>
void bench(const std::string& name, const K& kernel, const BenchRequest& request, RoofSource& roof,
           const OnRecord& on_record) {
  const Device& device = request.device;
  const stencil::Traits traits = stencil::traits_of<K, T>();
  const Index3 n = request.size.xyz();
  const auto schedules = asked_schedules(
      request.schedule,
      [&](const std::string& text) { return stencil::parse_schedule(text, device, traits, n); },
      [&] { return stencil::named_schedules(device); },
      [&] { return stencil::schedule_space(device, traits); });
  // The ceiling of a GPU, or of data in the cache, is measured once, before the fields take the
  // memory. That of a cpu's memory is measured beside each schedule, on the fields themselves.
  const Index bytes = request.size.count() * static_cast<Index>(sizeof(T));
  const bool beside =
      device.kind() == DeviceKind::cpu && 2 * bytes > device.facts().last_level_cache.value;
  const Ceiling* const copy = beside ? nullptr : roof.find("copy");

  Queue queue(device);
  stencil::Call<K, T> call{kernel, {}, {}};
  std::vector<Field<T>> inputs;
  for (int i = 0; i < traits.inputs(); ++i) {
    inputs.emplace_back(device, request.size, fmt::format("input {} of {}", i, name));
    fill_random(queue, inputs.back().elements(), static_cast<std::uint64_t>(i) + 1);
    call.in[i] = View<const T>(inputs.back().view());
  }
  const Field<T> out(device, request.size, "the output of " + name);
  call.out = out.view();

  std::optional<MemoryRoof> copy_roof;
  for (const NamedSchedule& s : schedules) {
    fill_bytes(queue, out.data(), poison, Bytes{bytes});
    Record record = stencil::launch(queue, call, s.schedule, name);
    record.schedule_name = s.name;
    record.size = request.size;
    record.check = check_stencil(queue, call, poison, tolerance<T>);
    const auto time = [&] {
      return measure(
          queue, [&] { (void)stencil::launch(queue, call, s.schedule, name); }, request.measure);
    };
    if (beside) {
      if (!copy_roof) {
        copy_roof.emplace(queue, MemoryRoof::Kind::copy, Bytes{bytes}, out.data(),
                          inputs[0].data());
      }
      const Beside measured = measure_beside(*copy_roof, time);
      account(record, measured, "copy");
    } else {
      account(record, {time(), copy != nullptr ? copy->value : 0}, "copy");
    }
    on_record(record);
  }
}

template <class K>
void bench_precisions(const std::string& name, const K& kernel, const BenchRequest& request,
                      RoofSource& roof, const OnRecord& on_record) {
  if (request.precision == "fp64") {
    bench<K, double>(name, kernel, request, roof, on_record);
  } else if (request.precision == "fp32") {
    bench<K, float>(name, kernel, request, roof, on_record);
  } else {
    throw UsageError(
        fmt::format("unknown precision '{}'; {} has fp32 and fp64", request.precision, name));
  }
}

/// Different along each axis, so that a swapped axis shows.
constexpr stencil::Spacing bench_spacing{0.5, 0.75, 1.25};

template <int Order>
BenchKernel laplacian(const std::string& name) {
  const auto run = [name](const BenchRequest& request, RoofSource& roof,
                          const OnRecord& on_record) {
    using stencil::Laplacian;
    switch (request.size.rank()) {
    case 1:
      bench_precisions(name, Laplacian<Order, 1>(bench_spacing), request, roof, on_record);
      return;
    case 2:
      bench_precisions(name, Laplacian<Order, 2>(bench_spacing), request, roof, on_record);
      return;
    case 3:
      bench_precisions(name, Laplacian<Order, 3>(bench_spacing), request, roof, on_record);
      return;
    default:
      throw UsageError(
          fmt::format("{} takes one to three dimensions, not {}", name, to_text(request.size)));
    }
  };
  return {name, "stencil",
          fmt::format("finite-difference Laplacian of order {}, 1-D to 3-D", Order),
          Extents{512, 512, 512}, run};
}

template <class K>
BenchKernel three_dimensional(const std::string& name, const std::string& meaning,
                              const K& kernel) {
  const auto run = [name, kernel](const BenchRequest& request, RoofSource& roof,
                                  const OnRecord& on_record) {
    if (request.size.rank() != 3) {
      throw UsageError(fmt::format("{} takes three dimensions, such as 512x512x512, not {}", name,
                                   to_text(request.size)));
    }
    bench_precisions(name, kernel, request, roof, on_record);
  };
  return {name, "stencil", meaning, Extents{512, 512, 512}, run};
}

} // namespace

void add_stencil_kernels(std::vector<BenchKernel>& kernels) {
  kernels.push_back(laplacian<2>("laplacian"));
  kernels.push_back(laplacian<4>("laplacian4"));
  kernels.push_back(laplacian<6>("laplacian6"));
  kernels.push_back(laplacian<8>("laplacian8"));
  kernels.push_back(three_dimensional("box27", "the 27-point Laplacian", stencil::Box27(0.5)));
  kernels.push_back(three_dimensional(
      "diffusion", "div(k grad u) with a variable coefficient: two inputs", Diffusion{}));
}

} // namespace ridge::lab
