#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/pattern/storage.hpp>
#include <ridge/stencil/sweeps_on_arrays.hpp>

#include "../core/refuse.hpp"

#include <algorithm>

namespace ridge::stencil {

namespace {

/// Calls f with a number of the arrays' type.
template <class F>
void by_type(const SweptArrays& given, const F& f) {
  if (given.storage.name == "fp16") {
    f(Fp16{});
  } else if (given.storage.name == "bf16") {
    f(Bf16{});
  } else if (given.all.front().element_bytes == 4) {
    f(float{});
  } else {
    f(double{});
  }
}

bool is_wide(const SweptArrays& given, std::size_t i) {
  return (given.storage.wide >> i & 1U) != 0;
}

} // namespace

SweptField::SweptField(std::string kernel, std::vector<std::string> arrays,
                       const std::string& boundary, const std::array<double, 3>& spacing,
                       const std::vector<Index>& points)
    : kernel_(std::move(kernel)), arrays_(std::move(arrays)),
      boundaries_(parse_boundaries(boundary)) {
  boundaries_.spacing = {spacing[0], spacing[1], spacing[2]};
  if (!points.empty()) points_ = Extents(points.data(), static_cast<int>(points.size())).xyz();
  for (const auto& axis : boundaries_.faces) {
    for (const Condition& c : axis) {
      refuse_if(!c.field.empty(),
                "{}: the boundary dirichlet:{} names a file, which `ridge evolve` reads; here a "
                "number is right",
                kernel_, c.field);
    }
  }
}

comm::Communicator& SweptField::ranks() const {
  static const auto this_process = comm::alone();
  return points_ ? comm::world() : *this_process;
}

RankPart SweptField::part(const SweepsMaker& maker, Index3 points) const {
  return {ranks(), points_.value_or(points), maker.traits, boundaries_};
}

RankPart SweptField::part_of(const SweepsMaker& maker, const SweptArrays& given) const {
  check_shapes(kernel_, arrays_, given.all, 3, true);
  // Time levels are written at the end.
  check_memory(kernel_, arrays_, given.all, {0, static_cast<std::size_t>(maker.levels)}, false);
  for (std::size_t i = 0; i < given.all.size(); ++i) {
    if (is_wide(given, i)) require_at_point(maker.traits, i, arrays_[i], kernel_);
  }
  const GivenArray& array = given.all.front();
  RankPart place = part(maker, view_of<char>(array).extents);
  const Index3 owns = place.owned().extents();
  if (view_of<char>(array).extents == owns) return place;
  const auto text = [&](Index3 n) {
    const Index extents[3] = {n.x, n.y, n.z};
    return shape_text(extents, std::min(array.rank, 3), ShapeOrder::x_last);
  };
  throw UsageError(kernel_ + ": an array of shape " + shape_text(array, ShapeOrder::x_last) +
                   "; rank " + std::to_string(ranks().rank()) + " of " +
                   std::to_string(ranks().ranks()) + " owns " + text(owns) + " of " +
                   text(place.grid().points()));
}

SweepsOnArrays::SweepsOnArrays(Queue& queue, const Field& field, const Maker& maker,
                               const Arrays& given, const RankPart& part,
                               const std::string& schedule)
    : queue_(queue), field_(field), levels_(maker.levels) {
  const std::vector<GivenArray> arrays = taken(given);
  sweeps_ = maker.make(queue, Arguments{field_.kernel(), arrays, given.numbers}, given.storage,
                       part, schedule);
}

std::vector<GivenArray> SweepsOnArrays::taken(const Arrays& given) {
  std::vector<GivenArray> all(given.all.begin(), given.all.end());
  std::vector<GivenArray> low;
  std::size_t next = 0;
  for (std::size_t i = 0; i < given.all.size(); ++i) {
    if (!is_wide(given, i)) continue;
    const View<const float> numbers = view_of<const float>(all[i]);
    const Index3 n = numbers.extents;
    const auto half = [&] {
      if (next == halves_.size()) {
        halves_.emplace_back(queue_.device(),
                             Bytes{n.x * n.y * n.z * static_cast<Index>(sizeof(Fp16))},
                             "the halves of " + field_.array(i));
      }
      GivenArray packed = all[i];
      packed.element_bytes = sizeof(Fp16);
      packed.data = halves_[next++].data();
      Index stride = 1;
      for (int d = 0; d < packed.rank; ++d) {
        packed.strides[static_cast<std::size_t>(d)] = stride;
        stride *= packed.extents[static_cast<std::size_t>(d)];
      }
      return packed;
    };
    const GivenArray high = half();
    low.push_back(half());
    split_numbers(queue_, numbers, high.data, low.back().data);
    all[i] = high;
  }
  all.insert(all.end(), low.begin(), low.end());
  return all;
}

void SweepsOnArrays::begin(const Arrays& given) {
  const std::vector<GivenArray> arrays = taken(given);
  const Arguments arguments{field_.kernel(), arrays, given.numbers};
  by_type(given, [&]<class T>(T /*type*/) { sweeps_->restart(fields_of<T>(arguments)); });
}

void SweepsOnArrays::give_back(const Arrays& given) {
  by_type(given, [&]<class T>(T /*type*/) {
    for (int level = 0; level < levels_; ++level)
      sweeps_->read(level, view_of<T>(given.all[static_cast<std::size_t>(level)]));
  });
}

Record SweepsOnArrays::record() const {
  Record record = sweeps_->record();
  record.schedule = to_text(sweeps_->schedule());
  return record;
}

Index SweepsOnArrays::sweeps_at_once() const {
  const auto& pass = sweeps_->schedule().pass;
  return pass ? sweeps_of(*pass) : 1;
}

} // namespace ridge::stencil
