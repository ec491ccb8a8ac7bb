#include "observe/sharing.h"

#include <algorithm>
#include <optional>
#include <set>

namespace loadfactor::observe {
namespace {

// Whether a workload can move at all: it computes, part of its time stands still, and all of it is
// known.
bool may_share(const WorkloadUse& use, const SharingRules& rules) {
  if (use.workload < 0 || use.is_service || use.active_seconds <= 0) return false;
  if (use.is_guessed) return false;
  if (use.use[Cause::kHeldUnseen] > 0) return false;
  return use.active_seconds < (1 - rules.least_gain) * use.use.total();
}

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

std::optional<SharingPair> pair_of(const Account& account, std::size_t host, std::size_t guest,
                                   const SharingRules& rules) {
  const WorkloadUse& large = account.uses[host];
  const WorkloadUse& small = account.uses[guest];
  if (large.accelerator != small.accelerator) return std::nullopt;
  SharingPair pair{host, guest, most_of(small.held), 0, most_of(large.held), 0};
  double both = 0;
  double all = 0;
  for (std::size_t b = 0; b < std::min(large.held.size(), small.held.size()); ++b) {
    all += small.held[b];
    if (small.held[b] <= 0 || large.held[b] <= 0) continue;
    both += small.held[b];
    const double used = large.working[b] + small.working[b];
    if (used > rules.room * large.held[b]) return std::nullopt;
    pair.most_used = std::max(pair.most_used, used);
  }
  constexpr double kMostly = 0.5;
  if (both < kMostly * all || all <= 0) return std::nullopt;
  pair.share = both / all;
  return pair;
}

}  // namespace

std::vector<SharingPair> find_sharers(const Account& account, const SharingRules& rules) {
  std::vector<SharingPair> pairs;
  for (std::size_t host = 0; host < account.uses.size(); ++host) {
    for (std::size_t guest = 0; guest < account.uses.size(); ++guest) {
      if (host == guest || !may_share(account.uses[host], rules) ||
          !may_share(account.uses[guest], rules))
        continue;
      const double larger = most_of(account.uses[host].held);
      const double smaller = most_of(account.uses[guest].held);
      if (larger < smaller || (larger == smaller && guest < host)) continue;
      if (const auto pair = pair_of(account, host, guest, rules)) pairs.push_back(*pair);
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const SharingPair& a, const SharingPair& b) {
    return a.gpus * a.share > b.gpus * b.share;
  });
  std::set<std::size_t> taken;
  std::vector<SharingPair> found;
  for (const SharingPair& pair : pairs) {
    if (taken.contains(pair.host) || taken.contains(pair.guest)) continue;
    taken.insert({pair.host, pair.guest});
    found.push_back(pair);
  }
  return found;
}

}  // namespace loadfactor::observe
