// Faces that a kernel stores in neighbours' fields, beside the same faces packed, carried and
// unpacked. Ranks are threads here, each with an emulated GPU.
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/lattice/stored/exchange.hpp>
#include <ridge/lattice/stored/field.hpp>

#include "devices.hpp"
#include "on_device.hpp"
#include "thread_ranks.hpp"

#include <cstring>
#include <ostream>
#include <string>
#include <vector>

namespace ridge::lattice {

namespace {

struct Faces {
  const char* name;
  Extents whole, ranks;
  bool halves;
  int inner;
  int element_bytes, elements, words;
  bool sums;
  friend std::ostream& operator<<(std::ostream& to, const Faces& f) { return to << f.name; }
};

/// Sums of numbers that make a pack, of others, and numbers that are sent as they are.
StoredSums sums_of(int d, int side) {
  StoredSums sums;
  sums.count = StoredSums::most;
  for (int e = 0; e < sums.count; ++e) {
    const int in_packs = sums.count + e + 1;
    const int across = 2 * sums.count - e;
    const int other = side == 0 ? in_packs : across;
    sums.other[e] = static_cast<signed char>((e / 2 + d) % 2 == 0 ? other : -other);
  }
  if (side == 1) sums.other[5] = 0;
  return sums;
}

/// Where number e of a value lies in its group, in chunks of 16 bytes.
Index place_in_group(const StoredMemory& field, int lane, int e) {
  const int chunk = 16 / field.element_bytes;
  const int whole = field.elements / chunk * chunk;
  if (e >= field.elements) return Index{e} * field.lanes + lane;
  const int first = e < whole ? e / chunk * chunk : whole;
  const int together = e < whole ? chunk : field.elements - whole;
  return Index{first} * field.lanes + lane * together + e - first;
}

/// A rank's field, NaN where it does not own the sites.
template <class T>
std::vector<T> values_of(const StoredPart& part, const SiteGrid& grid, const StoredMemory& field,
                         int step) {
  std::vector<T> values(static_cast<std::size_t>(field.size));
  std::memset(values.data(), 0xff, values.size() * sizeof(T));
  for (Index i = 0; i < grid.sites(); ++i) {
    const auto c = detail::stored_coordinates(grid, i);
    if (!part.owned().holds(c.stored)) continue;
    for (int s = 0; s < grid.inner; ++s) {
      const StoredPlace at = stored_place(grid, c.stored, true, s, field.lanes);
      for (int e = 0; e < field.words; ++e) {
        const Index place =
            at.group * field.words * field.lanes + place_in_group(field, at.lane, e);
        const auto key = static_cast<std::uint64_t>(step * 8 + part.rank());
        values[static_cast<std::size_t>(place)] = static_cast<T>(random_value(key, place));
      }
    }
  }
  return values;
}

template <class T>
void compare(comm::Communicator& ranks, const std::string& device, const Faces& f) {
  Queue queue{Device(device)};
  const StoredPart part(f.whole, f.ranks, ranks.rank(), f.halves);
  const SiteGrid grid =
      part.grid(queue.device(), f.halves ? Sites::odd : Sites::all, f.element_bytes, f.inner);
  const auto groups = detail::stored_groups(grid, true);
  const Bytes bytes{groups.groups * groups.lanes * f.words * Index{f.element_bytes}};
  const Memory packed(queue.device(), bytes, "packed");
  const Memory pushed(queue.device(), bytes, "pushed");
  const auto memory = [&](const Memory& of) {
    StoredMemory m{of.data(),
                   bytes.value / f.element_bytes,
                   f.element_bytes,
                   groups.lanes,
                   f.elements,
                   f.words,
                   true};
    for (int d = 0; d < grid_dimensions && f.sums; ++d) {
      m.sums[d][0] = sums_of(d, 0);
      m.sums[d][1] = sums_of(d, 1);
    }
    return m;
  };
  StoredExchange by_messages({ranks, queue, comm::Carrier::host}, part, grid, {memory(packed)});
  StoredExchange by_stores({ranks, queue, comm::Carrier::peer}, part, grid, {memory(pushed)});
  EXPECT_EQ(by_stores.sent(), by_messages.sent());
  for (int step = 0; step < 3; ++step) {
    const auto before = values_of<T>(part, grid, memory(packed), step);
    std::vector<T> expected(before.size()), got(before.size());
    const auto run = [&](const Memory& of, StoredExchange& exchange, std::vector<T>& result) {
      const auto count = static_cast<Index>(result.size());
      copy_to_device(queue, static_cast<T*>(of.data()), before.data(), count);
      queue.wait();
      ranks.barrier();
      exchange.run();
      queue.wait();
      copy_to_host(queue, result.data(), static_cast<const T*>(of.data()), count);
      queue.wait();
    };
    run(packed, by_messages, expected);
    run(pushed, by_stores, got);
    EXPECT_NE(std::memcmp(expected.data(), before.data(), expected.size() * sizeof(T)), 0);
    EXPECT_EQ(std::memcmp(expected.data(), got.data(), got.size() * sizeof(T)), 0)
        << "rank " << ranks.rank() << ", step " << step;
  }
}

class StoredPush : public comm::test::OnDevice {};

TEST_P(StoredPush, HasTheBitsOfMessages) {
  const std::vector<Faces> all = {
      {"dwf, odd parts, blocks", {12, 8, 8, 10}, {1, 1, 1, 3}, true, 3, 4, 24, 24, true},
      {"wilson fp64, t and z", {3, 5, 7, 4}, {1, 1, 2, 2}, false, 1, 8, 24, 24, true},
      {"colour vectors, y", {6, 8, 4, 2}, {1, 2, 1, 1}, false, 1, 4, 6, 6, false},
      {"16 bits", {4, 4, 4, 6}, {1, 1, 1, 2}, true, 3, 4, 12, 13, false},
      {"along x, by messages", {8, 4, 2, 2}, {2, 1, 1, 1}, true, 1, 4, 24, 24, true}};
  for (const Faces& f : all) {
    SCOPED_TRACE(f.name);
    ridge::test::on_ranks(static_cast<int>(f.ranks.count()), [&](comm::Communicator& ranks) {
      f.element_bytes == 8 ? compare<double>(ranks, GetParam(), f)
                           : compare<float>(ranks, GetParam(), f);
    });
  }
}

std::vector<std::string> emulated_here() {
  std::vector<std::string> names = ridge::test::devices_here();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("simt"); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Devices, StoredPush, testing::ValuesIn(emulated_here()),
                         ridge::test::DeviceName());

} // namespace

} // namespace ridge::lattice
