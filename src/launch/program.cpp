#include <ridge/core/error.hpp>
#include <ridge/launch/offer.hpp>
#include <ridge/launch/program.hpp>

#include <fmt/format.h>

#include <utility>

namespace ridge {

namespace {
thread_local bool ahead_only = false;
}

launch::AheadOnly::AheadOnly() : before_(std::exchange(ahead_only, true)) {}
launch::AheadOnly::~AheadOnly() {
  ahead_only = before_;
}

const char* launch::to_text(Origin origin) {
  switch (origin) {
  case Origin::ahead:
    return "ahead";
  case Origin::compiled:
    return "now";
  case Origin::cached:
    return "cached";
  }
  return "";
}

void launch::check_kind(const Device& device, std::size_t held, const std::string& schedule_text) {
  if ((held == 0) == (device.kind() == DeviceKind::cpu)) return;
  throw UsageError(fmt::format("the schedule '{}' is not one for {}", schedule_text,
                               ridge::to_text(device.id())));
}

Bound launch::bind_ahead(Queue& queue, const std::type_info& call_type, const void* call,
                         const void* schedule) {
  AnyFunction const found = find_offer(queue.device().kind(), call_type);
  return found == nullptr ? Bound() : reinterpret_cast<Bind*>(found)(queue, call, schedule);
}

launch::Binding launch::bind(Queue& queue, const std::type_info& call_type, const void* call,
                             const void* schedule, const std::function<Demand()>& demand) {
  if (Bound bound = bind_ahead(queue, call_type, call, schedule))
    return {std::move(bound), Origin::ahead};
  if (ahead_only) {
    std::optional<Demand> wanted;
    try {
      wanted = demand();
    } catch (const UsageError&) { // nobody said where its source is
    }
    throw NotAhead(std::move(wanted));
  }
  return bind_on_demand(queue, call_type, call, schedule, demand());
}

Program::Program(Queue& queue, Bound bound, std::function<Record()> describe) : queue_(&queue) {
  struct Described final : Launched {
    explicit Described(std::function<Record()> f) : describe(std::move(f)) {}
    [[nodiscard]] Record record() const override { return describe(); }
    std::function<Record()> describe;
  };
  launched_ = std::make_unique<Described>(std::move(describe));
  binding_.bound = std::move(bound);
}

Record Program::record() const {
  Record record = launched_->record();
  record.compiled = launch::to_text(binding_.origin);
  const KernelResources& takes = binding_.bound.takes();
  if (takes.registers > 0) {
    record.details.push_back({"registers", static_cast<double>(takes.registers), {}});
    record.details.push_back({"local_bytes", static_cast<double>(takes.local_bytes), {}});
  }
  return record;
}

} // namespace ridge
