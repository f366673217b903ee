#include "ranks.hpp"

#include "version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace ridge::app {

namespace {

bool joined = false;

} // namespace

void join_ranks(int argc, char** argv) {
  const comm::Launched by = comm::launched();
  if (by.ranks == 1) return;
  if (!comm::has_mpi()) {
    if (by.rank > 0) std::exit(0);
    fmt::print(
        stderr,
        "ridge: {} started {} ranks, and this ridge was built without MPI: it goes on as one "
        "rank; install libopenmpi-dev or libmpich-dev and build again for several\n",
        by.by, by.ranks);
    return;
  }
  if (by.rank > 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
    throw Failure("/dev/null cannot be opened");
  comm::Communicator& world = comm::world();
  joined = true;
  std::string started = std::string("version ") + ridge_version;
  for (int i = 1; i < argc; ++i)
    started += std::string(" ") + argv[i];
  const auto all = world.gather_text(started);
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    throw UsageError(fmt::format("rank {} was started as '{}', rank 0 as '{}': all ranks of a run "
                                 "are one ridge with the same options",
                                 r, all[r], all[0]));
  }
}

int fail_on_ranks(int status, const std::string& line) {
  const comm::Launched by = comm::launched();
  // Rank 0 speaks where all ranks fail alike, once it has removed what it began to write.
  constexpr std::chrono::milliseconds for_rank_0{100}, for_each{20}, at_most{500};
  if (by.rank > 0)
    std::this_thread::sleep_for(std::min(for_rank_0 + (by.rank - 1) * for_each, at_most));
  const bool first = joined ? comm::world().claim_last_words() : by.rank == 0;
  if (first) {
    const std::string who = joined ? fmt::format("rank {}: ", by.rank) : "";
    // Who reads it may have gone.
    (void)std::fputs(fmt::format("ridge: {}{}\n", who, line).c_str(), stderr);
    (void)std::fflush(stderr);
  } else if (joined) {
    std::this_thread::sleep_for(at_most); // who says it ends all
  }
  if (joined) comm::world().end_all(status);
  return status;
}

void require_one_rank(const std::string& command) {
  if (!joined) return;
  const comm::Launched by = comm::launched();
  throw UsageError(fmt::format("{} runs on one rank, and {} started {}", command, by.by, by.ranks));
}

} // namespace ridge::app
