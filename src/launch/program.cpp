#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
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
  if ((held == 0) == !facts_of(device).takes_gpu_schedules) return;
  throw UsageError(fmt::format("the schedule '{}' is not one for {}", schedule_text,
                               ridge::to_text(device.id())));
}

Bound launch::bind_ahead(Queue& queue, const std::type_info& call_type, const void* call,
                         const void* schedule) {
  AnyFunction const found = find_offer(queue.device().kind(), call_type);
  return found == nullptr ? Bound() : reinterpret_cast<Bind*>(found)(queue, call, schedule);
}

Program::Launched::Launched(const Device& on, std::string_view name) : device(on), kernel(name) {}
Program::Launched::~Launched() = default;

Program::Program(Program&& other) noexcept = default;
Program& Program::operator=(Program&& other) noexcept = default;
Program::~Program() = default;

/// With what is compiled ahead, else on demand.
Program::Program(Queue& queue, const Unbound& made) : queue_(&queue), launched_(made.launched) {
  if (Bound bound = launch::bind_ahead(queue, made.call_type, made.call, made.schedule)) {
    binding_ = {std::move(bound), launch::Origin::ahead};
    return;
  }
  if (ahead_only) {
    std::optional<launch::Demand> wanted;
    try {
      wanted = launched_->demand();
    } catch (const UsageError&) { // nobody said where its source is
    }
    throw launch::NotAhead(std::move(wanted));
  }
  binding_ =
      launch::bind_on_demand(queue, made.call_type, made.call, made.schedule, launched_->demand());
}

Program::Program(Queue& queue, Bound bound, std::function<Record()> describe) : queue_(&queue) {
  struct Described final : Launched {
    Described(const Device& on, std::function<Record()> f)
        : Launched(on, {}), describe(std::move(f)) {}
    [[nodiscard]] Record record() const override { return describe(); }
    [[nodiscard]] launch::Demand demand() const override { return {}; }
    std::function<Record()> describe;
  };
  launched_ = std::make_unique<Described>(queue.device(), std::move(describe));
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
