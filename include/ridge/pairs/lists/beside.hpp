// Messages between ranks, beside sums over lists that need nothing of them.
#pragma once

#include <ridge/device/queue.hpp>

#include <functional>

namespace ridge::pairs {

class Beside {
public:
  using Work = std::function<void(Queue& queue)>;

  /// Gives messages to a queue; `bring` and `own`, which need nothing of other ranks, beside them;
  /// and behind messages and `bring`, `others`. Work that is given to the lists' queue afterwards
  /// sees all of it.
  virtual void run(const Work& bring, const Work& own, const Work& others) = 0;

protected:
  ~Beside() = default;
};

} // namespace ridge::pairs
