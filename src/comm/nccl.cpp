#include "nccl.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ridge::comm {

namespace {

// What is used of nccl.h, which is the same in NCCL and RCCL: the library is opened at run time and
// need not be here when this is compiled.
struct UniqueId {
  char bytes[128];
};
using NativeComm = void*;
constexpr int bytes_type = 0; // ncclInt8

struct Functions {
  std::string problem;
  int (*get_unique_id)(UniqueId*) = nullptr;
  int (*init_rank)(NativeComm*, int, UniqueId, int) = nullptr;
  int (*send)(const void*, std::size_t, int, int, NativeComm, void*) = nullptr;
  int (*receive)(void*, std::size_t, int, int, NativeComm, void*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  const char* (*error_text)(int) = nullptr;

  void check(int status, const char* what) const {
    if (status == 0) return;
    throw Failure(std::string("NCCL failed ") + what + ": " + error_text(status));
  }
};

Functions open_library(KindFacts::Names names) {
  Functions f;
  void* library = nullptr;
  for (const char* const name : names) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    f.problem = std::string("no ") + names.front() + " here";
    return f;
  }
  const auto find = [&](auto& function, const char* symbol) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr) f.problem = std::string(names.front()) + " has no " + symbol;
  };
  find(f.get_unique_id, "ncclGetUniqueId");
  find(f.init_rank, "ncclCommInitRank");
  find(f.send, "ncclSend");
  find(f.receive, "ncclRecv");
  find(f.group_start, "ncclGroupStart");
  find(f.group_end, "ncclGroupEnd");
  find(f.error_text, "ncclGetErrorString");
  return f;
}

const Functions& functions(DeviceKind kind) {
  static std::map<DeviceKind, Functions> opened;
  const auto [at, is_new] = opened.try_emplace(kind);
  if (is_new) at->second = open_library(facts_of(kind).collectives);
  return at->second;
}

/// One for each communicator and device, kept to the end of the process: making one takes a second,
/// and ending one waits for ranks that may have ended already.
NativeComm native_comm(Communicator& communicator, const Device& device, const Functions& f) {
  static std::map<std::pair<const Communicator*, std::string>, NativeComm> made;
  NativeComm& comm = made[{&communicator, to_text(device.id())}];
  if (comm == nullptr) {
    UniqueId id{};
    if (communicator.rank() == 0) f.check(f.get_unique_id(&id), "to begin");
    id = communicator.from(0, id);
    (void)device.free_memory(); // makes the device the one of this thread
    f.check(f.init_rank(&comm, communicator.ranks(), id, communicator.rank()), "to connect ranks");
  }
  return comm;
}

class NcclMessages final : public BoundMessages {
public:
  NcclMessages(const Endpoint& at, std::vector<Message> sends, std::vector<Message> receives)
      : f_(functions(at.queue.device().kind())), queue_(at.queue),
        comm_(native_comm(at.ranks, queue_.device(), f_)), sends_(std::move(sends)),
        receives_(std::move(receives)) {
    // NCCL knows no tags: messages between two ranks match in order.
    const auto by_tag = [](const Message& a, const Message& b) { return a.tag < b.tag; };
    std::stable_sort(sends_.begin(), sends_.end(), by_tag);
    std::stable_sort(receives_.begin(), receives_.end(), by_tag);
  }
  void begin() override {
    if (sends_.empty() && receives_.empty()) return;
    f_.check(f_.group_start(), "to begin an exchange");
    for (const Message& m : sends_)
      f_.check(f_.send(m.data, size(m), bytes_type, m.peer, comm_, queue_.native()), "to send");
    for (const Message& m : receives_)
      f_.check(f_.receive(m.data, size(m), bytes_type, m.peer, comm_, queue_.native()),
               "to receive");
    f_.check(f_.group_end(), "to exchange");
  }
  void finish() override {} // in the order of the queue

private:
  static std::size_t size(const Message& m) { return static_cast<std::size_t>(m.size.value); }
  const Functions& f_;
  Queue& queue_;
  NativeComm comm_;
  std::vector<Message> sends_, receives_;
};

} // namespace

std::string why_no_nccl(DeviceKind kind) {
  return functions(kind).problem;
}

std::unique_ptr<BoundMessages> bind_nccl(const Endpoint& at, std::vector<Message> sends,
                                         std::vector<Message> receives) {
  return std::make_unique<NcclMessages>(at, std::move(sends), std::move(receives));
}

} // namespace ridge::comm
