#include "fleet/joint.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "fleet/placing.h"

namespace loadfactor::fleet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostTried = 2e6;

// A job's own states: gangs that run, and steps that are done.
struct States {
  const Job* job = nullptr;
  WorkSteps steps;
  int gangs = 2;  // From none to the most.
  int count() const { return gangs * (steps.all + 1); }
  int running(int state) const { return state / (steps.all + 1); }
  int done(int state) const { return state % (steps.all + 1); }
  bool is_over(int state) const { return done(state) == steps.all; }
  // The state after a slot with `to` gangs; -1 where that may not be.
  int after(int state, int to, double hours, bool is_open) const {
    const int started = std::max(0, to - running(state));
    if (!is_open && to > 0) return -1;
    const bool is_begun = done(state) > 0 || running(state) > 0;
    if (!job->is_preemptible && is_begun && !is_over(state) && to == 0) return -1;
    if (!job->is_preemptible && is_over(state) && to > 0) return -1;
    const int made = steps.made(hours, to, started, job->reload);
    return to * (steps.all + 1) + std::min(steps.all, done(state) + made);
  }
};

class Joint {
 public:
  Joint(const PoolPrices& prices, std::span<const int> online, std::span<const Job> jobs,
        int machines)
      : prices_(prices), online_(online), machines_(machines) {
    for (const Job& job : jobs) {
      const auto window = prices.hours().subspan(job.from, job.to - job.from);
      jobs_.push_back({&job, steps_of(job, window), job.most + 1});
      states_ *= static_cast<std::size_t>(jobs_.back().count());
      actions_ *= jobs_.back().gangs;
    }
  }

  std::optional<JointPlan> solve() {
    const std::size_t slots = online_.size();
    std::vector<double> cost(states_, kNever);
    cost[0] = 0;
    from_.assign(slots, {});
    for (std::size_t t = 0; t < slots; ++t) cost = advance(t, cost);
    std::size_t best = states_;
    for (std::size_t s = 0; s < states_; ++s)
      if (is_over(s) && cost[s] < kFar && (best == states_ || cost[s] < cost[best])) best = s;
    if (best == states_) return std::nullopt;
    const double committed = machines_ > 0 ? prices_.machine() * machines_ : 0.0;
    return JointPlan{committed + cost[best], walk_back(best)};
  }

 private:
  struct Origin {
    std::int32_t state = -1;
    std::int32_t action = 0;
  };

  bool is_over(std::size_t state) const {
    for (const States& job : jobs_) {
      const auto own = static_cast<std::size_t>(job.count());
      if (!job.is_over(static_cast<int>(state % own))) return false;
      state /= own;
    }
    return true;
  }

  // The joint state after an action, and the GPUs it takes; nothing where it may not be.
  std::optional<std::pair<std::size_t, int>> after(std::size_t t, std::size_t state,
                                                   int action) const {
    std::size_t next = 0, scale = 1;
    int gpus = 0;
    for (const States& job : jobs_) {
      const auto own = static_cast<std::size_t>(job.count());
      const int to = action % job.gangs;
      const bool is_open = t >= job.job->from && t < job.job->to;
      const int reached = job.after(static_cast<int>(state % own), to, prices_.hours()[t], is_open);
      if (reached < 0) return std::nullopt;
      next += scale * static_cast<std::size_t>(reached);
      gpus += to * job.job->gang;
      scale *= own;
      state /= own;
      action /= job.gangs;
    }
    return std::pair(next, gpus);
  }

  std::vector<double> advance(std::size_t t, const std::vector<double>& cost) {
    std::vector<double> then(states_, kNever);
    from_[t].assign(states_, {});
    for (std::size_t s = 0; s < states_; ++s) {
      if (!(cost[s] < kNever)) continue;
      for (int action = 0; action < actions_; ++action) {
        const auto reached = after(t, s, action);
        if (!reached) continue;
        const auto [next, gpus] = *reached;
        const int load = online_[t] + gpus;
        if (!prices_.may_hold(load)) continue;
        const int rented = prices_.rented(load, machines_);
        const double rent = rented > 0 ? rented * prices_.hourly() : 0.0;
        const double paid = cost[s] + prices_.hours()[t] * (rent + prices_.working() * load);
        if (paid >= then[next]) continue;
        then[next] = paid;
        from_[t][next] = {static_cast<std::int32_t>(s), action};
      }
    }
    return then;
  }

  std::vector<Plan> walk_back(std::size_t state) const {
    std::vector<Plan> plans;
    for (const States& job : jobs_)
      plans.emplace_back(job.job->to - job.job->from, std::uint8_t{0});
    for (std::size_t t = from_.size(); t-- > 0;) {
      const Origin origin = from_[t][state];
      int action = origin.action;
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        const int to = action % jobs_[j].gangs;
        action /= jobs_[j].gangs;
        if (to > 0) plans[j][t - jobs_[j].job->from] = static_cast<std::uint8_t>(to);
      }
      state = static_cast<std::size_t>(origin.state);
    }
    return plans;
  }

  const PoolPrices& prices_;
  std::span<const int> online_;
  int machines_;
  std::vector<States> jobs_;
  std::size_t states_ = 1;
  int actions_ = 1;
  std::vector<std::vector<Origin>> from_;
};

}  // namespace

bool is_small(const PoolPrices& prices, std::span<const Job> jobs) {
  double tried = static_cast<double>(prices.hours().size());
  for (const Job& job : jobs) {
    if (job.to <= job.from) return false;
    const auto window = prices.hours().subspan(job.from, job.to - job.from);
    const double gangs = job.most + 1;
    tried *= gangs * gangs * (steps_of(job, window).all + 1);
  }
  return tried <= kMostTried;
}

std::optional<JointPlan> place_together(const PoolPrices& prices, std::span<const int> online,
                                        std::span<const Job> jobs, int machines) {
  return Joint(prices, online, jobs, machines).solve();
}

}  // namespace loadfactor::fleet
