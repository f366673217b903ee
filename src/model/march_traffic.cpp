// Blocks that march: each plane is fetched once, but where tiles, chunks and rounds meet.
#include "points_traffic.hpp"
#include "reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

/// Where nothing keeps blocks in step, neighbours may find all they share, or nothing.
double gone_out_of_step(Hash hash) {
  return hash == Hash::even ? 0 : hash == Hash::random ? 1 : 0.5;
}

class Marching {
public:
  Marching(const StencilAccess& access, const Description& device, const Assumptions& assume)
      : access_(access), device_(device), assume_(assume), cache_(device.cache_bytes) {
    const Index3 n = access.extents;
    tiles_x_ = ceil_div(n.x, access.block.x);
    tiles_y_ = ceil_div(std::max<Index>(n.y - 2 * access.radius.y, 1), access.block.y);
    const double columns = static_cast<double>(tiles_x_ * tiles_y_ * access.march.chunks);
    rounds_ = std::ceil(columns / resident_blocks(access, device));
    for (const auto& footprint : access.footprints)
      moved_ += read_room(device, assume) * touched_bytes(access, footprint);
    if (access.keeps_stores && !access.march.marks_inputs)
      moved_ += static_cast<double>(access.work.written.value);
  }

  [[nodiscard]] Traffic traffic() const {
    Traffic t;
    Extras extras;
    double least = 0;
    double asked = 0;
    for (const auto& footprint : access_.footprints) {
      const double touched = touched_bytes(access_, footprint);
      const double edges = assume_.halos ? edge_bytes(footprint) : 0;
      const double planes = chunk_bytes(footprint);
      least += touched;
      asked += touched + edges + planes;
      extras.add(Failing::tile_halos, tile_halos_gone() * edges,
                 fmt::format("tiles of {}x{} points overlap by {:.1f} % of the field, of which "
                             "{:.0f} % are fetched again",
                             access_.block.x, access_.block.y, 100 * edges / touched,
                             100 * tile_halos_gone()));
      extras.add(Failing::slab_halos, chunk_halos_gone() * planes,
                 fmt::format("{} chunks of the z axis fetch {} planes each that others fetch, too",
                             access_.march.chunks,
                             layers_read(1, distances_along(footprint, 2)) - 1));
    }
    t.fetched = least + extras.bytes();
    t.written = static_cast<double>(access_.work.written.value);
    t.requested = asked + t.written;
    extras.explain(t, least);
    return t;
  }

private:
  /// Bytes that tiles read beside their own, over the whole field.
  [[nodiscard]] double edge_bytes(const std::vector<Index3>& footprint) const {
    const Index3 n = access_.extents;
    const double touched = touched_bytes(access_, footprint);
    const double rows = static_cast<double>(layers_read(1, distances_along(footprint, 1)) - 1);
    double edges = rows * static_cast<double>(tiles_y_ - 1) / static_cast<double>(n.y);
    const auto in_x = distances_along(footprint, 0);
    if (in_x.size() > 1) {
      const double reach = static_cast<double>(layers_read(1, in_x) - 1) / 2;
      const double element = access_.element_bytes;
      const double sector = assume_.sectors ? device_.sector_bytes : element;
      const double side = std::ceil(reach * element / sector) * sector / element;
      edges += 2 * side * static_cast<double>(tiles_x_ - 1) / static_cast<double>(n.x);
    }
    return touched * edges;
  }

  [[nodiscard]] double chunk_bytes(const std::vector<Index3>& footprint) const {
    const double planes = static_cast<double>(layers_read(1, distances_along(footprint, 2)) - 1);
    return touched_bytes(access_, footprint) * planes * (access_.march.chunks - 1) /
           static_cast<double>(access_.extents.z);
  }

  /// Of the edges of tiles, those whose neighbours march at the same time are shared as long as
  /// the planes between the two are in the cache; the others wait for a whole round.
  [[nodiscard]] double tile_halos_gone() const {
    const double planes = static_cast<double>(access_.march.planes_apart);
    const double each = moved_ / static_cast<double>(access_.extents.z) * access_.march.chunks;
    const double beside = planes > 0 ? gone(planes * each / rounds_ / cache_, ways(), assume_.hash)
                                     : gone_out_of_step(assume_.hash);
    const double apart = gone(moved_ / rounds_ / cache_, ways(), assume_.hash);
    const double meet =
        tiles_y_ > 1 ? std::min(1.0, (rounds_ - 1) / static_cast<double>(tiles_y_ - 1)) : 0;
    return meet * apart + (1 - meet) * beside;
  }

  [[nodiscard]] double chunk_halos_gone() const {
    return access_.march.chunks > 1 ? gone(moved_ / rounds_ / cache_, ways(), assume_.hash) : 0;
  }

  [[nodiscard]] int ways() const { return static_cast<int>(device_.cache_ways); }

  const StencilAccess& access_;
  const Description& device_;
  const Assumptions& assume_;
  double cache_;
  Index tiles_x_ = 1, tiles_y_ = 1;
  double rounds_ = 1;
  double moved_ = 0; ///< bytes of the cache for the inputs and the results that stay beside them
};

} // namespace

Traffic march_traffic(const StencilAccess& access, const Description& device,
                      const Assumptions& assume) {
  return Marching(access, device, assume).traffic();
}

} // namespace ridge::model
