#include "observe/peers/slow_rank.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::observe {
namespace {

// Steps that a rank must share with enough others.
constexpr std::size_t kFewestSteps = 10;

// The middle time of every step that enough ranks tell, without the first fifth, which compiles and
// fills queues.
std::map<std::int64_t, double> usual_times(std::span<const RankTimes> ranks) {
  std::map<std::int64_t, std::vector<double>> told;
  for (const RankTimes& rank : ranks)
    for (const auto& [step, seconds] : rank.seconds)
      if (seconds > 0) told[step].push_back(seconds);
  std::erase_if(told, [](const auto& step) { return step.second.size() < kFewestPeers; });
  std::map<std::int64_t, double> usual;
  std::size_t skipped = told.size() / 5;
  for (auto& [step, seconds] : told)
    if (skipped > 0)
      --skipped;
    else
      usual.emplace(step, middle(std::move(seconds)));
  return usual;
}

// Blocks of steps, the middle of each, and the mean of these: what happens once in a while moves no
// middle, and a rank that is slow for a part of the run is seen.
double mean_of_middles(const std::vector<double>& values) {
  constexpr std::size_t kBlock = 10;
  const std::size_t blocks = std::max<std::size_t>(1, values.size() / kBlock);
  double sum = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto at = [&](std::size_t b) {
      return values.begin() + static_cast<std::ptrdiff_t>(values.size() * b / blocks);
    };
    sum += middle({at(block), at(block + 1)});
  }
  return sum / static_cast<double>(blocks);
}

// A rank's pace beside that of its peers.
struct Pace {
  std::size_t rank = 0;
  double log_ratio = 0;
  double excess = 0;
};

std::vector<Pace> paces_of(std::span<const RankTimes> ranks) {
  const auto usual = usual_times(ranks);
  std::vector<Pace> paces;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::vector<double> logs, excesses;
    for (const auto& [step, seconds] : ranks[i].seconds) {
      const auto found = usual.find(step);
      if (found == usual.end() || seconds <= 0) continue;
      logs.push_back(std::log(found->second / seconds));
      excesses.push_back(seconds - found->second);
    }
    if (logs.size() >= kFewestSteps)
      paces.push_back({i, mean_of_middles(logs), mean_of_middles(excesses)});
  }
  std::sort(paces.begin(), paces.end(),
            [](const Pace& a, const Pace& b) { return a.log_ratio < b.log_ratio; });
  return paces;
}

}  // namespace

RankTest find_slow_ranks(std::span<const RankTimes> ranks, const LowTest& rules) {
  const std::vector<Pace> paces = paces_of(ranks);
  RankTest test;
  if (paces.size() <= kFewestPeers) return test;
  test.tested = static_cast<int>(paces.size());
  std::vector<double> rising;
  for (const Pace& pace : paces) rising.push_back(pace.log_ratio);
  const std::vector<Low> lows = lows_of(rising, rules);
  for (std::size_t i = 0; i < lows.size(); ++i)
    test.found.push_back({paces[i].rank, std::exp(paces[i].log_ratio),
                          std::max(0.0, paces[i].excess), lows[i].statistic, lows[i].probability});
  return test;
}

}  // namespace loadfactor::observe
