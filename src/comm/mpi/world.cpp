// The module for MPI: the one file that sees mpi.h, built with whichever MPI is here.
#include <ridge/core/error.hpp>

#include "../transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

namespace ridge::comm {

namespace {

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Failure(std::string("MPI failed ") + what + ": " + text);
}

/// Whether a call of MPI is on the stack. Another rank that ends all may make such a call exit this
/// process (MPICH), in which case MPI must not be called once more.
int calls = 0;
/// What this process then exits with.
int exit_code = EXIT_FAILURE;

/// Calls MPI.
template <class Call>
int in_mpi(const Call& call) {
  ++calls;
  const int status = call();
  --calls;
  return status;
}

/// Waits until `test` is true. Where ranks share cores, the one that is waited for needs this
/// one's: who waits longer than messages take yields, and who waits long sleeps in between.
template <class Test>
void wait_until(const Test& test) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  while (!test()) {
    const auto waited = Clock::now() - begin;
    if (waited > std::chrono::milliseconds(20)) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    } else if (waited > std::chrono::microseconds(50)) {
      std::this_thread::yield();
    }
  }
}

void wait_for(MPI_Request& request, const char* what) {
  wait_until([&] {
    int done = 0;
    check(in_mpi([&] { return MPI_Test(&request, &done, MPI_STATUS_IGNORE); }), what);
    return done != 0;
  });
}

/// Persistent requests. Counts of MPI are ints, so large messages go in pieces.
class Requests final : public BoundMessages {
public:
  Requests(MPI_Comm world, const std::vector<Message>& sends,
           const std::vector<Message>& receives) {
    for (const Message& m : receives)
      add(m, [&](void* data, int bytes, MPI_Request* request) {
        return MPI_Recv_init(data, bytes, MPI_BYTE, m.peer, m.tag, world, request);
      });
    for (const Message& m : sends)
      add(m, [&](void* data, int bytes, MPI_Request* request) {
        return MPI_Send_init(data, bytes, MPI_BYTE, m.peer, m.tag, world, request);
      });
  }
  ~Requests() override {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) return;
    for (MPI_Request& request : requests_)
      MPI_Request_free(&request);
  }

  void begin() override {
    if (requests_.empty()) return;
    check(in_mpi([&] { return MPI_Startall(count(), requests_.data()); }), "to send and receive");
  }
  void advance() override { (void)test(); }
  void finish() override {
    wait_until([&] { return test(); });
  }

private:
  template <class Init>
  void add(const Message& m, const Init& init) {
    constexpr std::int64_t piece = std::int64_t{1} << 30;
    for (std::int64_t at = 0; at < m.size.value; at += piece) {
      requests_.emplace_back();
      const auto bytes = static_cast<int>(std::min(piece, m.size.value - at));
      check(init(static_cast<char*>(m.data) + at, bytes, &requests_.back()), "to bind a message");
    }
  }
  [[nodiscard]] bool test() {
    int done = 0;
    check(
        in_mpi([&] { return MPI_Testall(count(), requests_.data(), &done, MPI_STATUSES_IGNORE); }),
        "to send and receive");
    return done != 0;
  }
  [[nodiscard]] int count() const { return static_cast<int>(requests_.size()); }
  std::vector<MPI_Request> requests_;
};

std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name = text;
  name = name.substr(0, name.find_first_of(",\n"));
  std::replace(name.begin(), name.end(), '\t', ' ');
  return name;
}

class World final : public Communicator {
public:
  World() {
    int given = 0;
    MPI_Initialized(&given); // by the program that this is part of, such as mpi4py
    ends_mpi_ = given == 0;
    if (ends_mpi_)
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given), "to start");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "to make a communicator of its own");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &ranks_);
    MPI_Comm local = MPI_COMM_NULL;
    check(MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &local),
          "to find the ranks of this machine");
    MPI_Comm_rank(local, &local_rank_);
    MPI_Comm_size(local, &local_ranks_);
    share_flag(local);
    MPI_Comm_free(&local);
    library_ = library_name();
  }
  ~World() override {
    int over = 0;
    MPI_Finalized(&over);
    if (calls > 0) std::_Exit(exit_code); // nothing of MPI works any more
    if (over == 0 && ends_mpi_) MPI_Finalize();
  }

  void barrier() override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(in_mpi([&] { return MPI_Ibarrier(world_, &request); }), "at a barrier");
    wait_for(request, "at a barrier");
  }
  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto count = static_cast<int>(bytes);
    check(in_mpi([&] {
            return MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, world_, &request);
          }),
          "to gather from all ranks");
    wait_for(request, "while it gathered from all ranks");
  }
  [[nodiscard]] std::unique_ptr<BoundMessages> bind(std::vector<Message> sends,
                                                    std::vector<Message> receives) override {
    return std::make_unique<Requests>(world_, sends, receives);
  }
  [[nodiscard]] bool claim_last_words() override { return failed_->exchange(1) == 0; }
  [[noreturn]] void end_all(int code) override {
    exit_code = code;
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) std::_Exit(code); // every rank has come to its end
    in_mpi([&] { return MPI_Abort(world_, code); });
    std::_Exit(code);
  }

private:
  /// A flag in memory that the ranks of this machine share: it needs no help of a rank that may
  /// have ended.
  void share_flag(MPI_Comm local) {
    static_assert(std::atomic<int>::is_always_lock_free);
    void* mine = nullptr;
    MPI_Win window = MPI_WIN_NULL; // lives as long as MPI
    const MPI_Aint size = local_rank_ == 0 ? sizeof(std::atomic<int>) : 0;
    check(MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, local, &mine, &window),
          "to share memory between ranks");
    MPI_Aint bytes = 0;
    int unit = 0;
    check(MPI_Win_shared_query(window, 0, &bytes, &unit, &mine), "to share memory between ranks");
    failed_ = static_cast<std::atomic<int>*>(mine);
    if (local_rank_ == 0) new (failed_) std::atomic<int>(0);
    MPI_Barrier(local);
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  bool ends_mpi_ = true;
  std::atomic<int>* failed_ = nullptr;
};

} // namespace

} // namespace ridge::comm

extern "C" ridge::comm::Communicator* ridge_open_mpi_world() {
  return new ridge::comm::World;
}
