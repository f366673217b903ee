// Ceilings of memory and of the last-level cache.
#include <ridge/device/backend.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>

#include "../core/refuse.hpp"
#include "roof_session.hpp"
#include "roof_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ridge {

namespace {

constexpr Index mebi = Index{1} << 20;
constexpr Index element_bytes = sizeof(double);

/// True when the ceiling `name` or, on the cpu, one of its parts by kind of store is wanted.
bool wants_any(const RoofSession& session, const std::string& name) {
  if (session.wants(name)) return true;
  return !session.device().is_gpu() &&
         (session.wants(name + "_plain") || session.wants(name + "_nontemporal"));
}

/// What RIDGE_ROOF_MIB asks for, an array's size: a part of a large machine may be told a cache
/// that it shares with many others. 0 if it is not set.
Index asked_mebibytes() {
  const char* const text = std::getenv("RIDGE_ROOF_MIB");
  if (text == nullptr) return 0;
  Index asked = 0;
  const char* const end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, asked);
  constexpr Index most = 1 << 20;
  refuse_if(error != std::errc{} || last != end || asked < 1 || asked > most,
            "RIDGE_ROOF_MIB={}: an array's mebibytes are expected, 1 to {}", text, most);
  return asked;
}

/// Arrays for the memory kernels, all of one size and touched first by those who use them later.
class Arrays {
public:
  Arrays(RoofSession& session, int arrays) : count_(choose_count(session, arrays)) {
    for (int i = 0; i < arrays; ++i) {
      fields_.emplace_back(session.device(), Extents{count_}, "roof");
      // New pages take long, and this can be given up.
      fill_bytes(session.queue(), fields_.back().data(), 0, Bytes{count_ * element_bytes});
      session.kernels().write(session.queue(), fields_.back().elements(), i + 1, {});
    }
    const Index cache = session.device().facts().last_level_cache.value;
    const bool small = count_ * element_bytes < 4 * cache;
    const char* const why =
        asked_mebibytes() > 0 ? "RIDGE_ROOF_MIB asks for" : "for want of memory";
    sizes_ = fmt::format("arrays of {}{}", to_text(Bytes{count_ * element_bytes}),
                         small ? fmt::format(" ({} less than 4 times the cache)", why) : "");
  }

  [[nodiscard]] Index count() const { return count_; }
  /// Bytes that each array contributes to the traffic of a launch.
  [[nodiscard]] double bytes() const { return static_cast<double>(count_ * element_bytes); }
  [[nodiscard]] const std::string& sizes() const { return sizes_; }
  [[nodiscard]] Span<double> to() const { return fields_.front().elements(); }
  [[nodiscard]] Span<const double> from(int i) const {
    return {fields_[static_cast<std::size_t>(i)].data(), count_};
  }

private:
  /// Several times the last-level cache; all together no more than a quarter of the free memory.
  static Index choose_count(const RoofSession& session, int arrays) {
    const Device& device = session.device();
    const Index cache = device.facts().last_level_cache.value;
    const Index asked = asked_mebibytes();
    const Index wish = asked > 0 ? asked * mebi
                       : device.is_gpu()
                           ? std::max(8 * cache, (session.is_quick() ? 1024 : 2048) * mebi)
                           : std::max(4 * cache, 256 * mebi);
    const Index room = device.free_memory().value / 4 / arrays;
    return std::max(std::min(wish, room) / mebi, Index{1}) * mebi / element_bytes;
  }

  Index count_;
  std::string sizes_;
  std::vector<Field<double>> fields_;
};

/// Adds the ceiling `name` and, on the cpu, its parts by kind of store.
void add_bandwidth(RoofSession& session, const std::string& name, double bytes,
                   const std::string& how, const Ways& ways) {
  const auto add = [&](const std::string& which, const Best& best) {
    session.add({which, bytes / best.seconds.value, "B/s", how + "; " + best.text});
  };
  if (session.device().is_gpu() || name == "read") {
    add(name, best_of(session, ways));
    return;
  }
  std::optional<Best> best;
  for (const bool nontemporal : {false, true}) {
    const std::string part = name + (nontemporal ? "_nontemporal" : "_plain");
    if (!session.wants(name) && !session.wants(part)) continue;
    Ways same;
    std::copy_if(ways.begin(), ways.end(), std::back_inserter(same),
                 [&](const Way& way) { return way.variant.nontemporal == nontemporal; });
    const Best here = best_of(session, same);
    if (session.wants(part)) add(part, here);
    if (!best || here.seconds < best->seconds) best = here;
  }
  if (best && session.wants(name)) add(name, *best);
}

void measure_copy(RoofSession& session, const Arrays& arrays) {
  session.announce("copy");
  Ways ways = ways_of(session, true, [&](const RoofVariant& variant) {
    session.kernels().copy(session.queue(), arrays.to(), arrays.from(1), variant);
  });
  if (session.device().is_gpu()) {
    ways.push_back({{}, "the runtime's memory copy", [&] {
                      session.device().backend().copy(
                          session.queue().native(), arrays.to().data, arrays.from(1).data,
                          static_cast<std::size_t>(arrays.count() * element_bytes),
                          CopyDirection::on_device);
                    }});
  }
  add_bandwidth(session, "copy", 2 * arrays.bytes(),
                "16 B an element (8 read, 8 written), " + arrays.sizes(), ways);
}

void measure_read(RoofSession& session, const Arrays& arrays) {
  session.announce("read");
  Index most = 0;
  const auto keep_most = [&](const RoofVariant& variant) {
    most = std::max(most, session.kernels().sums(session.device(), arrays.count(), variant));
  };
  for (const Way& way : ways_of(session, false, keep_most))
    way.launch();
  const Field<double> sums(session.device(), {most}, "roof sums");
  add_bandwidth(session, "read", arrays.bytes(), "8 B an element, added up, " + arrays.sizes(),
                ways_of(session, false, [&](const RoofVariant& variant) {
                  session.kernels().read(session.queue(), sums.elements(), arrays.from(0), variant);
                }));
}

void measure_write(RoofSession& session, const Arrays& arrays) {
  session.announce("write");
  add_bandwidth(session, "write", arrays.bytes(), "8 B an element, " + arrays.sizes(),
                ways_of(session, true, [&](const RoofVariant& variant) {
                  session.kernels().write(session.queue(), arrays.to(), 1, variant);
                }));
}

void measure_triad(RoofSession& session, const Arrays& arrays) {
  session.announce("triad");
  add_bandwidth(session, "triad", 3 * arrays.bytes(),
                "24 B an element (16 read, 8 written), " + arrays.sizes(),
                ways_of(session, true, [&](const RoofVariant& variant) {
                  session.kernels().triad(session.queue(), arrays.to(), arrays.from(1),
                                          arrays.from(2), 0.5, variant);
                }));
}

void measure_cache_copy(RoofSession& session) {
  session.announce("cache_copy");
  const DeviceFacts& facts = session.device().facts();
  const bool gpu = session.device().is_gpu();
  const Index cache = std::max(facts.last_level_cache.value, mebi);
  // On a cpu larger than the cores' own caches but a small part of the last one: others share it.
  const Index bytes =
      gpu ? cache / 4 : std::min(std::max(cache / 8, facts.units * facts.l2.value), cache / 4);
  const Index count = bytes / element_bytes;
  const int passes = gpu ? 64 : 8; // one pass on a GPU would be as short as its launch
  const Field<double> from(session.device(), {count}, "roof");
  const Field<double> to(session.device(), {count}, "roof");
  session.kernels().write(session.queue(), from.elements(), 1, {});
  session.kernels().write(session.queue(), to.elements(), 1, {});

  const Best best =
      best_of(session, cached_ways_of(session, passes, [&](const RoofVariant& v) {
                session.kernels().copy(session.queue(), to.elements(), {from.data(), count}, v);
              }));
  const double all = 2.0 * static_cast<double>(count * element_bytes) * passes;
  session.add({"cache_copy", all / best.seconds.value, "B/s",
               fmt::format("16 B an element (8 read, 8 written), arrays of {} in a cache of {}, {} "
                           "times over; {}",
                           to_text(Bytes{count * element_bytes}), to_text(facts.last_level_cache),
                           passes, best.text)});
}

} // namespace

void measure_memory(RoofSession& session) {
  const bool copies = wants_any(session, "copy");
  const bool reads = session.wants("read");
  const bool writes = wants_any(session, "write");
  const bool triads = wants_any(session, "triad");
  const int needed = triads ? 3 : copies ? 2 : writes || reads ? 1 : 0;
  if (needed > 0) {
    const Arrays arrays(session, needed);
    if (copies) measure_copy(session, arrays);
    if (reads) measure_read(session, arrays);
    if (writes) measure_write(session, arrays);
    if (triads) measure_triad(session, arrays);
  }
  if (session.wants("cache_copy")) measure_cache_copy(session);
}

} // namespace ridge
