// A summation on a device beside its reference.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/pairs/check.hpp>
#include <ridge/pairs/launch.hpp>
#include <ridge/pairs/random_bodies.hpp>

#include <string>
#include <vector>

namespace ridge::pairs::test {

/// Device memory for host bodies, rounded to the stored precision.
template <int N, class P>
class OnDevice {
public:
  using T = typename P::Stored;
  OnDevice(Queue& queue, HostBodies<N>& host) {
    for (int c = 0; c < N; ++c) {
      const std::vector<T> values(host[c].begin(), host[c].end());
      host[c].assign(values.begin(), values.end()); // what the device really has
      fields_.emplace_back(queue.device(), Extents{static_cast<Index>(values.size())});
      copy_to_device(queue, fields_.back().data(), values.data(),
                     static_cast<Index>(values.size()));
      queue.wait();
    }
  }
  [[nodiscard]] std::array<Span<const T>, N> spans() const {
    std::array<Span<const T>, N> all;
    for (int c = 0; c < N; ++c)
      all[c] = fields_[c].elements();
    return all;
  }

private:
  std::vector<Field<T>> fields_;
};

/// An interaction, its bodies on a device, and room for the sums with guards around.
template <class I, class P>
class Case {
public:
  using Summed = typename P::Summed;
  static constexpr Index guard = 64;

  /// Two sets.
  Case(const Device& device, const I& interaction, HostBodies<I::targets> targets,
       HostBodies<I::sources> sources)
      : queue(device), targets_(std::move(targets)), sources_(std::move(sources)),
        target_fields_(queue, targets_), source_fields_(queue, sources_),
        call{interaction, target_fields_.spans(), source_fields_.spans(), {}, false} {
    make_room();
  }
  /// One set, among themselves.
  Case(const Device& device, const I& interaction, HostBodies<I::sources> bodies)
      : Case(device, interaction, first_components(bodies), bodies) {
    call = among_themselves<I, P>(interaction, source_fields_.spans(), call.sums);
  }

  /// What is wrong with the sums under `schedule`; empty when nothing is.
  std::string wrong_under(const Schedule& schedule) {
    poison();
    (void)launch(queue, call, schedule);
    return wrong();
  }
  /// The same of the sums that are there.
  std::string wrong() {
    const Check check = check_sums(queue, call, targets_, sources_);
    if (!check.ok) return check.message;
    return guards_hold() ? "" : "values beside the sums were written";
  }
  std::vector<std::vector<Summed>> sums_under(const Schedule& schedule) {
    poison();
    (void)launch(queue, call, schedule);
    return sums();
  }
  std::vector<std::vector<Summed>> sums() {
    std::vector<std::vector<Summed>> all;
    for (const auto& sum : call.sums) {
      all.emplace_back(static_cast<std::size_t>(sum.size));
      copy_to_host(queue, all.back().data(), static_cast<const Summed*>(sum.data), sum.size);
    }
    queue.wait();
    return all;
  }
  void poison() {
    for (const auto& room : rooms_)
      fill_bytes(queue, room.data(), 0xff,
                 Bytes{room.count() * static_cast<Index>(sizeof(Summed))});
  }
  [[nodiscard]] Bodies bodies() const { return bodies_of(call); }
  /// Those schedules of the space that the interaction is compiled for ahead.
  [[nodiscard]] std::vector<Schedule> space() {
    std::vector<Schedule> ahead = schedule_space(queue.device(), traits_of<I, P>(), bodies());
    std::erase_if(ahead, [&](const Schedule& s) { return !is_ahead(s); });
    return ahead;
  }
  [[nodiscard]] bool is_ahead(const Schedule& s) {
    auto* const bind =
        reinterpret_cast<launch::Bind*>(require_offer(queue.device().kind(), typeid(call)));
    return std::visit(
        [&](const auto& held) { return static_cast<bool>(bind(queue, &call, &held)); }, s);
  }

  Queue queue;

private:
  HostBodies<I::targets> targets_;
  HostBodies<I::sources> sources_;
  OnDevice<I::targets, P> target_fields_;
  OnDevice<I::sources, P> source_fields_;
  std::vector<Field<Summed>> rooms_;

  static HostBodies<I::targets> first_components(const HostBodies<I::sources>& bodies) {
    HostBodies<I::targets> first;
    for (int c = 0; c < I::targets; ++c)
      first[c] = bodies[c];
    return first;
  }
  void make_room() {
    for (int c = 0; c < I::sums; ++c) {
      rooms_.emplace_back(queue.device(), Extents{call.targets[0].size + 2 * guard});
      call.sums[c] = {rooms_.back().data() + guard, call.targets[0].size};
    }
  }
  bool guards_hold() {
    for (const auto& room : rooms_) {
      std::vector<Summed> values(static_cast<std::size_t>(room.count()));
      copy_to_host(queue, values.data(), static_cast<const Summed*>(room.data()), room.count());
      queue.wait();
      for (Index i = 0; i < guard; ++i) {
        const auto behind = static_cast<std::size_t>(room.count() - 1 - i);
        if (!std::isnan(values[static_cast<std::size_t>(i)]) || !std::isnan(values[behind])) {
          return false;
        }
      }
    }
    return true;
  }

public:
  Call<I, P> call;
};

} // namespace ridge::pairs::test
