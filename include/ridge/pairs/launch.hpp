// Summing over pairs from host code: what the pattern says of its calls (ridge::Pattern).
#pragma once

#include <ridge/launch/operands.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/pairs/call.hpp>
#include <ridge/pairs/schedule.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ridge::pairs {

namespace detail {
/// Throws UsageError unless each list has spans of one size, none of them empty.
void check_sizes(const std::vector<Index>& targets, const std::vector<Index>& sources,
                 const std::vector<Index>& sums, bool skip_self);
/// Throws UsageError when a sum overlaps a target, a source or another sum, or an address is no
/// multiple of its numbers' size.
void check_memory(const std::vector<launch::Operand>& targets,
                  const std::vector<launch::Operand>& sources,
                  const std::vector<launch::Operand>& sums);

template <class Spans>
std::vector<launch::Operand> operands_of(const Spans& spans) {
  std::vector<launch::Operand> operands;
  for (const auto& span : spans)
    operands.push_back(launch::operand(span));
  return operands;
}

template <class Spans>
std::vector<Index> sizes_of(const Spans& spans) {
  std::vector<Index> sizes;
  for (const auto& span : spans)
    sizes.push_back(span.size);
  return sizes;
}

/// The #define that names the variant a schedule needs.
[[nodiscard]] std::string variant_definition(const Schedule& schedule);

/// How the variant of an interaction, as C++ text, is compiled alone for the device; nothing where
/// it cannot be.
[[nodiscard]] std::optional<launch::ImageDemand>
image_demand(const Device& device, const Schedule& schedule, const std::string& interaction,
             const std::string& precision, std::size_t call_bytes);

[[nodiscard]] launch::Demand demand(const Device& device, const Schedule& schedule,
                                    const launch::CallTypes& types);
} // namespace detail

template <class I, class P>
[[nodiscard]] Bodies bodies_of(const Call<I, P>& call) {
  const Index targets = call.targets[0].size;
  const Index sources = call.sources[0].size;
  return {targets, sources, call.skip_self && targets == sources};
}

/// The record of a launch before it is timed.
[[nodiscard]] Record record_of(const Device& device, const Traits& traits, const Bodies& bodies,
                               const Schedule& schedule, std::string_view kernel);

} // namespace ridge::pairs

template <class I, class P>
struct ridge::Pattern<ridge::pairs::Call<I, P>> {
  using Call = pairs::Call<I, P>;
  using Schedule = pairs::Schedule;

  [[nodiscard]] static Schedule default_schedule(const Device& device, const Call& call) {
    return pairs::default_schedule(device, pairs::traits_of<I, P>(), pairs::bodies_of(call));
  }

  /// Throws UsageError when the spans do not fit each other, or a sum overlaps another span.
  Pattern(Queue& /*queue*/, const Call& call, const Schedule& /*schedule*/) : call_(call) {
    pairs::detail::check_sizes(pairs::detail::sizes_of(call.targets),
                               pairs::detail::sizes_of(call.sources),
                               pairs::detail::sizes_of(call.sums), call.skip_self);
    pairs::detail::check_memory(pairs::detail::operands_of(call.targets),
                                pairs::detail::operands_of(call.sources),
                                pairs::detail::operands_of(call.sums));
  }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Record record(const Device& device, const Schedule& schedule,
                              std::string_view kernel) const {
    return pairs::record_of(device, pairs::traits_of<I, P>(), pairs::bodies_of(call_), schedule,
                            kernel);
  }
  [[nodiscard]] launch::Demand demand(const Device& device, const Schedule& schedule) const {
    return pairs::detail::demand(device, schedule, launch::call_types<Call, I, P>());
  }

private:
  Call call_;
};

namespace ridge::pairs {

/// Computes the sums under `schedule` once, in queue order; returns the launch's record, untimed.
/// For what is launched often, keep a ridge::Program.
template <class I, class P>
Record launch(Queue& queue, const Call<I, P>& call, const Schedule& schedule,
              std::string_view kernel = "user") {
  return ridge::launch::once(queue, call, schedule, kernel);
}

/// The same under the default schedule.
template <class I, class P>
Record launch(Queue& queue, const Call<I, P>& call, std::string_view kernel = "user") {
  return ridge::launch::once(queue, call,
                             Pattern<Call<I, P>>::default_schedule(queue.device(), call), kernel);
}

} // namespace ridge::pairs
