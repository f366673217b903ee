#include <ridge/core/error.hpp>
#include <ridge/lattice/any_field.hpp>
#include <ridge/lattice/width.hpp>

#include <fmt/format.h>

namespace ridge::lattice {

namespace {

template <class T>
std::unique_ptr<AnyField> field_of_kind(const std::string& kind, const Device& device,
                                        const Lattice& on) {
  if (kind == "real") return std::make_unique<FieldOf<T>>(device, on, kind);
  if (kind == "complex") return std::make_unique<FieldOf<Complex<T>>>(device, on, kind);
  if (kind == "colour_vector") return std::make_unique<FieldOf<ColourVector<T>>>(device, on, kind);
  if (kind == "colour_matrix") return std::make_unique<FieldOf<ColourMatrix<T>>>(device, on, kind);
  if (kind == "spinor") return std::make_unique<FieldOf<Spinor<T>>>(device, on, kind);
  if (kind == "propagator") return std::make_unique<FieldOf<Propagator<T>>>(device, on, kind);
  throw UsageError(fmt::format("unknown site '{}'; a site is real, complex, colour_vector, "
                               "colour_matrix, spinor or propagator",
                               kind));
}

} // namespace

std::unique_ptr<AnyField> make_field(const std::string& kind, int real_bytes, const Device& device,
                                     const Extents& extents) {
  const Lattice on(extents, width_for(device, extents, sizeof(float)));
  return real_bytes == 4 ? field_of_kind<float>(kind, device, on)
                         : field_of_kind<double>(kind, device, on);
}

} // namespace ridge::lattice
