// Many sweeps of a stencil over time.
#include <ridge/lab/kernels/stencil_evolving.hpp>

#include "../core/refuse.hpp"
#include "handles.hpp"
#include "naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ridge::c {

namespace {

/// Of the default step: what is left to the largest stable one.
constexpr double part_of_stable = 0.9;

std::optional<double> number_of(const KernelObject& kernel, const char* name) {
  for (const lab::Setting& s : kernel.settings)
    if (s.member == name) return s.value;
  return std::nullopt;
}

/// Throws UsageError for a step that is none, or is larger than the stable one; 0: not known.
void check_step(const std::string& name, const std::optional<double>& dt, double stable) {
  if (!dt) return;
  if (!(*dt > 0) || !std::isfinite(*dt))
    throw UsageError(fmt::format("{}: dt={:g}; a positive number is right", name, *dt));
  if (stable > 0 && *dt > stable * (1 + 1e-12)) {
    throw UsageError(fmt::format(
        "{}: dt={:g} is not stable; the largest stable step here is {:.9g}", name, *dt, stable));
  }
}

/// The largest of a field of coefficients, which lies without gaps.
double largest_coefficient(Queue& queue, const lab::Array& field) {
  Index count = 1;
  for (int d = 0; d < field.rank; ++d)
    count *= field.extents[static_cast<std::size_t>(d)];
  const auto of = [&]<class T>(std::vector<T> values) {
    copy_to_host(queue, values.data(), static_cast<const T*>(field.data), count);
    queue.wait();
    double largest = 0;
    for (const T one : values) {
      refuse_if(!(one >= 0) || !std::isfinite(one),
                "fields[1] holds {}; a coefficient of diffusion is finite and not negative", one);
      largest = std::max(largest, static_cast<double>(one));
    }
    return largest;
  };
  const auto n = static_cast<std::size_t>(count);
  return field.element_bytes == 4 ? of(std::vector<float>(n)) : of(std::vector<double>(n));
}

/// `largest`: of a kernel with a coefficient field, what that holds; 0: not looked at yet.
lab::Evolution evolution_of(const KernelObject& k, const lab::Array& like, double largest) {
  if (!k.source.empty()) {
    const lab::UserKernel found = lab::load_user_kernel(k.source, k.settings, lab::Use::evolution);
    refuse_if(!found.evolution, "{} does not evolve; a stencil is right", k.kernel.name);
    lab::Evolution made = found.evolution(like.element_bytes, std::nullopt);
    if (made.dt && (*made.dt != 0 || number_of(k, "dt"))) // 0: the kernel leaves it to its user
      check_step(k.kernel.name, made.dt, made.stable_step);
    return made;
  }
  static_cast<void>(lab::find_evolving_kernel(k.kernel.name)); // says which do
  const lab::EvolutionRequest request{k.kernel.name, like.rank, like.element_bytes, k.spacing,
                                      largest > 0 ? largest : number_of(k, "value").value_or(1)};
  const double stable = lab::stable_step(request);
  const std::optional<double> dt = number_of(k, "dt");
  check_step(k.kernel.name, dt, stable);
  return lab::make_evolution(request, dt.value_or(part_of_stable * stable));
}

/// Throws UsageError for arrays that sweeps do not take.
void check_arrays(const std::string& name, const lab::Evolution& evolution,
                  const std::vector<lab::Array>& arrays) {
  const auto right = static_cast<std::size_t>(evolution.traits.inputs());
  refuse_if(arrays.size() != right, "{} takes {} arrays, not {}", name, right, arrays.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    names.push_back(fmt::format("fields[{}]", i));
    const lab::Array& a = arrays[i];
    refuse_if(a.element_bytes != arrays[0].element_bytes,
              "{}: {} and {} are of different precisions; all must be of one", name, names[0],
              names[i]);
    Index packed = 1;
    for (int d = 0; d < a.rank; ++d) {
      const auto at = static_cast<std::size_t>(d);
      refuse_if(a.strides[at] != packed && a.extents[at] > 1,
                "{}: {} has gaps between its rows; sweeps take none", name, names[i]);
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
  lab::Evolution evolution = evolution_of(k, arrays.front(), 0);
  check_arrays(k.kernel.name, evolution, arrays);
  if (k.source.empty() && lab::find_evolving_kernel(k.kernel.name).value == "coefficient")
    evolution = evolution_of(k, arrays.front(), largest_coefficient(made.on->queue, arrays[1]));
  made.levels = evolution.levels;
  made.sweeps.emplace(sweeps_alone(
      evolution, made.on->queue, data, lab::view_of<char>(arrays.front()).extents,
      boundary == nullptr ? "" : boundary, k.spacing, schedule == nullptr ? "auto" : schedule));
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
    refuse_if(k->is_adjoint, "{} is an adjoint, of one step; sweeps are of kernels",
              k->kernel.name);
    const OnQueue turn(*made->on, "call");
    const lab::Unforkable unforkable;
    naming(k->shown, [&] { make(*made, *k, boundary, schedule); });
    *sweeps = add(std::move(made));
  });
}

int ridge_sweeps_run(ridge_sweeps sweeps, int64_t steps) {
  return call("ridge_sweeps_run", [&] {
    const auto s = find<SweepsObject>(sweeps);
    refuse_if(steps < 1, "steps={}; at least 1 is right", steps);
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
    record.schedule = to_text(s->sweeps->schedule());
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
