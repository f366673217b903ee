// Messages between neighbouring ranks along an axis, from arrays of Python and into others.
#pragma once

#include <ridge/comm/transfer.hpp>

#include "arrays.hpp"
#include "queues.hpp"

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Bound once, as often as asked.
class Messages {
public:
  /// Four arrays without gaps: what goes to rank `low` and to rank `high`, and what comes from
  /// them; -1: there is no such rank. They must not move. Collective.
  Messages(nanobind::tuple arrays, int low, int high);
  /// In the order of the stream that the arrays' library had current when it was bound. On a cpu it
  /// returns when all is there. Collective.
  void run();

private:
  nanobind::tuple kept_;
  Arrays arrays_;
  Turn* turn_;
  comm::Transfer transfer_;
};

/// Adds them to the module.
void add_messages(nanobind::module_& m);

} // namespace ridge::python
