#include <ridge/comm/communicator.hpp>

#include <algorithm>
#include <utility>

namespace ridge::comm {

void Communicator::exchange(std::vector<Message> sends, std::vector<Message> receives) {
  const auto bound = bind(std::move(sends), std::move(receives));
  bound->begin();
  bound->finish();
}

std::vector<std::string> Communicator::gather_text(const std::string& mine) {
  std::size_t longest = 0;
  for (const std::size_t size : gather(mine.size()))
    longest = std::max(longest, size);
  std::string padded = mine;
  padded.resize(longest + 1, '\0');
  std::string all(padded.size() * static_cast<std::size_t>(ranks()), '\0');
  all_gather(padded.data(), padded.size(), all.data());
  std::vector<std::string> texts;
  for (int r = 0; r < ranks(); ++r)
    texts.emplace_back(all.c_str() + padded.size() * static_cast<std::size_t>(r));
  return texts;
}

double Communicator::sum(double mine) {
  double total = 0;
  for (const double one : gather(mine))
    total += one;
  return total;
}

double Communicator::greatest(double mine) {
  const auto all = gather(mine);
  return *std::max_element(all.begin(), all.end());
}

} // namespace ridge::comm
