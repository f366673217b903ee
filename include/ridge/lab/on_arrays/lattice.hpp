// Reductions and maps of arrays of real numbers that came from another language.
#pragma once

#include <ridge/lab/arrays.hpp>
#include <ridge/lab/lattice_case.hpp>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace ridge::lab {

/// Numbers one after the other, as a lattice with a number a site: sites of a slice lie in another
/// order than coordinates say, which no reduction and no map sees. A slice is what the last
/// dimension counts; without `slices` all is one. Throws UsageError for arrays with gaps, and for
/// slices that whole vectors do not make.
[[nodiscard]] lattice::Geometry plain_geometry(const Arguments& arguments, bool slices);

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

/// A reduction of arrays; `results()` are its numbers.
template <class R, class T>
class ReduceOnArrays final : public Case {
public:
  ReduceOnArrays(Queue& queue, const R& reduction, const Arguments& arguments, bool slices,
                 bool reproducible)
      : name_(arguments.kernel), queue_(queue), arrays_(queue, arguments, R::inputs) {
    static_assert(R::inputs <= 2);
    call_.reduction = reduction;
    call_.reproducible = reproducible;
    call_.shape = {1, false, static_cast<int>(sizeof(T))};
    call_.geometry = plain_geometry(arguments, slices);
    const Index count = call_.geometry.sites();
    call_.x = arrays_.field<T>(0, count);
    if constexpr (R::inputs > 1) call_.y = arrays_.field<T>(1, count);
    if constexpr (R::stores) call_.z = arrays_.field<T>(R::inputs, count);
    call_.dimension = slices ? 1 : -1;
    result_ = Memory(queue.device(), Bytes{call_.results() * 8}, "the result");
    call_.result = {static_cast<double*>(result_.data()), call_.results()};
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return arrays_.around({queue_, call_, held<lattice::Schedule>(s), name_});
  }
  void poison() override {
    if constexpr (R::stores) fill_bytes(queue_, call_.z.data, 0xff, bytes());
    fill_bytes(queue_, result_.data(), 0xff, result_.size());
  }
  [[nodiscard]] Check check() override {
    return check_reduction(queue_, call_, expected_results(queue_, call_), results(),
                           sizeof(T) == 8 ? 1e-12 : 1e-6);
  }
  [[nodiscard]] Limit limit() const override {
    return lattice_limit(R::inputs, R::stores ? 1 : 0, bytes(),
                         {MemoryRoof::Kind::read, bytes(), nullptr, call_.x.data});
  }
  [[nodiscard]] std::vector<double> results() override {
    std::vector<double> got(static_cast<std::size_t>(call_.results()));
    copy_to_host(queue_, got.data(), static_cast<const double*>(result_.data()), call_.results());
    queue_.wait();
    return got;
  }

private:
  [[nodiscard]] Bytes bytes() const {
    return {call_.geometry.sites() * static_cast<Index>(sizeof(T))};
  }

  std::string name_;
  Queue& queue_;
  AlignedArrays arrays_;
  lattice::ReduceCall<R, T> call_;
  Memory result_;
};

/// A map of arrays.
template <class M, class T>
class MapOnArrays final : public Case {
public:
  MapOnArrays(Queue& queue, const M& map, const Arguments& arguments)
      : name_(arguments.kernel), queue_(queue),
        arrays_(queue, arguments, M::inputs), call_{map,
                                                    {1, false, static_cast<int>(sizeof(T))},
                                                    plain_geometry(arguments, false),
                                                    {},
                                                    {},
                                                    {}} {
    const Index count = call_.geometry.sites();
    call_.x = arrays_.field<T>(0, count);
    if constexpr (M::inputs > 1) call_.y = arrays_.field<T>(1, count);
    call_.z = arrays_.field<T>(M::inputs, count);
  }

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return arrays_.around({queue_, call_, held<lattice::Schedule>(s), name_});
  }
  void poison() override { fill_bytes(queue_, call_.z.data, 0xff, bytes()); }
  [[nodiscard]] Check check() override { return check_map(queue_, call_, 0xff); }
  [[nodiscard]] Limit limit() const override {
    return lattice_limit(M::inputs, 1, bytes(), roof_memory(call_.z.data, call_.x.data, bytes()));
  }

private:
  [[nodiscard]] Bytes bytes() const {
    return {call_.geometry.sites() * static_cast<Index>(sizeof(T))};
  }

  std::string name_;
  Queue& queue_;
  AlignedArrays arrays_;
  lattice::MapCall<M, T> call_;
};

/// `make(T{})` is the reduction; its arrays are what it reads, and one that it stores to.
template <class Make>
[[nodiscard]] std::unique_ptr<Case> reduction_on_arrays(Queue& queue, const Make& make,
                                                        const Arguments& arguments, bool slices,
                                                        bool reproducible) {
  const auto of = [&]<class T>(T number) -> std::unique_ptr<Case> {
    const auto reduction = make(number);
    using R = std::remove_const_t<decltype(reduction)>;
    check_count(arguments, R::inputs + (R::stores ? 1 : 0));
    return std::make_unique<ReduceOnArrays<R, T>>(queue, reduction, arguments, slices,
                                                  reproducible);
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
    check_count(arguments, M::inputs + 1);
    return std::make_unique<MapOnArrays<M, T>>(queue, map, arguments);
  };
  return arguments.arrays.back().element_bytes == 4 ? of(float{}) : of(double{});
}

} // namespace ridge::lab
