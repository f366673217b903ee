#include "standing.hpp"

#include <algorithm>
#include <utility>

namespace ridge::tune {

namespace {

bool faster(const Entrant& a, const Entrant& b) {
  return a.seconds < b.seconds;
}

} // namespace

void Standing::keep(Trial trial, Stopwatch watch) {
  seen_.insert(trial.schedule);
  if (trial.problem.empty()) {
    ++measured_;
    experience_.learn(trial.schedule, trial.seconds);
    entrants_.push_back({trial.schedule, trial.seconds, std::move(watch)});
    std::stable_sort(entrants_.begin(), entrants_.end(), faster);
    for (std::size_t i = most_; i < entrants_.size(); ++i)
      if (!invited_.contains(entrants_[i].schedule)) entrants_[i].watch = nullptr;
  }
  trials_.push_back(std::move(trial));
}

const Entrant& Standing::standard() const {
  return *std::find_if(entrants_.begin(), entrants_.end(),
                       [&](const Entrant& e) { return e.schedule == standard_; });
}

std::vector<Entrant*> Standing::finalists() {
  std::vector<Entrant*> found;
  for (Entrant& e : entrants_) {
    const bool near = e.seconds < near_best * entrants_.front().seconds;
    if (e.watch && (invited_.contains(e.schedule) || (near && found.size() < most_)))
      found.push_back(&e);
  }
  return found;
}

void Standing::settle(const std::vector<Entrant*>& finalists, const Finals& played) {
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    Entrant& e = *finalists[i];
    e.seconds = played.seconds[i];
    for (Trial& t : trials_)
      if (t.schedule == e.schedule) t.seconds = e.seconds;
  }
  std::iter_swap(entrants_.begin(),
                 std::find_if(entrants_.begin(), entrants_.end(),
                              [&](const Entrant& e) { return e.schedule == played.winner; }));
  std::stable_sort(entrants_.begin() + 1, entrants_.end(), faster);
}

void Standing::drop_first(const std::string& problem) {
  for (Trial& t : trials_)
    if (t.schedule == best().schedule) t.problem = problem;
  entrants_.erase(entrants_.begin());
}

} // namespace ridge::tune
