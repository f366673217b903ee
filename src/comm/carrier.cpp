#include <ridge/comm/carrier.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/kind.hpp>

#include "nccl.hpp"
#include "peer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace ridge::comm {

namespace {

/// Names the GPU of a machine, also where each rank sees GPUs of its own only.
std::string physical(const DeviceId& id) {
  std::string visible;
  for (const char* const variable :
       {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) {
    const char* const text = std::getenv(variable);
    if (text != nullptr) visible = text;
  }
  std::size_t at = 0;
  for (int i = 0; i < id.number && at != std::string::npos; ++i) {
    at = visible.find(',', at);
    if (at != std::string::npos) ++at;
  }
  std::string one = std::to_string(id.number);
  if (!visible.empty() && at != std::string::npos)
    one = visible.substr(at, visible.find(',', at) - at);
  char host[256] = "";
  (void)gethostname(host, sizeof(host) - 1);
  return std::string(host) + " " + one;
}

std::size_t bytes_of(const std::vector<Message>& messages) {
  std::size_t all = 0;
  for (const Message& m : messages)
    all += static_cast<std::size_t>(m.size.value);
  return all;
}

/// Through memory of the host: sent when the copies to the host have ended, at the latest in
/// finish, where the host waits for them anyway.
class Staged final : public BoundMessages {
public:
  Staged(const Endpoint& at, std::vector<Message> sends, std::vector<Message> receives)
      : queue_(at.queue), sends_(std::move(sends)), receives_(std::move(receives)),
        out_(queue_.device(), Bytes{static_cast<Index>(bytes_of(sends_))}, "messages to send",
             Memory::Place::staging),
        in_(queue_.device(), Bytes{static_cast<Index>(bytes_of(receives_))}, "messages to receive",
            Memory::Place::staging),
        transfer_(at.ranks.bind(on_host(sends_, out_), on_host(receives_, in_))) {}

  void begin() override {
    auto* at = static_cast<char*>(out_.data());
    for (const Message& m : sends_) {
      copy_bytes_to_host(queue_, at, m.data, m.size);
      at += m.size.value;
    }
  }
  void finish() override {
    queue_.wait();
    transfer_->begin();
    transfer_->finish();
    const auto* at = static_cast<const char*>(in_.data());
    for (const Message& m : receives_) {
      copy_bytes_to_device(queue_, m.data, at, m.size);
      at += m.size.value;
    }
  }

private:
  static std::vector<Message> on_host(std::vector<Message> messages, const Memory& memory) {
    auto* at = static_cast<char*>(memory.data());
    for (Message& m : messages) {
      m.data = at;
      at += m.size.value;
    }
    return messages;
  }
  Queue& queue_;
  std::vector<Message> sends_, receives_;
  Memory out_, in_;
  std::unique_ptr<BoundMessages> transfer_;
};

/// Device memory that the host may read and write: queues have done what they were given.
class Direct final : public BoundMessages {
public:
  Direct(Queue& queue, std::unique_ptr<BoundMessages> transfer)
      : queue_(queue), transfer_(std::move(transfer)) {}
  void begin() override {
    queue_.wait();
    transfer_->begin();
  }
  void advance() override { transfer_->advance(); }
  void finish() override { transfer_->finish(); }

private:
  Queue& queue_;
  std::unique_ptr<BoundMessages> transfer_;
};

/// Of rank 0's environment, so that all ranks try the same.
Carrier first_to_try(Communicator& communicator) {
  const char* const text = std::getenv("RIDGE_CARRIER");
  const std::string wanted = text != nullptr ? text : "";
  Carrier carrier = Carrier::peer;
  bool known = wanted.empty();
  for (const Carrier one : {Carrier::peer, Carrier::nccl, Carrier::staged}) {
    if (wanted != to_text(one)) continue;
    carrier = one;
    known = true;
  }
  if (!known) throw UsageError("RIDGE_CARRIER is peer, nccl or staged, not '" + wanted + "'");
  return communicator.from(0, carrier);
}

} // namespace

const char* to_text(Carrier carrier) {
  switch (carrier) {
  case Carrier::peer:
    return "peer";
  case Carrier::nccl:
    return "nccl";
  case Carrier::staged:
    return "staged";
  case Carrier::host:
    break;
  }
  return "host";
}

Carrier choose_carrier(Communicator& communicator, const Device& device, std::string* reason) {
  if (reason != nullptr) reason->clear();
  const auto kinds = communicator.gather(device.kind());
  for (std::size_t r = 0; r < kinds.size(); ++r) {
    if (kinds[r] == kinds[0]) continue;
    throw UsageError("rank " + std::to_string(r) + " has a device of another kind than rank 0: " +
                     "ranks work in step, so all take the cpu or all a GPU of one kind; give " +
                     "--device");
  }
  if (!device.is_gpu()) return Carrier::host;
  if (communicator.ranks() == 1) return Carrier::staged; // nothing to send, but along periodic axes
  const Carrier first = first_to_try(communicator);
  std::string why = first == Carrier::staged ? "RIDGE_CARRIER=staged" : "";
  std::set<std::string> claimed;
  const auto places = communicator.gather_text(physical(device.id()));
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (claimed.insert(places[r]).second) continue;
    const auto same = std::find(places.begin(), places.end(), places[r]) - places.begin();
    why = "ranks " + std::to_string(same) + " and " + std::to_string(r) + " share one GPU";
    break;
  }
  if (why.empty() && first == Carrier::peer && why_no_peer(communicator, device).empty())
    return Carrier::peer;
  if (why.empty()) why = why_no_nccl(device.kind());
  // One rank that lacks it keeps all from using it.
  for (const std::string& other : communicator.gather_text(why)) {
    if (!other.empty()) {
      if (reason != nullptr) *reason = other;
      return Carrier::staged;
    }
  }
  return Carrier::nccl;
}

std::unique_ptr<BoundMessages> bind_on_device(const Endpoint& at, std::vector<Message> sends,
                                              std::vector<Message> receives) {
  switch (at.carrier) {
  case Carrier::peer:
    return bind_peer(at, sends, receives);
  case Carrier::nccl:
    return bind_nccl(at, std::move(sends), std::move(receives));
  case Carrier::staged:
    return std::make_unique<Staged>(at, std::move(sends), std::move(receives));
  case Carrier::host:
    break;
  }
  return std::make_unique<Direct>(at.queue, at.ranks.bind(std::move(sends), std::move(receives)));
}

Device device_of_rank(const Communicator& communicator, const std::string& name) {
  if (name == "cpu" || name.find(':') != std::string::npos) return Device(parse_device(name));
  std::vector<DeviceId> gpus;
  for (const DeviceId& id : list_devices()) {
    const bool meant = name == "auto" || to_text(id).starts_with(name + ":");
    if (facts_of(id.kind).is_gpu() && meant) gpus.push_back(id);
  }
  if (!gpus.empty())
    return Device(gpus[static_cast<std::size_t>(communicator.local_rank()) % gpus.size()]);
  return Device(name == "auto" ? best_device() : parse_device(name));
}

} // namespace ridge::comm
