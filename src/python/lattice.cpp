#include "lattice.hpp"

#include <ridge/core/error.hpp>
#include <ridge/lattice/any_field.hpp>
#include <ridge/python/arguments.hpp>

#include "offered.hpp"
#include "others_may_run.hpp"
#include "queues.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <regex>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

using namespace ridge::lattice;

/// A field that Python holds.
struct HeldField {
  DeviceId device;
  std::unique_ptr<AnyField> field;
};

/// The library's words with lattices as Python writes shapes: 8x4 is (4, 8).
std::string in_order_of_python(const std::string& message) {
  static const std::regex lattice("[0-9]+(x[0-9]+)+");
  std::string text;
  auto rest = message.cbegin();
  for (std::sregex_iterator i(message.begin(), message.end(), lattice), end; i != end; ++i) {
    const Extents n = parse_extents(i->str());
    Index extents[max_rank];
    for (int d = 0; d < n.rank(); ++d)
      extents[d] = n[d];
    text.append(rest, (*i)[0].first);
    text += shape_text(extents, n.rank());
    rest = (*i)[0].second;
  }
  return text.append(rest, message.cend());
}

HeldField new_field(const std::string& kind, int real_bytes, const std::vector<Index>& extents,
                    const std::string& device_name) {
  const OthersMayRun others_may_run;
  const Unforkable unforkable;
  const Device device(device_name);
  try {
    return {device.id(), make_field(kind, real_bytes, device,
                                    Extents(extents.data(), static_cast<int>(extents.size())))};
  } catch (const UsageError& e) {
    throw UsageError(in_order_of_python(e.what()));
  }
}

/// With the queue of the field's device, in turn with other threads.
template <class Work>
auto in_turn(const DeviceId& device, const Work& work) {
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(device, nullptr);
  const std::lock_guard lock(turn.guard);
  const Unforkable unforkable;
  return work(turn.queue);
}

/// What the expression gives: numbers, whether they are complex, extents of the tensor, a field or
/// None, and the record.
nb::tuple run(const std::string& description, const std::vector<const HeldField*>& fields,
              const std::vector<double>& numbers) {
  std::vector<const AnyField*> operands;
  for (const HeldField* f : fields) {
    if (!(f->device == fields.front()->device)) {
      throw UsageError(fmt::format("an expression of fields on {} and on {}; all must be on one "
                                   "device",
                                   to_text(fields.front()->device), to_text(f->device)));
    }
    operands.push_back(f->field.get());
  }
  const DeviceId device = fields.front()->device;
  ExpressionResult result = in_turn(device, [&](Queue& queue) {
    return offered_by<ExpressionRun>(description, "", "an expression")(queue, operands.data(),
                                                                       numbers.data());
  });
  nb::object made = nb::none();
  if (result.field)
    made = nb::cast(new HeldField{device, std::move(result.field)}, nb::rv_policy::take_ownership);
  return nb::make_tuple(result.numbers, result.complex, result.site, made, to_json(result.record));
}

} // namespace

void add_lattice(nb::module_& m) {
  nb::class_<HeldField>(m, "LatticeField")
      .def("type", [](const HeldField& f) { return f.field->type(); })
      .def("site", [](const HeldField& f) { return f.field->site(); })
      .def("is_complex", [](const HeldField& f) { return f.field->shape().complex; })
      .def("real_bytes", [](const HeldField& f) { return f.field->shape().real_bytes; })
      .def("extents",
           [](const HeldField& f) {
             const Extents& n = f.field->on().extents();
             std::vector<Index> all;
             for (int d = 0; d < n.rank(); ++d)
               all.push_back(n[d]);
             return all;
           })
      .def("device", [](const HeldField& f) { return to_text(f.device); })
      .def(
          "set",
          [](HeldField& f, std::uintptr_t plain) {
            in_turn(f.device, [&](Queue& queue) {
              f.field->set(queue, reinterpret_cast<const void*>(plain));
            });
          },
          "address"_a)
      .def(
          "get",
          [](const HeldField& f, std::uintptr_t plain) {
            in_turn(f.device,
                    [&](Queue& queue) { f.field->get(queue, reinterpret_cast<void*>(plain)); });
          },
          "address"_a);
  m.def("new_field", &new_field, "site"_a, "real_bytes"_a, "extents"_a, "device"_a);
  m.def("run_lattice", &run, "description"_a, "fields"_a, "numbers"_a);
}

} // namespace ridge::python
