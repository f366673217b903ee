#include <ridge/lattice/record.hpp>
#include <ridge/tune/lattice.hpp>

namespace ridge::tune {

Subject lattice_subject(const std::type_info& call, std::string kernel,
                        const LatticeAspects& aspects) {
  Index extents[max_rank];
  for (int d = 0; d < aspects.geometry.rank; ++d)
    extents[d] = aspects.geometry.extent(d);
  std::string site = lattice::site_name(aspects.shape, aspects.geometry);
  if (aspects.task.slices) site += ", slices";
  if (aspects.task.reproducible) site += ", reproducible";
  if (aspects.subset != lattice::Subset::all) site += ", half the sites";
  return {&call, std::move(kernel), aspects.shape.real_bytes == 4 ? "fp32" : "fp64",
          Extents(extents, aspects.geometry.rank), std::move(site)};
}

} // namespace ridge::tune
