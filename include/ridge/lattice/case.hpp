// Cases of reductions and maps of lattice fields.
#pragma once

#include <ridge/lattice/check.hpp>
#include <ridge/lattice/menu.hpp>
#include <ridge/pattern/call_case.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::lattice {

/// The ceiling of launches that read and write so many fields of `size`, given where they are.
[[nodiscard]] Limit limit_of(int read, int written, Bytes size, const RoofMemory& memory);

/// The bytes of a field of a call.
template <class Call>
[[nodiscard]] Bytes field_bytes(const Call& call) {
  return {call.geometry.sites() * call.shape.site_bytes()};
}

/// Random fields of one shape, x, y and z as a kernel reads and writes them, on a queue of their
/// own. `name` is what the kernel is called.
template <class T>
struct OwnFields {
  OwnFields(const Device& device, const std::string& name, const SiteShape& of, const Geometry& on,
            int read, int written)
      : queue(device), shape(of), geometry(on), bytes{on.sites() * of.site_bytes()} {
    const auto field = [&](const char* what, std::uint64_t seed) {
      Memory memory(device, bytes, std::string("field ") + what + " of " + name);
      fill_random(queue, numbers(memory), seed);
      return memory;
    };
    x = field("x", 1);
    if (read > 1) y = field("y", 2);
    if (written > 0) z = field("z", 3);
  }
  [[nodiscard]] Span<T> numbers(const Memory& m) const {
    if (m.data() == nullptr) return {};
    return {static_cast<T*>(m.data()), bytes.value / static_cast<Index>(sizeof(T))};
  }
  /// Gives the fields to a call.
  template <class Call>
  void give_to(Call& call) const {
    call.shape = shape;
    call.geometry = geometry;
    call.x = numbers(x);
    call.y = numbers(y);
    call.z = numbers(z);
  }
  /// The memory of fields that a ceiling is measured on.
  [[nodiscard]] RoofMemory roof() const {
    const MemoryRoof::Kind kind = z.data() == nullptr   ? MemoryRoof::Kind::read
                                  : y.data() == nullptr ? MemoryRoof::Kind::copy
                                                        : MemoryRoof::Kind::triad;
    return {kind, bytes, z.data(), x.data(), y.data()};
  }

  Queue queue;
  SiteShape shape;
  Geometry geometry;
  Bytes bytes;
  Memory x, y, z;
};

} // namespace ridge::lattice

template <class R, class T>
class ridge::Reference<ridge::lattice::ReduceCall<R, T>> {
  using Call = lattice::ReduceCall<R, T>;

public:
  /// `memory` is what the ceiling is measured on; with `keeps` fields stay as they are, and what is
  /// right is found once.
  Reference(const RoofMemory& memory, bool keeps) : memory_(memory), keeps_(keeps) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    std::vector<Output> all{{call.result.data, Bytes{call.results() * 8}}};
    if constexpr (R::stores) all.push_back({call.z.data, field_bytes(call)});
    return all;
  }
  [[nodiscard]] Check check(Queue& queue, const Call& call) {
    if constexpr (R::stores) {
      const Check stored = check_stored(queue, call, poison_of_outputs);
      if (!stored.ok) return stored;
    }
    if (!expected_ || !keeps_) expected_ = expected_results(queue, call);
    return check_reduction(queue, call, *expected_, results_on_host(queue, results(call)),
                           sizeof(T) == 8 ? 1e-12 : 1e-6);
  }
  [[nodiscard]] Limit limit(Queue& /*queue*/, const Call& call) const {
    return lattice::limit_of(R::inputs, R::stores ? 1 : 0, field_bytes(call), memory_);
  }
  [[nodiscard]] static Span<const double> results(const Call& call) {
    return {call.result.data, call.results()};
  }

private:
  RoofMemory memory_;
  bool keeps_;
  std::optional<lattice::ExpectedResults> expected_;
};

template <class M, class T>
class ridge::Reference<ridge::lattice::MapCall<M, T>> {
  using Call = lattice::MapCall<M, T>;

public:
  /// `memory` is what the ceiling is measured on.
  Reference(const RoofMemory& memory) : memory_(memory) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return {{call.z.data, field_bytes(call)}};
  }
  [[nodiscard]] static Check check(Queue& queue, const Call& call) {
    return check_map(queue, call, poison_of_outputs);
  }
  [[nodiscard]] Limit limit(Queue& /*queue*/, const Call& call) const {
    return lattice::limit_of(M::inputs, 1, field_bytes(call), memory_);
  }

private:
  RoofMemory memory_;
};

template <class S>
class ridge::Reference<ridge::lattice::SiteReduceCall<S>> {
  using Call = lattice::SiteReduceCall<S>;

public:
  /// Results within `tolerance` of those that `expected` finds are right. `read` bytes are read,
  /// `memory` is what the ceiling is measured on.
  Reference(std::function<lattice::ExpectedResults(Queue&)> expected, double tolerance, Bytes read,
            const RoofMemory& memory)
      : expected_(std::move(expected)), tolerance_(tolerance), read_(read), memory_(memory) {}

  [[nodiscard]] static std::vector<Output> outputs(const Call& call) {
    return {{call.result.data, Bytes{call.result.size * 8}}};
  }
  [[nodiscard]] Check check(Queue& queue, const Call& call) const {
    return check_results(expected_(queue), results_on_host(queue, results(call)), tolerance_);
  }
  [[nodiscard]] Limit limit(Queue& /*queue*/, const Call& /*call*/) const {
    return {"read", "B/s", static_cast<double>(read_.value), std::nullopt, memory_};
  }
  [[nodiscard]] static Span<const double> results(const Call& call) {
    return {call.result.data, call.result.size};
  }

private:
  std::function<lattice::ExpectedResults(Queue&)> expected_;
  double tolerance_;
  Bytes read_;
  RoofMemory memory_;
};
