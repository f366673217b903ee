// The case of a call: what is common to those of all patterns. A pattern fills `Reference` for its
// calls, in its own folder.
#pragma once

#include <ridge/core/made.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/pattern/case.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ridge {

/// Memory that a launch writes, the gaps between its numbers included.
struct Output {
  void* data;
  Bytes size;
};

/// What launches of a call should give, and their limit:
///
///   std::vector<Output> outputs(const Call&) const;
///   Check check(Queue&, const Call&);  waits; the outputs held bytes `poison_of_outputs` before
///   Limit limit(Queue&, const Call&) const;
///
/// and where there is something to say
///
///   Span<const double> results(const Call&) const;  what a launch reduces, on the device
///   void complete(Queue&, const Call&, Record&, const AskedSchedule&);  as Case::complete
///   Program bind(Queue&, const Call&, const AskedSchedule&, const std::string& name);
///       for launches that are more than one of Pattern<Call>
///
/// `subject_of(call, name)` and `menu_of(call, place)` lie beside the call.
template <class Call>
class Reference;

/// The bytes of outputs before a launch that is checked.
inline constexpr unsigned char poison_of_outputs = 0xff;

/// Results of a launch, after it.
[[nodiscard]] std::vector<double> results_on_host(Queue& queue, const Span<const double>& there);

template <class Call>
class CallCase : public Case {
public:
  /// `memory` is what the call refers to, the queue included, where nobody else keeps it.
  CallCase(std::string name, Queue& queue, Call call, Reference<Call> reference = {},
           std::shared_ptr<const void> memory = {})
      : memory_(std::move(memory)), name_(std::move(name)), queue_(queue), call_(std::move(call)),
        reference_(std::move(reference)) {}

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override { return subject_of(call_, name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    if constexpr (requires { reference_.bind(queue_, call_, s, name_); }) {
      return reference_.bind(queue_, call_, s, name_);
    } else {
      return {queue_, call_, held<typename Pattern<Call>::Schedule>(s), name_};
    }
  }
  void poison() override {
    for (const Output& output : reference_.outputs(call_))
      fill_bytes(queue_, output.data, poison_of_outputs, output.size);
  }
  [[nodiscard]] Check check() override { return reference_.check(queue_, call_); }
  [[nodiscard]] Limit limit() const override { return reference_.limit(queue_, call_); }
  [[nodiscard]] std::vector<double> results() override {
    return results_on_host(queue_, results_on_device());
  }
  [[nodiscard]] Span<const double> results_on_device() const override {
    if constexpr (requires { reference_.results(call_); }) return reference_.results(call_);
    return {};
  }
  void complete(Record& record, const AskedSchedule& s) override {
    if constexpr (requires { reference_.complete(queue_, call_, record, s); })
      reference_.complete(queue_, call_, record, s);
  }

protected:
  std::shared_ptr<const void> memory_;
  std::string name_;
  Queue& queue_;
  Call call_;
  Reference<Call> reference_;
};

template <class Call>
[[nodiscard]] std::unique_ptr<Case> case_of(std::string name, Queue& queue, Call call,
                                            Reference<Call> reference = {},
                                            std::shared_ptr<const void> memory = {}) {
  return made_as<CallCase<Call>, Case>(std::move(name), queue, std::move(call),
                                       std::move(reference), std::move(memory));
}

} // namespace ridge
