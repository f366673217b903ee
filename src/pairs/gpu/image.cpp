// Laying calls over a GPU whose kernel was compiled alone: what the templates of
// pairs/gpu/executor.hpp do with types, done with the facts that the kernel's image holds.
#include <ridge/launch/body.hpp>
#include <ridge/pairs/gpu/planning.hpp>
#include <ridge/pairs/launch.hpp>

#include <fmt/format.h>

namespace ridge::pairs {

namespace {

using AnySpan = Span<char>;

Bound bind_image(Queue& queue, const void* call, std::size_t call_bytes, const void* schedule,
                 const std::shared_ptr<KernelImage>& image) {
  gpu::BodyFacts facts;
  image->read_facts(&facts, sizeof facts);
  launch::BodyBytes body(facts.bytes, facts.call_bytes, call, call_bytes);
  const Index targets = launch::part_of<AnySpan>(call, facts.targets_offset).size;
  const Index sources = launch::part_of<AnySpan>(call, facts.sources_offset).size;
  const gpu::DirectLaunch direct = gpu::plan_direct(queue, facts.direct, targets, sources,
                                                    *static_cast<const GpuSchedule*>(schedule));
  body.put(facts.plan_offset, direct.plan);
  body.put(facts.partial_offset,
           AnySpan{direct.partial.data, direct.partial.size / facts.direct.summed_bytes});
  std::vector<launch::ImageLaunch> launches;
  launches.push_back({direct.shape, std::move(body)});
  return launch::bind_launches(queue, image, std::move(launches), true);
}

} // namespace

std::optional<launch::ImageDemand>
detail::image_demand(const Device& device, const Schedule& schedule, const std::string& interaction,
                     const std::string& precision, std::size_t call_bytes) {
  // The symmetric form takes two kernels.
  if (!device.is_gpu() || std::get<GpuSchedule>(schedule).form != Form::direct) return {};
  return launch::ImageDemand{"ridge/pairs/gpu/direct.hpp",
                             fmt::format("ridge::pairs::gpu::Direct<{}, {}, "
                                         "ridge::pairs::demanded_direct[0]>",
                                         interaction, precision),
                             &bind_image, call_bytes};
}

} // namespace ridge::pairs
