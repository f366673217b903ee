// Laying calls over a GPU whose kernel was compiled alone: what the templates of
// stencil/gpu/executor.hpp do with types, done with the facts that the kernel's image holds.
#include <ridge/launch/body.hpp>
#include <ridge/stencil/gpu/planning.hpp>
#include <ridge/stencil/launch.hpp>

#include <fmt/format.h>

#include <array>

namespace ridge::stencil {

namespace {

using Image = std::shared_ptr<KernelImage>;
using launch::BodyBytes;
using launch::ImageLaunch;
using AnyView = View<const char>;

ImageLaunch lay_march(Queue& queue, const void* call, const gpu::BodyFacts& facts, BodyBytes body,
                      const GpuSchedule& s, KernelImage& image) {
  // The inputs, and the output behind them.
  const auto place_of = [&](int i) {
    return i < facts.inputs ? facts.in_offset + i * static_cast<int>(sizeof(AnyView))
                            : facts.out_offset;
  };
  std::vector<AnyView> fields;
  for (int i = 0; i <= facts.inputs; ++i)
    fields.push_back(launch::part_of<AnyView>(call, place_of(i)));
  const RowsAt rows = rows_at(fields, facts.element_bytes, facts.radius);
  if (s.stage == Stage::bulk) gpu::check_march(queue.device());
  for (int i = 0; i <= facts.inputs; ++i) {
    AnyView seen = rows.of(fields[static_cast<std::size_t>(i)]);
    seen.data = fields[static_cast<std::size_t>(i)].data - rows.before * facts.element_bytes;
    body.put(place_of(i), seen);
    if (s.stage != Stage::bulk || i == facts.inputs) continue;
    gpu::check_march_input(seen.data);
    body.put(facts.misfit_offset + i * static_cast<int>(sizeof(unsigned)),
             static_cast<unsigned>(misfit_of(seen.data, facts.element_bytes)));
  }
  const Index3 extents = fields.back().extents;
  const gpu::MarchLaunch march =
      gpu::plan_march(queue, facts.march, facts.radius, extents, rows, s,
                      [&](const LaunchShape& shape) { return image.resident_blocks(shape); });
  body.put(facts.plan_offset, march.plan);
  return {march.shape, std::move(body)};
}

Bound bind_image(Queue& queue, const void* call, std::size_t call_bytes, const void* schedule,
                 const Image& image) {
  const auto& s = *static_cast<const GpuSchedule*>(schedule);
  gpu::BodyFacts facts;
  image->read_facts(&facts, sizeof facts);
  BodyBytes body(facts.bytes, facts.call_bytes, call, call_bytes);
  std::vector<ImageLaunch> launches;
  if (s.stage != Stage::none) {
    launches.push_back(lay_march(queue, call, facts, std::move(body), s, *image));
  } else {
    const Index3 extents = launch::part_of<AnyView>(call, facts.out_offset).extents;
    for (const gpu::PointsLaunch& part : gpu::plan_points(extents, s)) {
      body.put(facts.plan_offset, part.plan);
      launches.push_back({part.shape, body});
    }
  }
  return launch::bind_launches(queue, image, std::move(launches), false);
}

} // namespace

std::optional<launch::ImageDemand>
detail::image_demand(const Device& device, const Schedule& schedule, const std::string& kernel,
                     const std::string& precision, std::size_t call_bytes) {
  if (!device.is_gpu()) return {};
  const Stage stage = std::get<GpuSchedule>(schedule).stage;
  if (stage == Stage::bulk) gpu::check_march(device);
  constexpr std::array<const char*, 3> bodies{"Points", "March", "WindowMarch"};
  constexpr std::array<const char*, 3> variants{"points", "march", "window"};
  const auto which = static_cast<std::size_t>(stage);
  return launch::ImageDemand{
      fmt::format("ridge/stencil/gpu/{}.hpp", variants[which]),
      fmt::format("ridge::stencil::gpu::{}<{}, {}, ridge::stencil::demanded_{}[0]>", bodies[which],
                  kernel, precision, variants[which]),
      &bind_image, call_bytes};
}

} // namespace ridge::stencil
