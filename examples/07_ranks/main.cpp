// 7. Ranks. Heat spreads from a hot cell over as many of them as were started: 100 steps, then the
// total, whose bits are the same for every number of ranks. Usage: mpirun -n 4 heat_ranks [DEVICE]
#include <ridge/ranks.hpp>

#include "../01_heat/heat.hpp"

#include <cstdio>
#include <vector>

namespace {

using Part = ridge::comm::RankField<double>;

/// Zero but for one hot cell, which one of the ranks owns.
void set(ridge::Queue& queue, const Part& field, ridge::Index3 hot) {
  std::vector<double> values(static_cast<std::size_t>(field.held().count()), 0.0);
  const ridge::comm::Box& mine = field.held();
  const ridge::Index3 n = mine.extents();
  const ridge::Index3 at{hot.x - mine.begin.x, hot.y - mine.begin.y, hot.z - mine.begin.z};
  if (at.x >= 0 && at.x < n.x && at.y >= 0 && at.y < n.y && at.z >= 0 && at.z < n.z)
    values[static_cast<std::size_t>(at.x + n.x * (at.y + n.y * at.z))] = 1.0;
  field.copy_from_host(queue, values.data());
  queue.wait();
}

void spread(ridge::comm::Communicator& ranks, const char* device) {
  ridge::Queue queue(ridge::comm::device_of_rank(ranks, device));
  const ridge::Index3 points{64, 64, 64};
  const auto reach = ridge::stencil::reach_of<Heat>();
  const ridge::comm::Grid grid(points, ridge::comm::choose_ranks(ranks.ranks(), points, reach),
                               reach);
  const Part even(queue.device(), grid, ranks.rank());
  const Part odd(queue.device(), grid, ranks.rank());
  set(queue, even, {32, 32, 32});
  set(queue, odd, {32, 32, 32});

  using Step = ridge::stencil::RankProgram<Heat, double>;
  Step there(ranks, queue, grid, {{0.1}, {&even}, &odd}, {}, "heat");
  Step back(ranks, queue, grid, {{0.1}, {&odd}, &even}, {}, "heat");
  for (int step = 0; step < 100; step += 2) {
    there.run();
    back.run();
  }
  const double total =
      ridge::lattice::sum(ranks, queue, ridge::View<const double>(even.owned_view()));
  if (ranks.rank() == 0) {
    std::printf("%s: total %.17g, grid %s, messages by %s\n", to_text(queue.device().id()).c_str(),
                total, ridge::comm::to_text(grid.ranks()).c_str(),
                ridge::comm::to_text(there.exchange().carrier()));
  }
}

} // namespace

int main(int argc, char** argv) {
  ridge::comm::Communicator& ranks = ridge::comm::world();
  try {
    spread(ranks, argc > 1 ? argv[1] : "auto");
    return 0;
  } catch (const ridge::Error& error) {
    // One that fails ends all: the others would wait for it.
    if (ranks.claim_last_words())
      std::fprintf(stderr, "heat_ranks: rank %d: %s\n", ranks.rank(), error.what());
    ranks.end_all(static_cast<int>(error.code()));
  }
}
