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

/// The fields of a call that lies in a body.
class CallFields {
public:
  CallFields(const void* call, const gpu::BodyFacts& facts) : facts_(facts) {
    for (int i = 0; i <= facts.inputs; ++i)
      fields_.push_back(launch::part_of<AnyView>(call, place_of(i)));
  }
  [[nodiscard]] RowsAt rows() const {
    return rows_at(fields_, facts_.element_bytes, facts_.radius);
  }
  [[nodiscard]] Index3 extents() const { return fields_.back().extents; }
  /// Field `i` from where its rows begin; the output comes behind the inputs.
  [[nodiscard]] AnyView seen(const RowsAt& rows, int i) const {
    const AnyView& field = fields_[static_cast<std::size_t>(i)];
    AnyView from = rows.of(field);
    from.data = field.data - rows.before * facts_.element_bytes;
    return from;
  }
  /// Makes the body see them so.
  void put(BodyBytes& body, const RowsAt& rows) const {
    for (int i = 0; i <= facts_.inputs; ++i)
      body.put(place_of(i), seen(rows, i));
  }

private:
  [[nodiscard]] int place_of(int i) const {
    return i < facts_.inputs ? facts_.in_offset + i * static_cast<int>(sizeof(AnyView))
                             : facts_.out_offset;
  }

  const gpu::BodyFacts& facts_;
  std::vector<AnyView> fields_;
};

ImageLaunch lay_march(Queue& queue, const void* call, const gpu::BodyFacts& facts, BodyBytes body,
                      const GpuSchedule& s, KernelImage& image) {
  const CallFields fields(call, facts);
  const RowsAt rows = fields.rows();
  fields.put(body, rows);
  if (copies_in_bulk(s.stage)) {
    gpu::check_march(queue.device());
    if (facts.maps_offset > 0) gpu::check_tiled_inputs(facts.inputs);
    for (int i = 0; i < facts.inputs; ++i) {
      const AnyView seen = fields.seen(rows, i);
      gpu::check_march_input(seen.data);
      body.put(facts.misfit_offset + i * static_cast<int>(sizeof(unsigned)),
               static_cast<unsigned>(misfit_of(seen.data, facts.element_bytes)));
      if (facts.maps_offset > 0) {
        body.put(facts.maps_offset + i * static_cast<int>(sizeof(TileMap)),
                 gpu::march_tiles(queue.device(), seen, facts.element_bytes, facts.tiles[i]));
      }
    }
  }
  const Index3 extents = fields.extents();
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
    const CallFields fields(call, facts);
    const RowsAt rows = facts.vector > 1 ? fields.rows() : RowsAt{};
    fields.put(body, rows);
    const Index3 n = fields.extents();
    for (const gpu::PointsLaunch& part : gpu::plan_points(
             {rows.before + n.x, n.y, n.z}, s, rows.before + facts.radius.x, facts.vector)) {
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
  if (copies_in_bulk(stage)) gpu::check_march(device);
  constexpr std::array<const char*, 4> bodies{"Points", "March", "WindowMarch", "March"};
  constexpr std::array<const char*, 4> variants{"points", "march", "window", "march"};
  const auto which = static_cast<std::size_t>(stage);
  return launch::ImageDemand{
      fmt::format("ridge/stencil/gpu/{}.hpp", variants[which]),
      fmt::format("ridge::stencil::gpu::{}<{}, {}, ridge::stencil::demanded_{}[0]>", bodies[which],
                  kernel, precision, variants[which]),
      &bind_image, call_bytes};
}

} // namespace ridge::stencil
