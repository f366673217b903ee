// Ranks: the processes that work on one problem, and how they reach each other.
//
// One interface over MPI, loaded as a module when a launcher such as mpirun has started the
// process, and over a single rank where none has.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/core/units.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace ridge::comm {

/// Memory that goes to another rank or comes from it. Of messages between two ranks those with the
/// same tag belong together. A rank may send to itself.
struct Message {
  void* data = nullptr;
  Bytes size;
  int peer = 0;
  int tag = 0; ///< 0 to 32000
};

/// Messages bound once and sent as often as asked.
class BoundMessages {
public:
  BoundMessages() = default;
  BoundMessages(const BoundMessages&) = delete;
  BoundMessages& operator=(const BoundMessages&) = delete;
  virtual ~BoundMessages() = default;

  /// Until `finish` returns, what is sent must not change and what is received must not be read.
  virtual void begin() = 0;
  /// Lets messages go on that need the host for it; may be called between begin and finish.
  virtual void advance() {}
  virtual void finish() = 0;
};

/// Calls but those for facts are collective: every rank makes them, in the same order.
class Communicator {
public:
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Among the ranks of this machine.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int local_ranks() const { return local_ranks_; }
  /// The library that carries messages: "Open MPI v4.1.4", or "one rank".
  [[nodiscard]] const std::string& implementation() const { return library_; }

  /// Returns when every rank has called it. Who waits long sleeps, so that the others have the
  /// cores.
  virtual void barrier() = 0;
  /// `bytes` of each rank, rank after rank, to every rank: one message each.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// Sends are from host memory, receives into it; of any size.
  [[nodiscard]] virtual std::unique_ptr<BoundMessages> bind(std::vector<Message> sends,
                                                            std::vector<Message> receives) = 0;
  /// The same, once and at once.
  void exchange(std::vector<Message> sends, std::vector<Message> receives);
  /// True for the first rank of this machine that asks: who fails first says why, and the others
  /// that fail with it need not. Not collective.
  [[nodiscard]] virtual bool claim_last_words() = 0;
  /// Ends all ranks, this process too, with this exit code. Not collective.
  [[noreturn]] virtual void end_all(int code) = 0;

  /// The value of each rank.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> gather(const T& mine) {
    std::vector<T> all(static_cast<std::size_t>(ranks()));
    all_gather(&mine, sizeof(T), all.data());
    return all;
  }
  /// The text of each rank.
  [[nodiscard]] std::vector<std::string> gather_text(const std::string& mine);
  /// The value of rank `root`.
  template <class T>
  [[nodiscard]] T from(int root, const T& mine) {
    return gather(mine)[static_cast<std::size_t>(root)];
  }
  [[nodiscard]] double sum(double mine);
  [[nodiscard]] double greatest(double mine);

protected:
  Communicator() = default;
  int rank_ = 0, ranks_ = 1, local_rank_ = 0, local_ranks_ = 1;
  std::string library_ = "one rank";
};

/// This process alone.
[[nodiscard]] std::unique_ptr<Communicator> alone();

/// The launcher's words in the environment; one rank where there are none.
struct Launched {
  int rank = 0, ranks = 1;
  std::string by; ///< "mpirun of Open MPI", ...; empty where nobody did
};
[[nodiscard]] Launched launched();

/// All ranks that were started together. Opened when first asked for: with the module for MPI
/// beside the library where a launcher started the process, else alone. The ranks of a machine
/// share its cores evenly unless the launcher placed them. Throws Failure where a launcher started
/// several and the module is of another MPI.
[[nodiscard]] Communicator& world();

/// Whether there is a module for MPI beside the library.
[[nodiscard]] bool has_mpi();

} // namespace ridge::comm
