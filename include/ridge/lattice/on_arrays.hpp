// Reductions and maps of arrays of real numbers that came from another language.
#pragma once

#include <ridge/core/made.hpp>
#include <ridge/lattice/case.hpp>
#include <ridge/pattern/arrays.hpp>

#include <utility>
#include <vector>

namespace ridge::lattice {

/// Numbers one after the other, as a lattice with a number a site: sites of a slice lie in another
/// order than coordinates say, which no reduction and no map sees. A slice is what the last
/// dimension counts; without `slices` all is one. Throws UsageError for arrays with gaps, and for
/// slices that whole vectors do not make.
[[nodiscard]] Geometry plain_geometry(const Arguments& arguments, bool slices);

/// Where fields of lattices must begin.
inline constexpr std::size_t field_alignment = 64;

/// Arrays as fields: those that begin elsewhere, as most of Fortran's do, are copied with each
/// launch.
class AlignedArrays {
public:
  /// The first `inputs` are read, the others written.
  AlignedArrays(Queue& queue, const Arguments& arguments, std::size_t inputs);

  template <class T>
  [[nodiscard]] Span<T> field(std::size_t i, Index count) const {
    return Span<T>(static_cast<T*>(at_[i]), count);
  }
  /// The program, with copies before and after it; its record says of how many bytes.
  [[nodiscard]] Program around(Program program) const;

private:
  struct Copy {
    std::shared_ptr<Memory> aligned;
    void* given;
    bool written;
  };
  Queue& queue_;
  std::vector<void*> at_;
  std::vector<Copy> copies_;
};

/// A call on arrays.
template <class Call>
class OnAligned final : public CallCase<Call> {
public:
  OnAligned(const std::string& name, Queue& queue, const Call& call, Reference<Call> reference,
            AlignedArrays arrays, Memory result = {})
      : CallCase<Call>(name, queue, call, std::move(reference)), arrays_(std::move(arrays)),
        result_(std::move(result)) {}
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return arrays_.around(CallCase<Call>::bind(s));
  }

private:
  AlignedArrays arrays_;
  Memory result_;
};

/// A call on so many arrays that are read and, where it writes one, that.
template <class Call, class T>
[[nodiscard]] AlignedArrays give_arrays(Queue& queue, const Arguments& arguments, bool slices,
                                        std::size_t read, bool writes, Call& call) {
  check_count(arguments, read + (writes ? 1 : 0));
  AlignedArrays arrays(queue, arguments, read);
  call.shape = {1, false, static_cast<int>(sizeof(T))};
  call.geometry = plain_geometry(arguments, slices);
  const Index count = call.geometry.sites();
  call.x = arrays.field<T>(0, count);
  if (read > 1) call.y = arrays.field<T>(1, count);
  if (writes) call.z = arrays.field<T>(read, count);
  return arrays;
}

/// `make(T{})` is the reduction; its arrays are what it reads, and one that it stores to.
/// `results()` are its numbers.
template <class Make>
[[nodiscard]] std::unique_ptr<Case> reduction_on_arrays(Queue& queue, const Make& make,
                                                        const Arguments& arguments, bool slices,
                                                        bool reproducible) {
  const auto of = [&]<class T>(T number) -> std::unique_ptr<Case> {
    const auto reduction = make(number);
    using R = std::remove_const_t<decltype(reduction)>;
    static_assert(R::inputs <= 2);
    using Call = ReduceCall<R, T>;
    Call call;
    call.reduction = reduction;
    call.reproducible = reproducible;
    auto arrays = give_arrays<Call, T>(queue, arguments, slices, R::inputs, R::stores, call);
    call.dimension = slices ? 1 : -1;
    Memory result(queue.device(), Bytes{call.results() * 8}, "the result");
    call.result = {static_cast<double*>(result.data()), call.results()};
    const RoofMemory memory{MemoryRoof::Kind::read, field_bytes(call), nullptr, call.x.data};
    return made_as<OnAligned<Call>, Case>(arguments.kernel, queue, call,
                                          Reference<Call>(memory, false), std::move(arrays),
                                          std::move(result));
  };
  return arguments.arrays.back().element_bytes == 4 ? of(float{}) : of(double{});
}

/// `make(T{})` is the map; its arrays are what it reads and what it writes.
template <class Make>
[[nodiscard]] std::unique_ptr<Case> map_on_arrays(Queue& queue, const Make& make,
                                                  const Arguments& arguments) {
  const auto of = [&]<class T>(T number) -> std::unique_ptr<Case> {
    const auto map = make(number);
    using M = std::remove_const_t<decltype(map)>;
    using Call = MapCall<M, T>;
    Call call;
    call.map = map;
    auto arrays = give_arrays<Call, T>(queue, arguments, false, M::inputs, true, call);
    return made_as<OnAligned<Call>, Case>(
        arguments.kernel, queue, call,
        Reference<Call>(roof_memory(call.z.data, call.x.data, field_bytes(call))),
        std::move(arrays));
  };
  return arguments.arrays.back().element_bytes == 4 ? of(float{}) : of(double{});
}

} // namespace ridge::lattice
