#include "pairs_bench.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/pairs_bodies.hpp>
#include <ridge/lab/pairs_check.hpp>
#include <ridge/pairs/interactions/biot_savart.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>
#include <ridge/pairs/interactions/gaussian.hpp>
#include <ridge/pairs/interactions/gravity.hpp>
#include <ridge/pairs/interactions/lennard_jones.hpp>
#include <ridge/pairs/launch.hpp>

#include "asked_schedules.hpp"

#include <fmt/format.h>

namespace ridge::lab {

namespace {

using OnRecord = std::function<void(const Record&)>;
using pairs::NamedSchedule;

/// Bodies on the device.
template <class I, class P>
class DeviceBodies {
public:
  DeviceBodies(Queue& queue, const pairs::HostBodies<I::sources>& host) {
    using Stored = typename P::Stored;
    const auto count = static_cast<Index>(host[0].size());
    for (int c = 0; c < I::sources; ++c) {
      sources_.emplace_back(queue.device(), Extents{count}, "bodies");
      const std::vector<Stored> values(host[c].begin(), host[c].end());
      copy_to_device(queue, sources_.back().data(), values.data(), count);
      queue.wait();
    }
    for (int c = 0; c < I::sums; ++c)
      sums_.emplace_back(queue.device(), Extents{count}, "sums");
  }
  [[nodiscard]] pairs::Call<I, P> call(const I& interaction) const {
    std::array<Span<const typename P::Stored>, I::sources> bodies;
    std::array<Span<typename P::Summed>, I::sums> sums;
    for (int c = 0; c < I::sources; ++c)
      bodies[c] = sources_[c].elements();
    for (int c = 0; c < I::sums; ++c)
      sums[c] = sums_[c].elements();
    return pairs::among_themselves<I, P>(interaction, bodies, sums);
  }

private:
  std::vector<Field<typename P::Stored>> sources_;
  std::vector<Field<typename P::Summed>> sums_;
};

/// The ceiling from the device's measured rates; 0 where there is none.
template <class I, class P>
double limit_of(const Device& device, RoofSource& roof) {
  const pairs::Traits traits = pairs::traits_of<I, P>();
  const bool single = traits.computed_bytes == 4;
  const Ceiling* const fma = roof.find(single ? "fma_fp32" : "fma_fp64");
  const Ceiling* const rsqrt = single ? roof.find("rsqrt_fp32") : nullptr;
  return pairs::issue_limit(traits, pairs::rsqrt_steps_on<I, P>(device),
                            fma != nullptr ? fma->value : 0, rsqrt != nullptr ? rsqrt->value : 0);
}

/// Makes so many bodies from a seed.
template <class I>
using MakeBodies = pairs::HostBodies<I::sources> (*)(Index count, std::uint64_t seed);

template <class I, class P>
void bench(const std::string& name, const I& interaction, MakeBodies<I> make,
           const BenchRequest& request, RoofSource& roof, const OnRecord& on_record) {
  const Device& device = request.device;
  const pairs::Traits traits = pairs::traits_of<I, P>();
  const Index count = request.size.count();
  const pairs::Bodies bodies{count, count, true};
  const auto schedules = asked_schedules(
      request.schedule,
      [&](const std::string& text) { return pairs::parse_schedule(text, device, traits, bodies); },
      [&] { return pairs::named_schedules(device, traits, bodies); },
      [&] { return pairs::schedule_space(device, traits, bodies); });
  const double limit = limit_of<I, P>(device, roof);

  Queue queue(device);
  const auto host = make(count, 1);
  pairs::HostBodies<I::targets> targets;
  std::copy_n(host.begin(), I::targets, targets.begin());
  const DeviceBodies<I, P> on_device(queue, host);
  const auto call = on_device.call(interaction);
  for (const NamedSchedule& s : schedules) {
    for (const auto& sum : call.sums)
      fill_bytes(queue, sum.data, 0xff, Bytes{count * static_cast<Index>(sizeof(*sum.data))});
    Record record = pairs::launch(queue, call, s.schedule, name);
    record.schedule_name = s.name;
    record.size = request.size;
    record.check = check_sums(queue, call, targets, host);
    record.timing = measure(
        queue, [&] { (void)pairs::launch(queue, call, s.schedule, name); }, request.measure);
    Achievement reached;
    reached.rate = static_cast<double>(record.work.items) / record.timing->median.value;
    reached.unit = "interactions/s";
    reached.roof_name = "issue";
    reached.roof = limit;
    record.achieved = reached;
    on_record(record);
  }
}

template <class I>
BenchKernel kernel(const std::string& name, const std::string& meaning, const I& interaction,
                   MakeBodies<I> make = &random_bodies<I::sources>) {
  BenchKernel entry{name, "pairs", meaning, Extents{65536}, {}};
  entry.default_precision = "fp32";
  entry.run = [=](const BenchRequest& request, RoofSource& roof, const OnRecord& on_record) {
    if (request.size.rank() != 1) {
      throw UsageError(fmt::format("{} takes a number of bodies, such as 65536, not {}", name,
                                   to_text(request.size)));
    }
    if (request.precision == "fp32") {
      bench<I, pairs::Fp32>(name, interaction, make, request, roof, on_record);
    } else if (request.precision == "fp64") {
      bench<I, pairs::Fp64>(name, interaction, make, request, roof, on_record);
    } else if constexpr (pairs::has_mutual<I>) {
      if (request.precision == "mixed") {
        bench<I, pairs::Mixed>(name, interaction, make, request, roof, on_record);
        return;
      }
      throw UsageError(fmt::format("unknown precision '{}'; {} has fp32, fp64 and mixed",
                                   request.precision, name));
    } else {
      throw UsageError(
          fmt::format("unknown precision '{}'; {} has fp32 and fp64", request.precision, name));
    }
  };
  return entry;
}

} // namespace

void add_pairs_kernels(std::vector<BenchKernel>& kernels) {
  kernels.push_back(kernel("gravity", "accelerations and potentials of bodies, softened",
                           pairs::Gravity<>{1e-4}));
  kernels.push_back(
      kernel("coulomb", "electric fields and potentials of charges", pairs::Coulomb{1e-4}));
  kernels.push_back(kernel("lennard-jones", "forces and energies of atoms with a cutoff",
                           pairs::LennardJones{}, &random_atoms));
  kernels.push_back(
      kernel("gaussian", "weighted sums of Gaussian kernels of points", pairs::Gaussian(0.25)));
  kernels.push_back(
      kernel("biot-savart", "velocities that vortex particles induce", pairs::BiotSavart{1e-4}));
}

} // namespace ridge::lab
