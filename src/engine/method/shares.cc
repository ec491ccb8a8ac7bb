#include "engine/method/shares.h"

#include <algorithm>

namespace loadfactor::engine {
namespace {

using config::PlacementWord;

constexpr int kNode = 8;

// Numbers of GPUs that write in shares that are shown: what is written or left over, else eighths
// of all in whole nodes.
std::vector<int> shown_rollouts(const AskedGpus& asked) {
  if (asked.rollout > 0) return {asked.rollout};
  if (asked.all == 0) return {};
  if (asked.training > 0) return {asked.all - asked.training};
  constexpr int kParts = 8;
  const int unit = asked.all >= 2 * kNode ? kNode : 1;
  std::vector<int> sizes;
  for (int part = 1; part < kParts; ++part) {
    const int gpus = asked.all * part / kParts / unit * unit;
    if (gpus > 0 && gpus < asked.all && (sizes.empty() || sizes.back() != gpus))
      sizes.push_back(gpus);
  }
  return sizes;
}

// The same GPUs in turns.
void add_colocated(int gpus, const std::vector<int>& degrees, std::vector<Share>& shares) {
  for (const int tp : degrees)
    if (gpus > 0 && gpus % tp == 0)
      shares.push_back({.rollout = gpus, .training = gpus, .tp = tp, .colocated = true});
}

void add_split(int rollout, int training, int tp, std::vector<Share>& shares) {
  if (training < 1 || rollout < 1 || rollout % tp != 0) return;
  shares.push_back({.rollout = rollout, .training = training, .tp = tp});
}

// The most GPUs of these sizes that whole replicas take and the trainer leaves.
int most_that_write(const std::vector<int>& sizes, int left, int tp) {
  int most = 0;
  for (const int size : sizes)
    if (size <= left && size % tp == 0) most = std::max(most, size);
  return most;
}

class Sharing {
 public:
  Sharing(const AskedGpus& asked, const std::vector<int>& degrees, std::int64_t texts)
      : asked_(asked), degrees_(degrees), sizes_(round_sizes(asked.all, texts)) {}

  void add_turns(Shares& shares) const {
    add_colocated(asked_.training > 0 ? asked_.training : asked_.all, degrees_, shares.shown);
    if (asked_.training > 0) return;
    for (const int gpus : sizes_)
      if (gpus < asked_.all) add_colocated(gpus, degrees_, shares.others);
  }

  void add_splits(Shares& shares) const {
    for (const int rollout : shown_rollouts(asked_))
      for (const int tp : degrees_)
        add_split(rollout, asked_.training > 0 ? asked_.training : asked_.all - rollout, tp,
                  shares.shown);
    if (asked_.all == 0 || (asked_.rollout > 0 && asked_.training > 0)) return;
    const std::vector<int> trainers =
        asked_.training > 0 ? std::vector<int>{asked_.training} : sizes_;
    for (const int training : trainers)
      for (const int tp : degrees_) add_split(writers(training, tp), training, tp, shares.others);
  }

 private:
  int writers(int training, int tp) const {
    const int left = asked_.all - training;
    if (asked_.rollout > 0) return asked_.rollout <= left ? asked_.rollout : 0;
    return most_that_write(sizes_, left, tp);
  }

  AskedGpus asked_;
  const std::vector<int>& degrees_;
  std::vector<int> sizes_;
};

// The largest first: what they take bounds what smaller ones do.
void order(std::vector<Share>& shares) {
  for (Share& share : shares) share.layouts = TrainerLayouts::kUsual;
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.gpus() > b.gpus(); });
}

}  // namespace

AskedGpus asked_gpus(const config::Scenario& scenario) {
  const config::TrainSection& train = *scenario.train;
  AskedGpus asked;
  if (scenario.limits.gpus) asked.all = static_cast<int>(scenario.limits.gpus->value);
  if (train.layout && train.layout->gpus) asked.training = train.layout->gpus->value;
  const auto& rollout = train.method->rollout;
  if (rollout && rollout->gpus) asked.rollout = rollout->gpus->value;
  return asked;
}

std::vector<int> round_sizes(int most, std::int64_t texts) {
  constexpr int kFew = 16;
  std::vector<int> sizes;
  for (int gpus = 1; gpus <= std::min(most, kFew); ++gpus) sizes.push_back(gpus);
  for (int unit = kFew / 4; 4 * unit <= most; unit *= 2)
    for (int times = 4; times < 8; ++times)
      if (times * unit > kFew && times * unit <= most) sizes.push_back(times * unit);
  for (std::int64_t parts = 1; parts * parts <= texts; ++parts) {
    if (texts % parts != 0) continue;
    for (const std::int64_t gpus : {parts, texts / parts})
      if (gpus <= most) sizes.push_back(static_cast<int>(gpus));
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Shares shares_of(const config::Scenario& scenario, const std::vector<int>& degrees,
                 std::int64_t texts) {
  const AskedGpus asked = asked_gpus(scenario);
  const Sharing sharing(asked, degrees, texts);
  const auto& placement = scenario.train->method->placement;
  Shares shares;
  const bool together = !placement || placement->value == PlacementWord::kColocated;
  if (together && asked.rollout == 0) sharing.add_turns(shares);
  if (!placement || placement->value == PlacementWord::kSplit) sharing.add_splits(shares);
  order(shares.others);
  return shares;
}

Shares learning_shares(const config::Scenario& scenario, std::int64_t texts) {
  const AskedGpus asked = asked_gpus(scenario);
  const int gpus = asked.training > 0 ? asked.training : asked.all;
  Shares shares;
  const auto add = [](int training, std::vector<Share>& to) {
    for (const bool spares : {false, true})
      to.push_back({.training = training, .colocated = true, .spares_memory = spares});
  };
  if (gpus > 0) add(gpus, shares.shown);
  if (asked.training > 0) return shares;
  for (const int size : round_sizes(asked.all, texts))
    if (size < asked.all) add(size, shares.others);
  order(shares.others);
  return shares;
}

}  // namespace loadfactor::engine
