#include "stored_fields.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pattern/storage.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace ridge::app {

namespace {

constexpr Index piece = Index{1} << 22; ///< numbers that are converted at once, on the host

/// Calls f(begin, count, numbers, stored) for each piece, with memory for it in both forms.
template <class S, class F>
void in_pieces(Index count, const F& f) {
  std::vector<float> numbers(static_cast<std::size_t>(std::min(piece, count)));
  std::vector<S> stored(numbers.size());
  for (Index begin = 0; begin < count; begin += piece)
    f(begin, std::min(piece, count - begin), numbers.data(), stored.data());
}

template <class S>
Index narrow(Queue& queue, const float* from, S* to, Index count, Index& infinite) {
  Index beyond = 0;
  in_pieces<S>(count, [&](Index begin, Index n, float* numbers, S* stored) {
    copy_to_host(queue, numbers, from + begin, n);
    queue.wait();
    for (Index i = 0; i < n; ++i) {
      stored[i] = rounded_to<S>(numbers[i]);
      if (std::isinf(widened(stored[i]))) ++(std::isinf(numbers[i]) ? infinite : beyond);
    }
    copy_to_device(queue, to + begin, stored, n);
    queue.wait();
  });
  infinite += beyond;
  return beyond;
}

template <class S>
Index widen_all(Queue& queue, const S* from, float* to, Index count) {
  Index infinite = 0;
  in_pieces<S>(count, [&](Index begin, Index n, float* numbers, S* stored) {
    copy_to_host(queue, stored, from + begin, n);
    queue.wait();
    for (Index i = 0; i < n; ++i) {
      numbers[i] = widened(stored[i]);
      infinite += std::isinf(numbers[i]) ? 1 : 0;
    }
    copy_to_device(queue, to + begin, numbers, n);
    queue.wait();
  });
  return infinite;
}

} // namespace

Index narrow_numbers(Queue& queue, const std::string& storage, const void* from, void* to,
                     Index count) {
  Index infinite = 0;
  const auto* const numbers = static_cast<const float*>(from);
  return storage == "fp16" ? narrow(queue, numbers, static_cast<Fp16*>(to), count, infinite)
                           : narrow(queue, numbers, static_cast<Bf16*>(to), count, infinite);
}

void widen_numbers(Queue& queue, const std::string& storage, const void* from, void* to,
                   Index count) {
  auto* const numbers = static_cast<float*>(to);
  storage == "fp16" ? widen_all(queue, static_cast<const Fp16*>(from), numbers, count)
                    : widen_all(queue, static_cast<const Bf16*>(from), numbers, count);
}

namespace {

using Formats = std::map<std::string, std::string>;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UsageError(fmt::format("--store-as {}: {}", text, why));
}

/// Of the fields that a list names; `what` is what they are called.
Formats read_formats(const std::string& text, const std::vector<std::string>& names,
                     std::string_view what) {
  Formats formats;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t sign = entry.find('=');
    if (sign == std::string::npos)
      refuse(text, fmt::format("'{}' is no {}=fp16, bf16 or fp32", entry,
                               what == "field" ? "FIELD" : "ARRAY"));
    const std::string name = entry.substr(0, sign);
    const std::string format = entry.substr(sign + 1);
    const auto found = std::count(names.begin(), names.end(), name);
    if (found == 0)
      refuse(text, fmt::format("no {} '{}'; there are {}", what, name, fmt::join(names, ", ")));
    if (found > 1) refuse(text, fmt::format("{} datasets are called '{}'", found, name));
    if (format != "fp16" && format != "bf16" && format != "fp32")
      refuse(text, fmt::format("'{}' is stored as fp16, bf16 or fp32, not as '{}'", name, format));
    if (!formats.emplace(name, format).second)
      refuse(text, fmt::format("'{}' is given twice", name));
  }
  return formats;
}

/// The kind of those of 16 bits; empty where there are none.
std::string kind_of(const std::string& text, const Formats& formats, std::string_view what) {
  std::string kind;
  for (const auto& [name, format] : formats) {
    if (format == "fp32") continue;
    if (!kind.empty() && kind != format)
      refuse(text, fmt::format("{}s of 16 bits are all fp16 or all bf16", what));
    kind = format;
  }
  return kind;
}

} // namespace

FieldStorage parse_field_storage(const std::string& text, const std::vector<std::string>& names) {
  const Formats formats = read_formats(text, names, "field");
  FieldStorage made;
  made.storage = kind_of(text, formats, "field");
  for (const std::string& name : names) {
    const auto given = formats.find(name);
    if (given == formats.end() || given->second == "fp32") made.wide.push_back(name);
  }
  if (!made.wide.empty() && made.wide.front() == names.front())
    refuse(text, fmt::format("'{0}', the first, is in 16 bits where any field is: {0}=fp16",
                             names.front()));
  return made;
}

std::pair<std::string, unsigned> parse_system_storage(const std::string& text,
                                                      const std::vector<lab::SystemArray>& arrays) {
  std::vector<std::string> names;
  for (const lab::SystemArray& array : arrays)
    names.push_back(array.name);
  const Formats formats = read_formats(text, names, "array");
  const std::string kind = kind_of(text, formats, "array");
  unsigned wide = 0;
  bool changes = false;
  for (const lab::SystemArray& array : arrays) {
    const auto given = formats.find(array.name);
    const bool named = given != formats.end();
    const bool fp32 = named && given->second == "fp32";
    if (array.changes && fp32)
      refuse(text, fmt::format("steps change '{}': such arrays are all in 16 bits", array.name));
    if (array.changes) changes = changes || named;
    if (array.changes || (named && !fp32)) continue;
    if (array.number >= 32)
      refuse(text, fmt::format("'{}' is not among the first 32 arrays", array.name));
    wide |= 1U << array.number;
  }
  if (!changes) {
    const auto first = std::find_if(arrays.begin(), arrays.end(),
                                    [](const lab::SystemArray& a) { return a.changes; });
    refuse(text, fmt::format("an array that steps change is named, which stands for all of them: "
                             "{}=fp16",
                             first->name));
  }
  return {kind, wide};
}

StoredFields::StoredFields(Queue& queue, std::string storage, Index count)
    : queue_(queue), storage_(std::move(storage)), count_(count),
      out_(field("the output in 16 bits")) {
  fill_bytes(queue, out_.data(), 0, out_.size());
}

Memory StoredFields::field(const char* what) const {
  return {queue_.device(), Bytes{count_ * static_cast<Index>(sizeof(Fp16))}, what};
}

std::vector<const void*> StoredFields::in() const {
  std::vector<const void*> all;
  for (const std::vector<Memory>* const some : {&in_, &low_}) {
    for (const Memory& one : *some)
      all.push_back(one.data());
  }
  return all;
}

void StoredFields::take(const void* numbers, bool wide) {
  Memory& to = in_.emplace_back(field("an input in 16 bits"));
  if (wide) {
    low_.push_back(field("the low halves of an input in fp32"));
    const View<const float> packed(static_cast<const float*>(numbers), Index3{count_, 1, 1});
    return split_numbers(queue_, packed, to.data(), low_.back().data());
  }
  const auto* const from = static_cast<const float*>(numbers);
  const Index beyond = storage_ == "fp16"
                           ? narrow(queue_, from, static_cast<Fp16*>(to.data()), count_, infinite_)
                           : narrow(queue_, from, static_cast<Bf16*>(to.data()), count_, infinite_);
  if (beyond > 0) {
    fmt::print(stderr,
               "ridge: {} values of the input are beyond the range of {} and count as infinite\n",
               beyond, storage_);
  }
}

void StoredFields::give(void* numbers) {
  auto* const to = static_cast<float*>(numbers);
  const Index infinite = storage_ == "fp16"
                             ? widen_all(queue_, static_cast<const Fp16*>(out_.data()), to, count_)
                             : widen_all(queue_, static_cast<const Bf16*>(out_.data()), to, count_);
  if (infinite > 0 && infinite_ == 0) {
    fmt::print(stderr, "ridge: {} values of the result are beyond the range of {}, infinite\n",
               infinite, storage_);
  }
}

} // namespace ridge::app
