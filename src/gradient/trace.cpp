#include <ridge/core/error.hpp>
#include <ridge/gradient/trace.hpp>

#include <algorithm>
#include <bit>

namespace ridge::gradient {

namespace {
Trace*& of_thread() {
  thread_local Trace* current = nullptr;
  return current;
}
constexpr int read_function = 0;
} // namespace

Trace::Trace() : before_(of_thread()) {
  of_thread() = this;
}
Trace::~Trace() {
  of_thread() = before_;
}
Trace& Trace::current() {
  if (of_thread() == nullptr) throw Failure("no trace is current; please report this");
  return *of_thread();
}

int Trace::node(int function, double flops, double value, int a, int b, int c) {
  if (a < 0 && b < 0 && c < 0) return number(value);
  const auto [at, is_new] =
      known_.try_emplace(Node{function, a, b, c}, static_cast<int>(entries_.size()));
  if (is_new) entries_.push_back({at->first, flops, {}});
  return at->second;
}

int Trace::number(double value) {
  const int next = none - 1 - static_cast<int>(numbers_.size());
  return numbers_.try_emplace(std::bit_cast<std::uint64_t>(value), next).first->second;
}

int Trace::read(const Read& read) {
  const auto [at, is_new] = reads_.try_emplace(read, static_cast<int>(entries_.size()));
  if (is_new) entries_.push_back({{read_function, none, none, none}, 0, read});
  return at->second;
}

Trace::Needed Trace::needed_by(const std::vector<int>& nodes) const {
  std::vector<bool> needed(entries_.size());
  for (const int node : nodes)
    if (node >= 0) needed[static_cast<std::size_t>(node)] = true;
  Needed all;
  for (std::size_t i = entries_.size(); i-- > 0;) { // operands come before what is made of them
    if (!needed[i]) continue;
    const Entry& entry = entries_[i];
    all.flops += entry.flops;
    if (entry.node.function == read_function) all.reads.push_back(entry.read);
    for (const int operand : {entry.node.a, entry.node.b, entry.node.c})
      if (operand >= 0) needed[static_cast<std::size_t>(operand)] = true;
  }
  std::sort(all.reads.begin(), all.reads.end());
  return all;
}

} // namespace ridge::gradient
