#include "serving/simulator/scaler.h"

#include <algorithm>

namespace loadfactor::serving {

int Scaler::decide(Ticks now, int replicas, std::int64_t load) {
  seen_.push_back({now, load});
  while (seen_.size() > 1 && seen_[1].time <= now - rules_.scrape_delay) seen_.pop_front();
  if (seen_.front().time > now - rules_.scrape_delay) return replicas;
  const std::int64_t visible = seen_.front().load;
  const int wanted = rules_.scaling == Scaling::kThreshold ? by_threshold(replicas, visible)
                                                           : by_target(replicas, visible);
  const int bounded = std::clamp(wanted, rules_.min_replicas, rules_.max_replicas);
  if (bounded < replicas && now - last_change_ < rules_.cooldown) return replicas;
  if (bounded != replicas) last_change_ = now;
  return bounded;
}

int Scaler::by_threshold(int replicas, std::int64_t load) const {
  if (load > rules_.scale_up_load * replicas) return replicas + 1;
  // It goes to zero only when nothing is left.
  if (replicas == 1) return load == 0 ? 0 : 1;
  return load < rules_.scale_down_load * replicas ? replicas - 1 : replicas;
}

int Scaler::by_target(int replicas, std::int64_t load) const {
  const std::int64_t held = rules_.target_load * replicas;
  const std::int64_t distance = load > held ? load - held : held - load;
  if (distance * 1000 <= rules_.tolerance_permille * held) return replicas;
  const std::int64_t wanted = (load + rules_.target_load - 1) / rules_.target_load;
  return static_cast<int>(std::min<std::int64_t>(wanted, rules_.max_replicas));
}

}  // namespace loadfactor::serving
