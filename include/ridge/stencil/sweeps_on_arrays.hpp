// Many sweeps over arrays that somebody else owns: fields begin from them, and time levels go back.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pattern/arrays.hpp>
#include <ridge/stencil/stored_demand.hpp>
#include <ridge/stencil/sweeps_over.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ridge::stencil {

/// How arrays are stored: fp16 or bf16 where they have 16 bits, but for those whose bits `wide`
/// has, which are halves of fp32 numbers as Stored<K, wide> takes them.
struct ArrayStorage {
  std::string name;
  unsigned wide = 0;
};

/// How sweeps of a kernel are made.
struct SweepsMaker {
  int levels = 1; ///< of the inputs, the first ones: what a sweep gives new values
  Traits traits;
  /// Copies the arrays, one an input, each the points of `place` that this rank owns. Throws
  /// UsageError as Sweeps does. Collective.
  std::unique_ptr<Sweeps> (*make)(Queue& queue, const Arguments& arguments,
                                  const ArrayStorage& storage, const RankPart& place,
                                  const std::string& schedule) = nullptr;
};
/// The function that a description offers, by its own type.
using DescribeSweeps = SweepsMaker();

template <class T>
[[nodiscard]] std::vector<View<const T>> fields_of(const Arguments& arguments) {
  std::vector<View<const T>> fields;
  for (const GivenArray& a : arguments.arrays)
    fields.push_back(view_of<const T>(a));
  return fields;
}

/// `file` is where K's source is.
template <class K>
[[nodiscard]] std::unique_ptr<Sweeps>
make_sweeps(Queue& queue, const K& kernel, const Arguments& arguments, const ArrayStorage& storage,
            const RankPart& place, const std::string& schedule, const std::string& file) {
  const std::type_info& in_fp32 = typeid(Call<K, float>);
  know_source(in_fp32, file, "");
  know_source(typeid(Call<K, double>), file, "");
  const auto over = [&]<class T>(std::shared_ptr<const SweptKernel<T>> swept) {
    return sweeps_over<T>(queue, std::move(swept), fields_of<T>(arguments), place, schedule,
                          arguments.kernel);
  };
  const auto functor = std::as_bytes(std::span(&kernel, 1));
  const auto stored = [&]<class S>(S /*type*/) {
    return over(stored_swept<S>(in_fp32, functor, storage.wide));
  };
  if (storage.name == "fp16") return stored(Fp16{});
  if (storage.name == "bf16") return stored(Bf16{});
  return arguments.arrays.front().element_bytes == 4 ? over(swept<float>(kernel))
                                                     : over(swept<double>(kernel));
}

/// The arrays of a call, one an input; those that are fp32 beside arrays of 16 bits are whole.
struct SweptArrays {
  std::span<const GivenArray> all;
  std::span<const double> numbers;
  ArrayStorage storage;
};

/// What sweeps of a kernel over arrays have beside these: names, boundaries, points of all ranks.
class SweptField {
public:
  /// `arrays` are the names of the inputs. `boundary` is what parse_boundaries reads, `spacing`
  /// what derivatives at faces are by, x first. `points`, x first, are those of a field that all
  /// ranks have together; none: this process has all of its own. Throws UsageError for a boundary
  /// that there is not.
  SweptField(std::string kernel, std::vector<std::string> arrays, const std::string& boundary,
             const std::array<double, 3>& spacing, const std::vector<Index>& points);

  [[nodiscard]] const std::string& kernel() const { return kernel_; }
  [[nodiscard]] const std::string& array(std::size_t i) const { return arrays_[i]; }
  [[nodiscard]] comm::Communicator& ranks() const;
  /// What this rank has; `points` are those of a field of this process alone.
  [[nodiscard]] RankPart part(const SweepsMaker& maker, Index3 points = {}) const;
  /// What this rank has of arrays, which are checked. Throws UsageError for those that sweeps do
  /// not take.
  [[nodiscard]] RankPart part_of(const SweepsMaker& maker, const SweptArrays& given) const;

private:
  std::string kernel_;
  std::vector<std::string> arrays_;
  Boundaries boundaries_;
  std::optional<Index3> points_; ///< of all ranks
};

class SweepsOnArrays {
public:
  using Arrays = SweptArrays;
  using Describe = DescribeSweeps;
  using Field = SweptField;
  using Maker = SweepsMaker;

  /// `part` is what `field` says of the arrays; the queue must outlive it. Throws as Sweeps does.
  /// Collective.
  SweepsOnArrays(Queue& queue, const Field& field, const Maker& maker, const Arrays& given,
                 const RankPart& part, const std::string& schedule);

  /// Begins again from arrays like those before.
  void begin(const Arrays& given);
  void run(Index steps) { sweeps_->run(steps); }
  /// Copies the time levels to their arrays, in queue order.
  void give_back(const Arrays& given);
  /// The record of a launch, under its schedule, not timed.
  [[nodiscard]] Record record() const;
  /// Sweeps of a launch.
  [[nodiscard]] Index sweeps_at_once() const;

private:
  /// The arrays as sweeps take them: of those that are fp32 beside arrays of 16 bits the halves of
  /// their numbers, as they are now.
  [[nodiscard]] std::vector<GivenArray> taken(const Arrays& given);

  Queue& queue_;
  Field field_;
  int levels_;
  std::vector<Memory> halves_; ///< of arrays that are fp32 beside others
  std::unique_ptr<Sweeps> sweeps_;
};

} // namespace ridge::stencil
