// Many sweeps of a stencil over fields with boundaries.
//
//   ridge::Queue queue(ridge::Device("cuda:0"));
//   ridge::stencil::Boundaries walls =
//   ridge::stencil::parse_boundaries("x=periodic,y=dirichlet:0"); ridge::stencil::Sweeps
//   sweeps(queue, Heat{0.1}, {u.view()}, walls); sweeps.run(10000); sweeps.read(0, u.view());
//
// A kernel that evolves gives the next value of its first input. One of `levels` time levels,
// `static constexpr int levels = 2;` for the wave equation, takes the newest first, then the one
// before; what inputs follow are coefficients, which stay. A sweep computes every point that no
// boundary fixes from the fields as they were after the sweep before.
#pragma once

#include <ridge/stencil/sweeps_of.hpp>
#include <ridge/stencil/sweeps_schedule.hpp>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ridge::stencil {

class Sweeps {
public:
  /// Copies the fields, one an input of the kernel, to memory of its own; `queue` must outlive
  /// this. Points of untouched faces keep the values of the first field. Throws UsageError for
  /// fields of different extents, boundaries that do not fit, or a schedule that is not for the
  /// device.
  template <class K, class T>
  Sweeps(Queue& queue, const K& kernel, const std::vector<View<T>>& fields,
         const Boundaries& boundaries, const std::optional<SweepsSchedule>& schedule = {},
         std::string_view name = "user")
      : Sweeps(queue, kernel, fields,
               detail::SweepsPlace(fields.empty() ? Index3{} : fields.front().extents, boundaries),
               schedule, name) {}
  template <class K, class T>
  Sweeps(Queue& queue, const K& kernel, std::initializer_list<View<T>> fields,
         const Boundaries& boundaries, const std::optional<SweepsSchedule>& schedule = {},
         std::string_view name = "user")
      : Sweeps(queue, kernel, std::vector<View<T>>(fields), boundaries, schedule, name) {}

  /// Sweeps over ranks: the fields are what this one owns. Halos are exchanged as sweeps go on,
  /// while what needs none of them is computed. Collective, like run() and restart().
  template <class K, class T>
  Sweeps(Queue& queue, const K& kernel, const std::vector<View<T>>& fields, const RankPart& part,
         const std::optional<SweepsSchedule>& schedule = {}, std::string_view name = "user")
      : Sweeps(queue, kernel, fields, detail::SweepsPlace(part), schedule, name) {}

  /// Sweeps of a kernel whose type is put away.
  template <class T>
  Sweeps(Queue& queue, std::shared_ptr<const SweptKernel<T>> kernel,
         const std::vector<View<const T>>& fields, const RankPart& part,
         const std::optional<SweepsSchedule>& schedule = {}, std::string_view name = "user")
      : body_(detail::make_sweeps<T>(queue, std::move(kernel), fields, detail::SweepsPlace(part),
                                     schedule, name)) {}

  /// Gives so many sweeps to the queue.
  void run(Index steps) { body_->run(steps); }
  /// Sweeps since the start.
  [[nodiscard]] Index steps() const { return body_->steps(); }

  /// Copies input `input` as it is now, in queue order, to a view of the fields' extents on the
  /// device. Throws UsageError for another type or other extents.
  template <class T>
  void read(int input, const View<T>& to) {
    detail::typed<T>(*body_).read(input, to);
  }
  /// The newest level without a copy, until the next run(): of the fields' extents, rows not
  /// packed.
  template <class T>
  [[nodiscard]] View<const T> view(int input) {
    return detail::typed<T>(*body_).view(input);
  }
  /// Begins again, at step 0, from these fields.
  template <class T>
  void restart(const std::vector<View<const T>>& fields) {
    detail::typed<T>(*body_).load(fields);
  }

  /// The record of one sweep, or of one pass where the schedule has several sweeps in one: what it
  /// must at least do, on all ranks together. Not timed.
  [[nodiscard]] Record record() const { return body_->record(); }
  [[nodiscard]] const SweepsSchedule& schedule() const { return body_->schedule(); }
  /// Passes over memory that so many steps take.
  [[nodiscard]] Index passes(Index steps) const { return body_->passes(steps); }

private:
  template <class K, class T>
  Sweeps(Queue& queue, const K& kernel, const std::vector<View<T>>& fields,
         const detail::SweepsPlace& place, const std::optional<SweepsSchedule>& schedule,
         std::string_view name)
      : body_(detail::make_sweeps<std::remove_const_t<T>>(
            queue, swept<std::remove_const_t<T>>(kernel),
            std::vector<View<const std::remove_const_t<T>>>(fields.begin(), fields.end()), place,
            schedule, name)) {}

  std::unique_ptr<detail::AnySweeps> body_;
};

} // namespace ridge::stencil
