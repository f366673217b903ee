// Fields: memory of the caller's or of Ridge's.
#include <ridge/device/backend.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/reach.hpp>

#include "../core/refuse.hpp"
#include "handles.hpp"

#include <fmt/format.h>

namespace ridge::c {

namespace {

/// The array of a call's arguments. Throws UsageError for a type, extents or strides that no array
/// has.
lab::Array array_of(void* data, int type, int dimensions, const int64_t* extents,
                    const int64_t* strides) {
  refuse_if(type != RIDGE_FLOAT && type != RIDGE_DOUBLE,
            "type={}; RIDGE_FLOAT ({}) and RIDGE_DOUBLE ({}) are possible", type, int{RIDGE_FLOAT},
            int{RIDGE_DOUBLE});
  refuse_if(dimensions < 1 || dimensions > lab::max_array_rank,
            "dimensions={}; 1 to {} are possible", dimensions, lab::max_array_rank);
  require(extents, "extents");
  lab::Array a;
  a.data = data;
  a.rank = dimensions;
  a.element_bytes = type;
  Index next = 1;
  constexpr Index most = Index{1} << 58; // of bytes, with room for what is computed of them
  for (int d = 0; d < dimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    a.extents[at] = extents[d];
    a.strides[at] = strides == nullptr ? next : strides[d];
    refuse_if(extents[d] < 1, "extents[{}]={}; at least 1 is right", d, extents[d]);
    refuse_if(a.strides[at] < next || (d == 0 && a.strides[at] != 1), "strides[{}]={}; {} is right",
              d, a.strides[at], d == 0 ? "1" : fmt::format("at least {}", next));
    refuse_if(a.strides[at] > most / extents[d], "extents[{}]={}: more than any memory holds", d,
              extents[d]);
    next = a.strides[at] * extents[d];
  }
  return a;
}

void check_bytes(const FieldObject& field, size_t bytes) {
  if (static_cast<Index>(bytes) == field.bytes().value) return;
  throw UsageError(fmt::format("bytes={}; the field has {}", bytes, field.bytes().value));
}

/// Calls `copy(address, offset in packed bytes, bytes)` for each run of numbers without gaps.
template <class Copy>
void for_runs(const lab::Array& a, const Copy& copy) {
  int whole = 0; // dimensions that a run has
  Index run = 1;
  while (whole < a.rank && a.strides[static_cast<std::size_t>(whole)] == run)
    run *= a.extents[static_cast<std::size_t>(whole++)];
  std::array<Index, lab::max_array_rank> at{};
  Index packed = 0;
  for (;;) {
    Index offset = 0;
    for (int d = whole; d < a.rank; ++d)
      offset += at[static_cast<std::size_t>(d)] * a.strides[static_cast<std::size_t>(d)];
    copy(static_cast<char*>(a.data) + offset * a.element_bytes, packed * a.element_bytes,
         run * a.element_bytes);
    packed += run;
    int d = whole;
    while (d < a.rank) {
      const auto i = static_cast<std::size_t>(d);
      if (++at[i] < a.extents[i]) break;
      at[i] = 0;
      ++d;
    }
    if (d == a.rank) return;
  }
}

} // namespace

Bytes FieldObject::bytes() const {
  Index count = 1;
  for (int d = 0; d < array.rank; ++d)
    count *= array.extents[static_cast<std::size_t>(d)];
  return {count * array.element_bytes};
}

extern "C" {

int ridge_field_wrap(ridge_queue queue, void* data, int type, int dimensions,
                     const int64_t* extents, const int64_t* strides, ridge_field* field) {
  return call("ridge_field_wrap", [&] {
    const auto q = find<QueueObject>(queue);
    require(data, "data");
    require(field, "field");
    auto made = std::make_shared<FieldObject>();
    made->on = q;
    made->array = array_of(data, type, dimensions, extents, strides);
    if (!reaches(q->queue.device(), data)) {
      const std::string on = to_text(q->queue.device().id());
      throw UsageError(fmt::format("data is memory of the host, which {} does not read; give "
                                   "memory of the device, or make the field by ridge_field_new",
                                   on));
    }
    *field = add(std::move(made));
  });
}

int ridge_field_new(ridge_queue queue, int type, int dimensions, const int64_t* extents,
                    ridge_field* field) {
  return call("ridge_field_new", [&] {
    const auto q = find<QueueObject>(queue);
    require(field, "field");
    auto made = std::make_shared<FieldObject>();
    made->on = q;
    made->array = array_of(nullptr, type, dimensions, extents, nullptr);
    const OnQueue turn(*q, "field");
    const lab::Unforkable unforkable;
    const Bytes bytes = made->bytes();
    made->owned.emplace(q->queue.device(), bytes, "a field");
    made->array.data = made->owned->data();
    fill_bytes(q->queue, made->array.data, 0, bytes);
    *field = add(std::move(made));
  });
}

int ridge_field_set(ridge_field field, const void* host, size_t bytes) {
  return call("ridge_field_set", [&] {
    const auto f = find<FieldObject>(field);
    require(host, "host");
    check_bytes(*f, bytes);
    const OnQueue turn(*f->on, "field");
    for_runs(f->array, [&](char* at, Index from, Index size) {
      copy_bytes_to_device(f->on->queue, at, static_cast<const char*>(host) + from, Bytes{size});
    });
    f->on->queue.wait();
  });
}

int ridge_field_get(ridge_field field, void* host, size_t bytes) {
  return call("ridge_field_get", [&] {
    const auto f = find<FieldObject>(field);
    require(host, "host");
    check_bytes(*f, bytes);
    const OnQueue turn(*f->on, "field");
    for_runs(f->array, [&](char* at, Index to, Index size) {
      copy_bytes_to_host(f->on->queue, static_cast<char*>(host) + to, at, Bytes{size});
    });
    f->on->queue.wait();
  });
}

int ridge_field_data(ridge_field field, void** data) {
  return call("ridge_field_data", [&] {
    const auto f = find<FieldObject>(field);
    require(data, "data");
    *data = f->array.data;
  });
}

int ridge_field_free(ridge_field field) {
  if (field == nullptr) return RIDGE_OK;
  return call("ridge_field_free", [&] { static_cast<void>(take<FieldObject>(field)); });
}

} // extern "C"

} // namespace ridge::c
