// What descriptions of stencils that Python runs many sweeps of are compiled from.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/python/arguments.hpp>
#include <ridge/stencil/sweeps.hpp>

namespace ridge::python {

/// How sweeps of a kernel are made.
struct SweepsMaker {
  int levels = 1; ///< of the inputs, the first ones: what a sweep gives new values
  stencil::Traits traits;
  /// Copies the arrays, one an input, each the points of `place` that this rank owns. Throws
  /// UsageError as stencil::Sweeps does. Collective.
  std::unique_ptr<stencil::Sweeps> (*make)(Queue& queue, const Arguments& arguments,
                                           const stencil::RankPart& place,
                                           const std::string& schedule) = nullptr;
};
/// What a description offers, by the type of this function.
using DescribeSweeps = SweepsMaker();

template <class T>
[[nodiscard]] std::vector<View<const T>> fields_of(const Arguments& arguments) {
  std::vector<View<const T>> fields;
  for (const Array& a : arguments.arrays)
    fields.push_back(view_of<const T>(a));
  return fields;
}

template <class K, class T>
[[nodiscard]] std::unique_ptr<stencil::Sweeps>
sweeps_of(Queue& queue, const K& kernel, const Arguments& arguments, const stencil::RankPart& place,
          const std::string& schedule) {
  const auto fields = fields_of<T>(arguments);
  if (static_cast<int>(fields.size()) != stencil::inputs_of<K>) {
    throw UsageError(arguments.kernel + " takes " + std::to_string(stencil::inputs_of<K>) +
                     " arrays, not " + std::to_string(fields.size()));
  }
  const stencil::Traits traits = stencil::traits_of<K, T>();
  const Index3 points = place.grid().points();
  const stencil::Boundaries& around = place.boundaries_of_all();
  const int ranks = place.communicator().ranks();
  const auto whole = stencil::parse_sweeps(schedule, queue.device(), traits, around, points, ranks);
  // Halos are as deep as the schedule has sweeps in one pass.
  const stencil::RankPart part(place.communicator(), points, traits, around,
                               whole.pass ? stencil::sweeps_of(*whole.pass) : 1,
                               place.grid().ranks());
  const auto laid = stencil::parse_sweeps(schedule, queue.device(), traits, part.boundaries(),
                                          part.held().extents(), ranks);
  return std::make_unique<stencil::Sweeps>(queue, kernel, fields, part, laid, arguments.kernel);
}

/// `file` is where K's source is.
template <class K>
[[nodiscard]] std::unique_ptr<stencil::Sweeps>
make_sweeps(Queue& queue, const K& kernel, const Arguments& arguments,
            const stencil::RankPart& place, const std::string& schedule, const std::string& file) {
  know_source(typeid(stencil::Call<K, float>), file, "");
  know_source(typeid(stencil::Call<K, double>), file, "");
  return arguments.arrays.front().element_bytes == 4
             ? sweeps_of<K, float>(queue, kernel, arguments, place, schedule)
             : sweeps_of<K, double>(queue, kernel, arguments, place, schedule);
}

} // namespace ridge::python
