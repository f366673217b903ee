#include "finals.hpp"

#include <algorithm>

namespace ridge::tune {

namespace {

/// Enough that the interval of the default's quotient is narrow; it also stays for as long as it is
/// open whether it is slower.
constexpr std::size_t rounds_of_standard = 15;
constexpr std::size_t most_rounds = 60;

/// One of the finalists and its times, one a round as long as it plays.
struct Player {
  const Entrant* entrant;
  bool plays = true;
  std::vector<double> seconds;
};

/// How many times as long `a` takes as `b`, of the rounds that both played.
Estimate quotient(const Player& a, const Player& b) {
  std::vector<double> quotients;
  for (std::size_t i = 0; i < std::min(a.seconds.size(), b.seconds.size()); ++i)
    quotients.push_back(a.seconds[i] / b.seconds[i]);
  return median_of(quotients);
}

/// Less than no player is slower than in the middle.
const Player& fastest(const std::vector<Player>& players) {
  const Player* best = nullptr;
  for (const Player& p : players)
    if (p.plays && (best == nullptr || quotient(p, *best).value < 1)) best = &p;
  return *best;
}

/// By which part of the best's time a player could be better, as far as is known.
double could_gain(const Player& p, const Player& best) {
  const Estimate q = quotient(p, best);
  return 1 - (q.has_interval() ? q.low : 0);
}

} // namespace

Finals play_finals(const std::vector<Entrant*>& finalists, const std::string& standard, double gain,
                   const std::function<bool()>& time_left, const std::function<void()>& between) {
  std::vector<Player> players;
  for (const Entrant* e : finalists)
    players.push_back({e, true, {}});
  const auto is_standard = [&](const Player& p) { return p.entrant->schedule == standard; };

  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (round > 0 && !time_left()) break;
    // Who begins changes, as the first of a round follows another than the rest do.
    for (std::size_t i = 0; i < players.size(); ++i) {
      Player& p = players[(i + round) % players.size()];
      if (!p.plays) continue;
      between();
      p.seconds.push_back(p.entrant->watch());
    }
    if (round + 1 < least_for_interval) continue;
    const Player& best = fastest(players);
    bool open = false;
    for (Player& p : players) {
      if (&p == &best || !p.plays) continue;
      const Estimate q = quotient(p, best);
      const bool needed =
          is_standard(p) && (round + 1 < rounds_of_standard || (q.low <= 1 && q.high > 1 + gain));
      if (q.low > 1 && !needed) p.plays = false;
      open = open || needed || (p.plays && could_gain(p, best) > gain);
    }
    if (!open) break;
  }

  const Player& best = fastest(players);
  Finals result{best.entrant->schedule, {}, {1}, 0};
  const double least = median_of(best.seconds).value;
  for (const Player& p : players) {
    result.seconds.push_back(least * quotient(p, best).value);
    if (&p == &best) continue;
    if (is_standard(p)) result.standard = quotient(p, best);
    result.left = std::max(result.left, could_gain(p, best));
  }
  return result;
}

} // namespace ridge::tune
