#include "handles.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace ridge::c {

namespace {

static_assert(sizeof(void*) == 8, "handles hold a place, a generation and a kind");

constexpr int place_bits = 24;
constexpr int kind_bits = 4;

struct Place {
  std::shared_ptr<void> object;
  Kind kind = Kind::queue;
  std::uint64_t generation = 1; ///< of 36 bits
};

struct Table {
  std::deque<Place> places;
  std::vector<std::size_t> unused;
};

/// As long as the process: threads may go on while it ends.
Table& table() {
  static auto* const all = new Table;
  return *all;
}

std::mutex& turn_of(QueueObject& queue) {
  const std::lock_guard lock(lab::moments());
  return queue.turn.get();
}

const char* name_of(Kind kind) {
  switch (kind) {
  case Kind::queue:
    return "queue";
  case Kind::field:
    return "field";
  case Kind::kernel:
    return "kernel";
  case Kind::program:
    return "program";
  case Kind::sweeps:
    return "handle of sweeps";
  }
  return "nothing";
}

void* handle_of(std::size_t place, const Place& at) {
  return reinterpret_cast<void*>(at.generation << (place_bits + kind_bits) |
                                 std::uint64_t{place} << kind_bits |
                                 static_cast<std::uint64_t>(at.kind));
}

/// Where a handle's object is.
std::size_t place_of(Kind kind, const void* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  const char* const right = name_of(kind);
  if (number == 0)
    throw Refused(RIDGE_BAD_HANDLE,
                  fmt::format("the {} is null; one that was made is right", right));
  const std::size_t place = number >> kind_bits & ((std::size_t{1} << place_bits) - 1);
  const auto given = static_cast<Kind>(number & ((1U << kind_bits) - 1));
  const Table& all = table();
  const bool known = place < all.places.size() && given >= Kind::queue && given <= Kind::sweeps;
  const std::uint64_t generation = number >> (place_bits + kind_bits);
  if (!known || generation == 0 || generation > all.places[place].generation) {
    throw Refused(RIDGE_BAD_HANDLE,
                  fmt::format("{:#x} is no handle of ridge; a {} is right", number, right));
  }
  if (given != kind) {
    throw Refused(RIDGE_BAD_HANDLE,
                  fmt::format("a {} was given; a {} is right", name_of(given), right));
  }
  const Place& at = all.places[place];
  if (at.object == nullptr || at.generation != generation)
    throw Refused(RIDGE_BAD_HANDLE, fmt::format("the {} was freed before", right));
  return place;
}

} // namespace

namespace detail {

void* add(Kind kind, std::shared_ptr<void> object) {
  Table& all = table();
  if (all.unused.empty()) {
    if (all.places.size() >> place_bits != 0)
      throw Failure("16 million handles are in use; free those that are needed no more");
    all.unused.reserve(all.places.size() + 1); // so that freeing needs no memory
    all.places.emplace_back();
    all.unused.push_back(all.places.size() - 1);
  }
  const std::size_t place = all.unused.back();
  all.unused.pop_back();
  Place& at = all.places[place];
  at.object = std::move(object);
  at.kind = kind;
  return handle_of(place, at);
}

const std::shared_ptr<void>& find(Kind kind, const void* handle) {
  return table().places[place_of(kind, handle)].object;
}

std::shared_ptr<void> take(Kind kind, const void* handle) {
  const std::size_t place = place_of(kind, handle);
  Place& at = table().places[place];
  std::shared_ptr<void> object = std::move(at.object);
  at.object = nullptr;
  ++at.generation;
  table().unused.push_back(place);
  return object;
}

} // namespace detail

TurnToFree::TurnToFree(QueueObject& queue) : lock_(turn_of(queue)) {
  if (!queue.freed) queue.queue.wait();
}

std::vector<std::shared_ptr<FieldObject>> fields_of(const QueueObject& queue,
                                                    const ridge_field* fields, std::size_t count) {
  if (count > 0) require(static_cast<const void*>(fields), "fields");
  const Device& device = queue.queue.device();
  std::vector<std::shared_ptr<FieldObject>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(find<FieldObject>(fields[i]));
    const Device& there = all.back()->on->queue.device();
    if (!(there.id() == device.id()) && (there.is_gpu() || device.is_gpu())) {
      throw UsageError(fmt::format("fields[{}] is on {}, and the queue on {}; one device is right",
                                   i, to_text(there.id()), to_text(device.id())));
    }
  }
  return all;
}

OnQueue::OnQueue(QueueObject& queue, const char* whose) : lock_(turn_of(queue)) {
  if (queue.freed) {
    throw Refused(RIDGE_BAD_HANDLE,
                  fmt::format("the queue of the {} was freed before; free queues last", whose));
  }
}

} // namespace ridge::c
