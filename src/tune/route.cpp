#include "route.hpp"

#include <algorithm>
#include <iterator>
#include <random>

namespace ridge::tune {

namespace {

/// Of the best so far, those whose surroundings are looked at.
constexpr std::size_t centres = 3;

} // namespace

Route::Route(const Ground& ground, const std::string& standard, Order order)
    : ground_(ground), order_(order), ranking_(ground, standard) {
  std::vector<std::string> all = ground.space;
  if (order == Order::random) {
    std::shuffle(all.begin(), all.end(), std::mt19937(1));
  } else {
    ranking_.sort(all);
    if (ground.cost && !all.empty() && ranking_.knows(all.front())) ranked_first_ = all.front();
    if (order == Order::guided) {
      ranking_.drop_hopeless(all, hopeless);
      ranking_.spread_equals(all);
    }
  }
  ranked_.assign(all.begin(), all.end());
}

std::vector<std::string> Route::next(const Standing& standing, std::size_t room) {
  std::vector<std::string> batch;
  if (order_ == Order::guided) batch = surroundings(standing);
  if (ground_.ready) {
    const auto others = std::stable_partition(batch.begin(), batch.end(), ground_.ready);
    if (others != batch.begin()) {
      batch.erase(others, batch.end());
      batch.resize(std::min(batch.size(), room));
      return batch;
    }
  }
  const std::size_t of_each =
      ground_.ready ? static_cast<std::size_t>(std::max(2, ground_.together)) / 2 : 1;
  batch.resize(std::min({batch.size(), of_each, room}));
  // Without a model the ranking only says what is near the default: the best is a better guide.
  const bool informed = !ranked_.empty() && ranking_.knows(ranked_.front());
  const std::size_t of_ranking = informed || batch.empty() ? of_each : 0;
  const std::size_t most = std::min(batch.size() + of_ranking, room);
  for (; !ranked_.empty() && batch.size() < most; ranked_.pop_front()) {
    const std::string& first = ranked_.front();
    if (!standing.has_seen(first) && std::find(batch.begin(), batch.end(), first) == batch.end())
      batch.push_back(first);
  }
  return batch;
}

/// What was not measured around the best few, the most promising first.
std::vector<std::string> Route::surroundings(const Standing& standing) {
  const auto& entrants = standing.entrants();
  for (std::size_t i = 0; i < std::min(centres, entrants.size()); ++i) {
    const std::string& centre = entrants[i].schedule;
    auto [at, is_new] = around_.try_emplace(centre);
    if (is_new) at->second = ground_.around(centre);
    std::vector<std::string> all;
    std::copy_if(at->second.begin(), at->second.end(), std::back_inserter(all),
                 [&](const std::string& s) { return !standing.has_seen(s); });
    ranking_.sort(all);
    std::map<std::string, double> promise;
    for (const std::string& s : all)
      promise[s] = promise_of(standing, centre, s);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return promise.at(a) < promise.at(b); });
    if (!all.empty()) return all;
  }
  return {};
}

/// By which factor the time may change from the centre: as the same change did elsewhere, else as
/// the model says.
double Route::promise_of(const Standing& standing, const std::string& centre,
                         const std::string& schedule) {
  if (const auto known = standing.experience().change(centre, schedule)) return *known;
  if (!ranking_.knows(centre) || !ranking_.knows(schedule)) return 1;
  return ranking_.cost(schedule) / ranking_.cost(centre);
}

} // namespace ridge::tune
