// Many sweeps of a stencil over time.
#include <ridge/lab/evolution.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include "handles.hpp"
#include "naming.hpp"

#include <fmt/format.h>

namespace ridge::c {

namespace {

/// Of the default step: what is left to the largest stable one.
constexpr double part_of_stable = 0.9;

std::optional<double> number_of(const KernelObject& kernel, const char* name) {
  for (const lab::Setting& s : kernel.settings)
    if (s.member == name) return s.value;
  return std::nullopt;
}

lab::Evolution evolution_of(const KernelObject& k, const lab::Array& like) {
  if (!k.source.empty()) {
    const lab::UserKernel found = lab::load_user_kernel(k.source, k.settings, lab::Use::evolution);
    if (!found.evolution)
      throw UsageError(fmt::format("{} does not evolve; a stencil is right", k.kernel.name));
    return found.evolution(like.element_bytes, std::nullopt);
  }
  if (k.kernel.pattern != "sweeps") { // says which do
    static_cast<void>(lab::find_evolving_kernel(k.kernel.name));
  }
  const lab::EvolutionRequest request{k.kernel.name, like.rank, like.element_bytes, k.spacing,
                                      number_of(k, "value").value_or(1)};
  const double stable = lab::stable_step(request);
  return lab::make_evolution(request, number_of(k, "dt").value_or(part_of_stable * stable));
}

/// Throws UsageError for arrays that sweeps do not take.
void check_arrays(const std::string& name, const lab::Evolution& evolution,
                  const std::vector<lab::Array>& arrays) {
  const auto right = static_cast<std::size_t>(evolution.traits.inputs());
  if (arrays.size() != right)
    throw UsageError(fmt::format("{} takes {} arrays, not {}", name, right, arrays.size()));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    names.push_back(fmt::format("fields[{}]", i));
    const lab::Array& a = arrays[i];
    if (a.element_bytes != arrays[0].element_bytes) {
      throw UsageError(fmt::format("{}: {} and {} are of different precisions; all must be of one",
                                   name, names[0], names[i]));
    }
    Index packed = 1;
    for (int d = 0; d < a.rank; ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (a.strides[at] != packed && a.extents[at] > 1)
        throw UsageError(
            fmt::format("{}: {} has gaps between its rows; sweeps take none", name, names[i]));
      packed *= a.extents[at];
    }
  }
  lab::check_shapes(name, names, arrays, 3, true, lab::ShapeOrder::x_first);
  lab::check_memory(name, names, arrays, {0, static_cast<std::size_t>(evolution.levels)}, false);
}

void make(SweepsObject& made, const KernelObject& k, const char* boundary, const char* schedule) {
  std::vector<lab::Array> arrays;
  std::vector<const void*> data;
  for (const auto& field : made.fields) {
    arrays.push_back(field->array);
    data.push_back(field->array.data);
  }
  if (arrays.empty()) throw UsageError("count=0; a field for each input is right");
  const lab::Evolution evolution = evolution_of(k, arrays.front());
  check_arrays(k.kernel.name, evolution, arrays);
  made.levels = evolution.levels;
  stencil::Boundaries around;
  if (boundary != nullptr && boundary[0] != '\0') around = stencil::parse_boundaries(boundary);
  around.spacing = k.spacing;
  const std::string asked = schedule == nullptr ? "auto" : schedule;
  const Device& device = made.on->queue.device();
  const Index3 n = lab::view_of<char>(arrays.front()).extents;
  made.alone = comm::alone();
  const auto whole = stencil::parse_sweeps(asked, device, evolution.traits, around, n, 1);
  const stencil::RankPart part(*made.alone, n, evolution.traits, around,
                               whole.pass ? stencil::sweeps_of(*whole.pass) : 1);
  const auto laid = stencil::parse_sweeps(asked, device, evolution.traits, part.boundaries(),
                                          part.held().extents(), 1);
  made.sweeps.emplace(evolution.make(made.on->queue, data, part, laid));
}

} // namespace

extern "C" {

int ridge_sweeps_bind(ridge_queue queue, ridge_kernel kernel, const ridge_field* fields,
                      size_t count, const char* boundary, const char* schedule,
                      ridge_sweeps* sweeps) {
  return call("ridge_sweeps_bind", [&] {
    auto made = std::make_shared<SweepsObject>();
    made->on = find<QueueObject>(queue);
    const auto k = find<KernelObject>(kernel);
    made->fields = fields_of(*made->on, fields, count);
    require(static_cast<const void*>(sweeps), "sweeps");
    const OnQueue turn(*made->on, "call");
    const lab::Unforkable unforkable;
    naming(k->shown, [&] { make(*made, *k, boundary, schedule); });
    *sweeps = add(std::move(made));
  });
}

int ridge_sweeps_run(ridge_sweeps sweeps, int64_t steps) {
  return call("ridge_sweeps_run", [&] {
    const auto s = find<SweepsObject>(sweeps);
    if (steps < 1) throw UsageError(fmt::format("steps={}; at least 1 is right", steps));
    const OnQueue turn(*s->on, "sweeps");
    const lab::Unforkable unforkable; // passes are bound as sweeps go on
    s->sweeps->run(steps);
  });
}

int ridge_sweeps_steps(ridge_sweeps sweeps, int64_t* steps) {
  return call("ridge_sweeps_steps", [&] {
    const auto s = find<SweepsObject>(sweeps);
    require(steps, "steps");
    *steps = s->sweeps->steps();
  });
}

int ridge_sweeps_read(ridge_sweeps sweeps) {
  return call("ridge_sweeps_read", [&] {
    const auto s = find<SweepsObject>(sweeps);
    const OnQueue turn(*s->on, "sweeps");
    for (int level = 0; level < s->levels; ++level) {
      const lab::Array& to = s->fields[static_cast<std::size_t>(level)]->array;
      if (to.element_bytes == 4) {
        s->sweeps->read(level, lab::view_of<float>(to));
      } else {
        s->sweeps->read(level, lab::view_of<double>(to));
      }
    }
  });
}

int ridge_sweeps_record(ridge_sweeps sweeps, char* text, size_t size, size_t* length) {
  return call("ridge_sweeps_record", [&] {
    const auto s = find<SweepsObject>(sweeps);
    const OnQueue turn(*s->on, "sweeps");
    Record record = s->sweeps->record();
    record.schedule = stencil::to_text(s->sweeps->schedule());
    record.details.push_back({"steps", static_cast<double>(s->sweeps->steps()), ""});
    TextOut{text, size, length}.give(to_json(record));
  });
}

int ridge_sweeps_free(ridge_sweeps sweeps) {
  if (sweeps == nullptr) return RIDGE_OK;
  return call("ridge_sweeps_free", [&] {
    const auto s = take<SweepsObject>(sweeps);
    const TurnToFree turn(*s->on);
  });
}

} // extern "C"

} // namespace ridge::c
