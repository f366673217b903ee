#include "ranks.hpp"

#include <ridge/comm/carrier.hpp>
#include <ridge/comm/communicator.hpp>

#include "others_may_run.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

namespace {

/// Rank, number of ranks, the device of this one and what carries messages.
std::tuple<int, int, std::string, std::string> ranks() {
  const OthersMayRun others_may_run;
  const Unforkable unforkable;
  const comm::Communicator& world = comm::world();
  return {world.rank(), world.ranks(), to_text(comm::device_of_rank(world, "auto").id()),
          world.implementation()};
}

/// Whether no other rank of this machine has said yet why all end.
bool claim_last_words() {
  return comm::world().claim_last_words();
}

/// Of the numbers of all ranks.
double greatest_of_ranks(double mine) {
  const OthersMayRun others_may_run;
  return comm::world().greatest(mine);
}
double sum_of_ranks(double mine) {
  const OthersMayRun others_may_run;
  return comm::world().sum(mine);
}

void end_all_ranks(int code) {
  comm::world().end_all(code);
}

/// From now on a rank that exits with an error, by sys.exit(1) say, ends all: others may wait for
/// it forever, and it for them where MPI ends. The interpreter has ended by then.
void end_all_on_failure() {
  (void)comm::world(); // is destroyed after what is registered now has run
  on_exit(
      [](int code, void*) {
        if (code != 0) comm::world().end_all(code);
      },
      nullptr);
}

} // namespace

void add_ranks(nb::module_& m) {
  m.def("ranks", &ranks);
  m.def("claim_last_words", &claim_last_words);
  m.def("greatest_of_ranks", &greatest_of_ranks, "mine"_a);
  m.def("sum_of_ranks", &sum_of_ranks, "mine"_a);
  m.def("end_all_ranks", &end_all_ranks, "code"_a);
  m.def("end_all_on_failure", &end_all_on_failure);
}

} // namespace ridge::python
