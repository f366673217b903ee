// The menu of a lattice launch: its schedules, and the facts of a launch under each.
#include <ridge/core/error.hpp>
#include <ridge/lattice/menu.hpp>
#include <ridge/lattice/record.hpp>
#include <ridge/model/layout.hpp>
#include <ridge/pattern/menu_of.hpp>

#include <algorithm>

namespace ridge::lattice {

namespace {

using model::Facts;

/// Registers of a thread beside the accesses that it has under way.
constexpr int registers_around = 24;

class LatticeMenu final : public MenuOf<Schedule> {
public:
  LatticeMenu(const Aspects& aspects, const ridge::Place& place)
      : MenuOf(place), use_(aspects.use), shape_(aspects.shape), geometry_(aspects.geometry),
        standard_(aspects.standard ? *aspects.standard
                                   : default_schedule(place.device, use_.task, shape_, geometry_)) {
  }

private:
  [[nodiscard]] Named read(const std::string& asked) const override {
    return text::parse_named(asked, ridge::to_text(place().device.id()), standard_,
                             [&] { return named_schedules(place().device, use_.task, geometry_); });
  }
  /// Names are of widths that expressions are not compiled for ahead.
  [[nodiscard]] std::vector<Named> known() const override {
    if (use_.task.kind == Task::expression && !place().described) return {};
    return named_schedules(place().device, use_.task, geometry_);
  }
  [[nodiscard]] std::vector<Schedule> all() const override {
    return schedule_space(place().device, use_.task, geometry_);
  }
  [[nodiscard]] bool is_possible(const Schedule& schedule) const override {
    const auto space = all();
    return std::find(space.begin(), space.end(), schedule) != space.end();
  }

  [[nodiscard]] Facts facts_under(const Schedule& schedule) const override {
    if (use_.read + use_.written == 0)
      throw UsageError("the model does not know what this launch reads");
    Facts f = begin(work_of(geometry_, shape_, use_.read, use_.written, use_.flops));
    f.element_bytes = shape_.real_bytes;
    f.asked = f.least_read + f.least_written;
    if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
      if (cpu->store == Store::plain && !f.in_cache) f.partial = f.least_written;
      model::lay_threads(f, geometry_.groups, cpu->threads,
                         geometry_.groups * geometry_.nsimd * shape_.components * shape_.parts());
    } else {
      add_gpu(f, std::get<GpuSchedule>(schedule));
    }
    return f;
  }

  void add_gpu(Facts& f, const GpuSchedule& s) const {
    const bool staged = use_.task.reduces() && s.reduce == Passes::staged;
    const bool expression = use_.task.kind == Task::expression;
    const bool serial = s.components == Components::serial && !expression;
    const Index threads = Index{s.groups} * geometry_.nsimd;
    const Index items = serial ? 1 : s.items;
    const int site_registers = (expression ? use_.held
                                : serial   ? shape_.components
                                           : 0) *
                               shape_.number_bytes() / 4;
    const bool once = use_.task.reduces() && s.reduce == Passes::once;
    const Index words = geometry_.sites() * shape_.site_bytes() / 16;
    const Index blocks =
        once ? ceil_div(words, threads * items) : ceil_div(geometry_.groups, s.groups);
    model::lay_blocks(
        f,
        {static_cast<double>(blocks), static_cast<int>(threads),
         registers_around + (expression ? site_registers : static_cast<int>(items) * 4), s.bounds});
    // Serial components are read real by real, those of expressions without waiting in between,
    // others by 16 bytes.
    f.thread_bytes = serial       ? shape_.real_bytes
                     : expression ? static_cast<double>(use_.held * shape_.number_bytes())
                                  : static_cast<double>(items * 16);
    if (serial) f.site_registers = site_registers;
    if (once) {
      f.launches = blocks > easily_finished ? 3 : 2;
    } else if (use_.task.reduces() &&
               !staged) { // as many blocks as there is room for walk the field
      const double most = s.spread > 0 ? f.device.units * s.spread : f.resident;
      f.blocks = std::min(f.blocks, most);
      f.resident = std::min(f.resident, most);
      f.launches = s.finish == Finish::second ? 2 : 1;
    }
    if (staged) add_stages(f);
    // Neighbouring lanes read the numbers of a group, which follow each other.
    const double run =
        serial || expression ? geometry_.nsimd * shape_.number_bytes() : threads * 16.0;
    f.sector_bytes = std::max(1.0, f.device.sector_bytes / run);
  }

  /// Of a tensor's sum, bundles of components are copied and each copy is reduced; of a number,
  /// one for each site.
  void add_stages(Facts& f) const {
    const double sites = static_cast<double>(geometry_.sites());
    const double copied =
        use_.task.kind == Task::reduce_tensor ? sites * shape_.site_bytes() : sites * 8;
    f.staged = f.in_cache ? 0 : 2 * copied;
    f.asked += 2 * copied;
    constexpr int bundle = 12; // components, of the guide's example
    const int bundles =
        use_.task.kind == Task::reduce_tensor ? (shape_.components + bundle - 1) / bundle : 1;
    f.launches = 3.0 * bundles;
    f.dispatched = f.blocks * bundles;
  }

  FieldUse use_;
  SiteShape shape_;
  Geometry geometry_;
  Schedule standard_;
};

} // namespace

std::unique_ptr<Menu> menu(const Aspects& aspects, const ridge::Place& place) {
  return std::make_unique<LatticeMenu>(aspects, place);
}

Subject subject(const std::type_info& call, std::string kernel, const Aspects& aspects) {
  Index extents[max_rank];
  for (int d = 0; d < aspects.geometry.rank; ++d)
    extents[d] = aspects.geometry.extent(d);
  std::string site = site_name(aspects.shape, aspects.geometry);
  if (aspects.use.task.slices) site += ", slices";
  if (aspects.use.task.reproducible) site += ", reproducible";
  if (aspects.subset != Subset::all) site += ", half the sites";
  return {&call, std::move(kernel), aspects.shape.real_bytes == 4 ? "fp32" : "fp64",
          Extents(extents, aspects.geometry.rank), std::move(site)};
}

} // namespace ridge::lattice
