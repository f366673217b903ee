// The one list of what a stencil kernel is compiled for: schedule fields that are template
// parameters, which of their values are possible, and which are compiled ahead.
//
// Ahead is what defaults pick. A kernel of `names_ahead`, or a source compiled with
// RIDGE_AHEAD_NAMES, also has what the schedules with names need, a source with RIDGE_AHEAD_ALL
// every value that the schedule space lists. Anything else that is possible is compiled when it is
// asked for (ridge/launch/demand.hpp); that compilation defines RIDGE_STENCIL_CPU,
// RIDGE_STENCIL_POINTS, RIDGE_STENCIL_MARCH or RIDGE_STENCIL_WINDOW as the one variant wanted.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/schedule_fields.hpp>

#include <array>

namespace ridge::stencil {

/// On the cpu: planes computed together (CpuSchedule::depth).
struct CpuVariant {
  int depth = 1;
  friend constexpr bool operator==(const CpuVariant&, const CpuVariant&) = default;
};

/// The compiled part of GpuSchedule, stage=none. Where a result is stored is compiled in: clang for
/// AMD GPUs makes one store of a choice at run time, and a plain one.
struct PointsVariant {
  int tile = 1;
  Loads loads = Loads::stencil;
  Store store = Store::plain;
  int bounds = 1024;
  friend constexpr bool operator==(const PointsVariant&, const PointsVariant&) = default;
};

/// How the rows of all fields lie in memory: rows begin at multiples of 128 bytes, of 16 bytes, or
/// anywhere. `joined` begin anywhere, too, and lanes put 16 bytes together from what they load.
enum class Rows { lines, packs, anywhere, joined };

/// The compiled part of GpuSchedule, stage=bulk, stage=tiles and stage=window, and of the fields.
struct MarchVariant {
  int threads_x = 128; ///< computing threads along x and y
  int threads_y = 2;
  int tile = 4; ///< rows a thread computes
  Store store = Store::plain;
  Rows rows = Rows::lines;
  /// Each plane's part of all sums is added when the plane comes (march_parts.hpp); stage=bulk and
  /// stage=tiles.
  bool parts = false;
  /// A plane of an input comes as one tile. Rows are packs then, lines among them.
  bool tiles = false;
  friend constexpr bool operator==(const MarchVariant&, const MarchVariant&) = default;
};

/// Values that a tile of points in y keeps in registers under loads=ascending: the union of their
/// footprints. `offsets` is one input's.
template <class Offsets>
constexpr int window_values(const Offsets& offsets, int tile) {
  int values = 0;
  for (const Offset& o : offsets) {
    // The points of the tile read rows o.y to o.y + tile - 1 here; count those that no offset
    // earlier in the list with the same x and z reads.
    for (int row = o.y; row < o.y + tile; ++row) {
      bool counted = false;
      for (const Offset& before : offsets) {
        if (before == o) break;
        counted = counted ||
                  (before.x == o.x && before.z == o.z && row >= before.y && row < before.y + tile);
      }
      values += counted ? 0 : 1;
    }
  }
  return values;
}

/// The tiles of the AMD series' fifth kernel, and for kernels that read no planes beside their own,
/// which cannot march and keep much memory under way only in tiles.
inline constexpr PointsVariant tiled{8, Loads::ascending, Store::nontemporal, 256};
inline constexpr PointsVariant flat_tiled{4, Loads::ascending, Store::plain, 1024};

/// Rows of points for GPUs that march: a few where arrays are about as large as the cache, more in
/// larger ones whose rows begin anywhere (docs/design/stencils_on_gpus.md).
inline constexpr PointsVariant few_rows{4, Loads::stencil, Store::plain, 1024};
inline constexpr PointsVariant rows_of_points{8, Loads::stencil, Store::plain, 1024};
/// Whether more rows beat single points there: in fp32, in fp64 where one input is read two rows
/// away, in 16 bits of four inputs and more.
constexpr bool takes_rows_of_points(Offset radius, int inputs, std::size_t element_bytes) {
  return element_bytes == 4 || (element_bytes == 8 && radius.y == 2 && inputs == 1) ||
         (element_bytes == 2 && inputs > 3);
}
/// Whether a few beat single points, of fields with many: not in fp64 of several inputs, whose rows
/// take too many registers. Of fewer points kernels of few values do.
constexpr bool takes_few_rows(Offset radius, int inputs, std::size_t element_bytes, int values,
                              bool many) {
  if (!many) return values <= (element_bytes == 8 ? 66 : 110);
  return element_bytes < 8 || (inputs == 1 && radius.y < 4);
}
/// Whether GPUs that march take `tiled`, the window of a tile, of arrays within the cache.
constexpr bool takes_windows(int inputs, std::size_t element_bytes, int values) {
  return values <= 110 && (element_bytes < 8 || inputs == 1);
}

/// The tiles of flat kernels in packs, where rows begin at these: as many rows as the registers
/// hold that kernels of this radius in y need (docs/design/stencils_on_gpus.md).
constexpr PointsVariant flat_packs(int radius_y) {
  return {radius_y > 2 ? 8 : radius_y > 1 ? 4 : 2, Loads::packs, Store::plain, 256};
}

/// The variant that stores elsewhere.
constexpr PointsVariant with(PointsVariant v, Store store) {
  v.store = store;
  return v;
}

/// Whether tiles are for a window of so many values: that of the 7-point stencil, 42, takes 57
/// (fp32) and 91 (fp64) of an AMD GPU's registers; larger ones leave room for fewer waves.
constexpr bool tile_fits(int values) {
  return values <= 42;
}
/// Whether windows of a footprint are worth compiling: they span it, what is not read included.
constexpr bool window_fits(Offset radius) {
  const Index extents[] = {2 * Index{radius.x} + 1, 2 * Index{radius.y} + 8,
                           2 * Index{radius.z} + 1};
  Index values = 1;
  for (const Index extent : extents) {
    if (extent > 4096) return false;
    values *= extent;
  }
  return values <= 4096;
}
/// Whether marches by bulk copies take footprints that reach so far in x: halos of a line.
constexpr bool halo_fits(Offset radius, std::size_t element_bytes) {
  return Index{radius.x} * static_cast<Index>(element_bytes) <= 128;
}
/// Those that a lane keeps of all inputs.
template <class K>
constexpr int values_of_tile() {
  int values = 0;
  std::apply([&](const auto&... f) { ((values += window_values(f.offsets, tiled.tile)), ...); },
             footprints_of<K>());
  return values;
}
template <class K>
constexpr bool tile_fits() {
  return window_fits(radius_of<K>()) && tile_fits(values_of_tile<K>());
}

/// Whether the schedules with names are compiled ahead of K. Specialised beside a kernel.
template <class K>
inline constexpr bool names_ahead =
#if defined(RIDGE_AHEAD_NAMES)
    true;
#else
    false;
#endif

/// Computed windows pay on a cpu for kernels of so many points (src/stencil/cpu_default.cpp).
inline constexpr int many_points = 19;

/// Block shapes of marches: that fill wide rows, and that leave fewer threads idle on narrow ones.
struct MarchShape {
  int threads_x, threads_y, tile;
  friend constexpr bool operator==(const MarchShape&, const MarchShape&) = default;
};
inline constexpr MarchShape wide_march{128, 2, 4};
inline constexpr MarchShape narrow_march{32, 8, 2};
/// In place of the first, of tall footprints, of which it reads fewer rows that are another tile's.
inline constexpr MarchShape tall_march{64, 4, 4};
/// Where the rings of several inputs leave no room for that.
inline constexpr MarchShape lower_march{64, 4, 3};
constexpr bool takes_tall(Offset radius, std::size_t element_bytes, Rows rows) {
  return radius.y > 3 && (rows == Rows::lines || (rows == Rows::packs && element_bytes == 8));
}
/// Where a plane comes as a tile, of footprints that read so many rows that copies of these take
/// longer than their bytes. Eight warps beside the one that fetches have 168 registers a lane.
/// Sixteen have 96, which kernels of this radius spill but for those of one input that go by axis,
/// and in 16 bits all but those of two rows (docs/design/stencils_on_gpus.md).
constexpr MarchShape tiled_march(Offset radius, std::size_t element_bytes,
                                 bool sixteen_warps = false) {
  if (element_bytes == 8) return sixteen_warps ? MarchShape{64, 8, 2} : MarchShape{64, 4, 4};
  if (element_bytes == 4 || radius.y < 2) return {32, 8, 4};
  return radius.y == 2 ? MarchShape{32, 16, 2} : MarchShape{32, 8, 2};
}
constexpr bool takes_sixteen_warps(Offset radius, int inputs, bool by_axis) {
  return by_axis && inputs == 1 && radius.y > 3;
}
/// Where the rings of several inputs leave no room for that.
constexpr MarchShape lower_tiled(Offset radius, std::size_t element_bytes) {
  MarchShape shape = tiled_march(radius, element_bytes);
  if (shape.tile > 2) --shape.tile;
  return shape;
}
constexpr bool takes_tiles(Offset radius, Rows rows) {
  return radius.y > 3 && (rows == Rows::lines || rows == Rows::packs);
}
/// Where narrow blocks of copied rows would be, too: of several rows, of whole planes (whose parts
/// are added up, or of which some stay), of four inputs and more, and but for fp32 of several that
/// are read around.
constexpr bool tiles_narrow(Offset radius, int inputs, int around, std::size_t element_bytes,
                            bool planes) {
  return radius.y > 1 || planes || inputs > 3 || (around > 1 && element_bytes != 4);
}
/// Inputs that are read around the point.
template <class K>
constexpr int read_around() {
  int count = 0;
  const auto add = [&](Offset reach) { count += reach.x > 0 || reach.y > 0 || reach.z > 0; };
  std::apply([&](const auto&... f) { (add(f.radius()), ...); }, footprints_of<K>());
  return count;
}
/// Whether the shortest rings of such blocks fit a multiprocessor of the GPUs that march, as
/// march_ring_bytes counts. Tiles are of elements of so many bytes; 0: rows are copied.
template <class K>
constexpr bool march_fits(const MarchShape& shape, Rows rows, std::size_t tiles_of = 0) {
  const int height = shape.threads_y * shape.tile;
  const int room = (226 << 10) - 256 - 256 * height - 256; // beside what march_fixed_bytes counts
  constexpr int line = 128;
  const int held = adds_parts<K> ? 0 : column_below<K>() ? 1 : 2;
  int bytes = 0;
  const auto add = [&](Offset reach) {
    const int lead = reach.x > 0 ? line : 0;
    const int pitch = shape.threads_x * 16 + lead + (rows == Rows::lines ? 0 : line);
    const int beside = (reach.x * static_cast<int>(tiles_of) + 15) / 16 * 16;
    const int tile = (height + 2 * reach.y) * (shape.threads_x * 16 + 2 * beside);
    const int plane =
        tiles_of > 0 ? (tile + line - 1) / line * line : (height + 2 * reach.y) * pitch + lead;
    bytes += (held * reach.z + 2) * plane;
  };
  std::apply([&](const auto&... f) { (add(f.radius()), ...); }, footprints_of<K>());
  return bytes <= room;
}
/// Those that the schedule space lists.
inline constexpr std::array all_march_shapes{
    wide_march,   MarchShape{128, 2, 2}, MarchShape{128, 4, 2}, MarchShape{128, 4, 4},
    narrow_march, MarchShape{32, 8, 1}};
#if defined(RIDGE_AHEAD_ALL)
inline constexpr std::array march_shapes = all_march_shapes;
inline constexpr std::array march_stores{Store::plain, Store::nontemporal};
#else
inline constexpr std::array march_shapes{wide_march, narrow_march};
inline constexpr std::array march_stores{Store::plain};
#endif

/// Those where planes come as tiles.
inline constexpr std::array all_tiled_shapes{MarchShape{64, 4, 4}, MarchShape{64, 8, 2},
                                             MarchShape{32, 8, 4}, MarchShape{32, 16, 2},
                                             MarchShape{32, 8, 2}};

/// The shape of stage=window that defaults pick, and those that the schedule space lists.
inline constexpr MarchShape usual_window{32, 8, 2};
inline constexpr std::array all_window_shapes{usual_window, MarchShape{32, 8, 1},
                                              MarchShape{128, 2, 2}};

/// Whether some GPU that this source is compiled for has no bulk copy engine and runs stage=window
/// by default.
constexpr bool windows_by_default() {
#if defined(RIDGE_TARGET_HIP)
  return true;
#elif defined(RIDGE_TARGET_CUDA) && defined(__CUDA_ARCH_LIST__)
  for (const int arch : {__CUDA_ARCH_LIST__}) {
    if (arch < 900) return true;
  }
  return false;
#else
  return false;
#endif
}

#if defined(RIDGE_STENCIL_CPU) || defined(RIDGE_STENCIL_POINTS) || defined(RIDGE_STENCIL_MARCH) || \
    defined(RIDGE_STENCIL_WINDOW)
#if defined(RIDGE_STENCIL_CPU)
inline constexpr std::array<CpuVariant, 1> demanded_cpu{CpuVariant{RIDGE_STENCIL_CPU}};
#else
inline constexpr std::array<CpuVariant, 0> demanded_cpu{};
#endif
#if defined(RIDGE_STENCIL_POINTS)
inline constexpr std::array<PointsVariant, 1> demanded_points{PointsVariant{RIDGE_STENCIL_POINTS}};
#else
inline constexpr std::array<PointsVariant, 0> demanded_points{};
#endif
#if defined(RIDGE_STENCIL_MARCH)
inline constexpr std::array<MarchVariant, 1> demanded_march{MarchVariant{RIDGE_STENCIL_MARCH}};
#else
inline constexpr std::array<MarchVariant, 0> demanded_march{};
#endif
#if defined(RIDGE_STENCIL_WINDOW)
inline constexpr std::array<MarchVariant, 1> demanded_window{MarchVariant{RIDGE_STENCIL_WINDOW}};
#else
inline constexpr std::array<MarchVariant, 0> demanded_window{};
#endif

template <class K, class T>
struct CpuList {
  static constexpr auto values = demanded_cpu;
};
template <class K, class T>
struct PointsList {
  static constexpr auto values = demanded_points;
};
template <class K, class T>
struct MarchList {
  static constexpr auto values = demanded_march;
};
template <class K, class T>
struct WindowList {
  static constexpr auto values = demanded_window;
};

#else

template <class K, class T>
struct CpuList {
  static constexpr auto values = [] {
#if defined(RIDGE_AHEAD_ALL)
    constexpr bool windows = has_planes<K>;
#else
    constexpr bool windows = has_planes<K> && points_of<K>() >= many_points;
#endif
    if constexpr (windows) {
      return std::array{CpuVariant{1}, CpuVariant{2}, CpuVariant{4}};
    } else if constexpr (has_planes<K>) {
      return std::array{CpuVariant{1}, CpuVariant{2}};
    } else {
      return std::array{CpuVariant{1}};
    }
  }();
};

/// Of kernels whose tiles do not fit the registers of all GPUs: what those that march take.
template <class K, class T>
constexpr auto rows_ahead() {
  constexpr Offset radius = radius_of<K>();
  constexpr int values = values_of_tile<K>();
  constexpr bool few = takes_few_rows(radius, inputs_of<K>, sizeof(T), values, true) ||
                       takes_few_rows(radius, inputs_of<K>, sizeof(T), values, false);
  constexpr bool more = takes_rows_of_points(radius, inputs_of<K>, sizeof(T));
  constexpr bool windows = takes_windows(inputs_of<K>, sizeof(T), values);
  std::array<PointsVariant, 1 + std::size_t{few} + std::size_t{more} + std::size_t{windows}> all{};
  std::size_t n = 1;
  if (few) all[n++] = few_rows;
  if (more) all[n++] = rows_of_points;
  if (windows) all[n++] = tiled;
  return all;
}

template <class K, class T>
struct PointsList {
  static constexpr auto values = [] {
#if defined(RIDGE_AHEAD_ALL)
    std::array<PointsVariant, 60> all{};
    int n = 0;
    for (const int tile : {1, 2, 4, 8, 16}) {
      for (const Loads loads : {Loads::stencil, Loads::ascending, Loads::packs}) {
        for (const Store store : {Store::plain, Store::nontemporal}) {
          for (const int bounds : {1024, 256})
            all[static_cast<std::size_t>(n++)] = {tile, loads, store, bounds};
        }
      }
    }
    return all;
#else
  // AMD GPUs store past the caches by default, others through them.
#if defined(RIDGE_TARGET_HIP)
    constexpr Store usual = Store::nontemporal;
#else
    constexpr Store usual = Store::plain;
#endif
    constexpr PointsVariant one = with({}, usual);
    if constexpr (!window_fits(radius_of<K>())) {
      return std::array{one};
    } else if constexpr (is_flat(radius_of<K>())) {
#if defined(RIDGE_TARGET_HIP)
      return std::array{one, with(flat_tiled, usual)};
#else
      return std::array{one, flat_tiled, flat_packs(radius_of<K>().y)};
#endif
    } else if constexpr (!tile_fits<K>()) {
#if defined(RIDGE_TARGET_HIP)
      return std::array{one};
#else
      return rows_ahead<K, T>();
#endif
    } else {
      if constexpr (names_ahead<K>) {
        constexpr PointsVariant other =
            with({}, usual == Store::plain ? Store::nontemporal : Store::plain);
        return std::array{one,
                          other,
                          tiled,
                          with(tiled, Store::plain),
                          few_rows,
                          PointsVariant{8, Loads::stencil, Store::plain, 1024},
                          PointsVariant{8, Loads::ascending, Store::plain, 1024}};
      } else {
#if defined(RIDGE_TARGET_HIP)
        return std::array{one, tiled};
#else
        return std::array{one, tiled, few_rows};
#endif
      }
    }
#endif
  }();
};

/// How marches take rows of elements of so many bytes that begin anywhere, by default: what
/// single values are slower for joins packs (docs/design/stencils_on_gpus.md).
constexpr Rows rows_anywhere(std::size_t element_bytes, bool tile_fits) {
  return element_bytes == 4 && tile_fits ? Rows::joined : Rows::anywhere;
}

/// The shape of the march by tiles that defaults take.
template <class K, class T>
constexpr MarchShape usual_tiled() {
  constexpr bool sixteen = takes_sixteen_warps(radius_of<K>(), inputs_of<K>, goes_by_axis<K>);
  constexpr MarchShape most = tiled_march(radius_of<K>(), sizeof(T), sixteen);
  return march_fits<K>(most, Rows::packs, sizeof(T)) ? most
                                                     : lower_tiled(radius_of<K>(), sizeof(T));
}
/// Whether marches by tiles are compiled ahead: all that can be, or where defaults pick them.
template <class K, class T>
constexpr bool tiles_ahead() {
#if defined(RIDGE_AHEAD_ALL)
  return inputs_of<K> <= most_tiled_inputs;
#else
  return inputs_of<K> <= most_tiled_inputs &&
         (takes_tiles(radius_of<K>(), Rows::packs) ||
          tiles_narrow(radius_of<K>(), inputs_of<K>, read_around<K>(), sizeof(T),
                       adds_parts<K> || !column_below<K>())) &&
         march_fits<K>(usual_tiled<K, T>(), Rows::packs, sizeof(T));
#endif
}

/// Puts the marches compiled ahead into `all`, and says how many they are.
template <class K, class T>
constexpr std::size_t list_marches(auto& all) {
#if defined(RIDGE_AHEAD_ALL)
  constexpr std::array rows_listed{Rows::lines, Rows::packs, Rows::anywhere, Rows::joined};
  constexpr MarchShape usual = usual_tiled<K, T>();
  constexpr MarchShape small{32, 8, 2};
  constexpr std::array in_tiles{usual, sizeof(T) == 8   ? MarchShape{64, 8, 2}
                                       : usual == small ? MarchShape{32, 16, 2}
                                                        : small};
#else
  constexpr std::array rows_listed{Rows::lines, Rows::packs,
                                   rows_anywhere(sizeof(T), tile_fits<K>())};
  constexpr std::array in_tiles{usual_tiled<K, T>()};
#endif
  std::size_t n = 0;
  for (const Store store : march_stores) {
    const auto add = [&](const MarchShape& s, Rows rows, bool tiles) {
      all[n++] = {s.threads_x, s.threads_y, s.tile, store, rows, adds_parts<K>, tiles};
    };
    for (const MarchShape& listed : march_shapes) {
      for (const Rows rows : rows_listed) {
        MarchShape s = listed;
#if !defined(RIDGE_AHEAD_ALL)
        if (s == wide_march && tiles_ahead<K, T>() && takes_tiles(radius_of<K>(), rows)) continue;
        if (s == wide_march && takes_tall(radius_of<K>(), sizeof(T), rows))
          s = march_fits<K>(tall_march, rows) ? tall_march : lower_march;
#endif
        add(s, rows, false);
      }
    }
    if (!tiles_ahead<K, T>()) continue;
    for (const MarchShape& s : in_tiles)
      add(s, Rows::packs, true);
  }
  return n;
}

template <class K, class T>
struct MarchList {
  static constexpr auto values = [] {
    if constexpr (radius_of<K>().z == 0 || !halo_fits(radius_of<K>(), sizeof(T))) {
      return std::array<MarchVariant, 0>{};
    } else {
      std::array<MarchVariant, 64> most{};
      constexpr std::size_t count = [] {
        std::array<MarchVariant, 64> listed{};
        return list_marches<K, T>(listed);
      }();
      list_marches<K, T>(most);
      std::array<MarchVariant, count> all{};
      for (std::size_t i = 0; i < count; ++i)
        all[i] = most[i];
      return all;
    }
  }();
};

/// Rows of stage=window are packs, lines among them, or anywhere.
template <class K, class T>
struct WindowList {
  static constexpr auto values = [] {
#if defined(RIDGE_AHEAD_ALL)
#if defined(RIDGE_TARGET_SIMT)
    constexpr std::array stores{Store::plain};
#else
    constexpr std::array stores{Store::plain, Store::nontemporal};
#endif
    constexpr bool wanted = radius_of<K>().z > 0;
    constexpr std::array shapes = all_window_shapes;
#else
    constexpr bool wanted = radius_of<K>().z > 0 && windows_by_default();
    constexpr std::array shapes{usual_window};
    constexpr std::array stores{Store::nontemporal};
#endif
    std::array<MarchVariant, wanted ? shapes.size() * stores.size() * 2 : 0> all{};
    std::size_t n = 0;
    if constexpr (wanted) {
      for (const MarchShape& s : shapes) {
        for (const Store store : stores) {
          for (const Rows rows : {Rows::packs, Rows::anywhere})
            all[n++] = {s.threads_x, s.threads_y, s.tile, store, rows};
        }
      }
    }
    return all;
  }();
};

#endif
} // namespace ridge::stencil
