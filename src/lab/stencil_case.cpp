#include <ridge/core/error.hpp>
#include <ridge/lab/stencil_case.hpp>

#include <fmt/format.h>

namespace ridge::lab {

void refuse_precision(std::string_view precision, std::string_view name, std::string_view known) {
  throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name, known));
}

Extents default_stencil_size(int rank) {
  return rank == 3   ? Extents{512, 512, 512}
         : rank == 2 ? Extents{16384, 8192}
                     : Extents{Index{1} << 27};
}

template <class T>
RandomFields<T>::RandomFields(const std::string& name, const stencil::Traits& traits,
                              const BenchRequest& request)
    : queue(request.device), extents(request.size.xyz()),
      strides(stencil::spread(request.device, traits, extents, stencil::Strides::packed(extents))) {
  const Extents held{strides.plane * extents.z};
  for (int i = 0; i < traits.inputs(); ++i) {
    inputs.emplace_back(request.device, held, "input " + std::to_string(i) + " of " + name);
    fill_random(queue, inputs.back().elements(), static_cast<std::uint64_t>(i) + 1);
  }
  out = Field<T>(request.device, held, "the output of " + name);
}

template struct RandomFields<float>;
template struct RandomFields<double>;

} // namespace ridge::lab
