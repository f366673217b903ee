// A chain, its range and its arrays, as executors take them.
#pragma once

#include <ridge/chain/plan.hpp>
#include <ridge/chain/request.hpp>
#include <ridge/chain/window.hpp>
#include <ridge/device/field.hpp>

#include <functional>
#include <memory>

namespace ridge::chain {

template <class C, class T>
struct Call {
  C chain;
  /// Laid out by the plan. The user's arrays and temporaries of all of the range have their data;
  /// executors find those of a tile.
  Windows<C, T> windows;
  const Plan* plan = nullptr;
  T* tile_memory = nullptr;                          ///< cpu: plan->tile_elements for each thread
  std::function<void(int first)> before_launch = {}; ///< as in the request
  std::shared_ptr<const RowsDone> rows_done = {};    ///< likewise
};

} // namespace ridge::chain
