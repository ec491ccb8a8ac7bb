#include "fleet/filling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/random.h"
#include "fleet/joint.h"
#include "fleet/placing.h"

namespace loadfactor::fleet {
namespace {

constexpr double kNothing = 1e-9;
constexpr int kTries = 24;
constexpr int kSweeps = 4;
constexpr std::size_t kFewPlacings = 200;    // Slots times jobs up to which patience is long.
constexpr std::size_t kManyPlacings = 4000;  // And from which on it is short.

// Machines all the time, with a cost that none can undercut.
struct Candidate {
  double bound = 0;
  int machines = 0;
};

// The first slots of windows and their ends, each pair once, with the whole time.
std::set<std::pair<std::size_t, std::size_t>> windows_of(std::size_t slots,
                                                         std::span<const Job> jobs) {
  std::set<std::pair<std::size_t, std::size_t>> windows{{0, slots}};
  constexpr std::size_t kMostWindows = 40;
  for (const Job& job : jobs)
    if (windows.size() < kMostWindows) windows.insert({job.from, job.to});
  return windows;
}

class Candidates {
 public:
  Candidates(const PoolPrices& prices, std::span<const int> online, std::span<const Job> jobs)
      : prices_(prices), online_(online) {
    int top = online.empty() ? 0 : *std::max_element(online.begin(), online.end());
    for (const Job& job : jobs) top += job.gang * job.most;
    const int machine = prices.pool().machine;
    int most = prices.has_committed() ? (top + machine - 1) / machine : 0;
    if (prices.pool().most) most = std::min(most, *prices.pool().most / machine);
    collect_windows(jobs);
    collect_gangs(jobs);
    for (const Job& job : jobs) held_ += job.gang * (job.work + job.reload);
    for (std::size_t t = 0; t < online.size(); ++t) held_ += prices.hours()[t] * online[t];
    for (int n = 0; n <= most; ++n) all_.push_back({bound(n), n});
    std::stable_sort(all_.begin(), all_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
  }
  const std::vector<Candidate>& all() const { return all_; }

 private:
  struct Window {
    std::size_t from = 0, to = 0;
    double work = 0;  // GPU-hours that must be done inside.
  };

  void collect_windows(std::span<const Job> jobs) {
    for (const auto& [from, to] : windows_of(online_.size(), jobs)) {
      Window window{from, to, 0};
      for (const Job& job : jobs)
        if (from <= job.from && job.to <= to) window.work += job.gang * (job.work + job.reload);
      windows_.push_back(window);
    }
  }

  struct Gang {
    int gpus = 1;
    int least = 0;     // GPUs that others hold in the quietest slot of its window.
    double hours = 0;  // That it works.
  };

  void collect_gangs(std::span<const Job> jobs) {
    for (const Job& job : jobs) {
      if (job.from >= job.to || job.to > online_.size()) continue;
      const auto window = online_.subspan(job.from, job.to - job.from);
      gangs_.push_back(
          {job.gang, *std::min_element(window.begin(), window.end()), job.work + job.reload});
    }
  }

  // GPU-hours that gangs rent which are wider than the deepest valley of their window.
  double beyond_valleys(int machines) const {
    double rented = 0;
    for (const Gang& gang : gangs_) {
      const int valley =
          std::max(machines * prices_.pool().machine - gang.least, prices_.pool().rented_by - 1);
      rented += gang.hours * std::max(0, gang.gpus - valley);
    }
    return rented;
  }

  // Work that no valley of its window holds is rented.
  double bound(int machines) const {
    std::vector<double> free(online_.size() + 1, 0.0);
    double rent = 0;
    for (std::size_t t = 0; t < online_.size(); ++t) {
      const int extra = prices_.rented(online_[t], machines);
      const double hours = prices_.hours()[t];
      free[t + 1] = free[t] + hours * (machines * prices_.pool().machine + extra - online_[t]);
      rent += hours * extra;
    }
    double missing = beyond_valleys(machines);
    for (const Window& window : windows_)
      missing = std::max(missing, window.work - (free[window.to] - free[window.from]));
    const double committed = machines > 0 ? prices_.machine() * machines : 0.0;
    const double rented = rent + missing > 0 ? prices_.hourly() * (rent + missing) : 0.0;
    return committed + prices_.working() * held_ + rented;
  }

  const PoolPrices& prices_;
  std::span<const int> online_;
  double held_ = 0;  // GPU-hours that somebody works at least.
  std::vector<Window> windows_;
  std::vector<Gang> gangs_;
  std::vector<Candidate> all_;
};

class Filling {
 public:
  Filling(const PoolPrices& prices, std::span<const int> online, std::span<const Job> jobs,
          std::uint64_t seed)
      : prices_(prices), online_(online), jobs_(jobs), random_(seed, "fleet/fill") {
    by_gang_.resize(jobs.size());
    std::iota(by_gang_.begin(), by_gang_.end(), std::size_t{0});
    by_end_ = by_gang_;
    std::stable_sort(by_gang_.begin(), by_gang_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(-jobs[a].gang, -jobs[a].work) < std::pair(-jobs[b].gang, -jobs[b].work);
    });
    std::stable_sort(by_end_.begin(), by_end_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(jobs[a].to, -jobs[a].gang) < std::pair(jobs[b].to, -jobs[b].gang);
    });
  }

  Filled fill() {
    const Candidates candidates(prices_, online_, jobs_);
    best_.bound = candidates.all().empty() ? kFar : candidates.all().front().bound;
    const bool is_exact = is_small(prices_, jobs_);
    for (const Candidate& candidate : candidates.all()) {
      if (candidate.bound >= best_.cost - kNothing) break;
      if (is_exact)
        take_joint(candidate.machines);
      else
        try_orders(candidate);
    }
    best_.is_exact = is_exact || best_.cost <= best_.bound + kNothing;
    if (best_.is_exact) best_.bound = best_.cost;
    return std::move(best_);
  }

 private:
  bool has_room(std::span<const int> load) const {
    return std::all_of(load.begin(), load.end(), [&](int gpus) { return prices_.may_hold(gpus); });
  }

  void take_joint(int machines) {
    if (!has_room(online_)) return;
    const auto found = place_together(prices_, online_, jobs_, machines);
    if (found && found->cost < best_.cost)
      best_ = {found->cost, best_.bound, machines, true, found->plans};
  }

  int patience() const {
    const std::size_t size = online_.size() * jobs_.size();
    if (size <= kFewPlacings) return 10;
    return size <= kManyPlacings ? 2 : 1;
  }

  void try_orders(const Candidate& candidate) {
    if (!has_room(online_)) return;
    int idle = 0;
    const int tries = jobs_.size() > 1 ? kTries : 1;
    for (int number = 0; number < tries && idle < patience(); ++number) {
      if (candidate.bound >= best_.cost - kNothing) return;
      ++idle;
      if (!sweep(candidate.machines, number)) return;
      if (tried_cost_ >= best_.cost - kNothing) continue;
      best_ = {tried_cost_, best_.bound, candidate.machines, false, tried_};
      idle = 0;
    }
  }

  std::vector<std::size_t> order(int number) {
    if (number == 0) return by_gang_;
    if (number == 1) return by_end_;
    std::vector<std::size_t> order = by_gang_;
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(random_.uniform() * static_cast<double>(i))]);
    return order;
  }

  // Every job is taken out and put back where it is cheapest beside the others, until that gains
  // nothing. False where one cannot be placed.
  bool sweep(int machines, int number) {
    const auto sequence = order(number);
    std::vector<double> taste(online_.size(), 1.0);
    if (number > 1)
      for (double& each : taste) each = random_.uniform();
    std::vector<int> load(online_.begin(), online_.end());
    tried_.assign(jobs_.size(), {});
    tried_cost_ = kFar;
    for (int round = 0; round < kSweeps; ++round) {
      const double noise = number > 1 && round == 0 ? 0.5 : 0.0;
      for (const std::size_t i : sequence) {
        add(load, jobs_[i], tried_[i], -1);
        auto plan = placed_.place(prices_, {&jobs_[i], load, machines, taste, noise});
        if (!plan) return false;
        tried_[i] = *std::move(plan);
        add(load, jobs_[i], tried_[i], 1);
      }
      const double before = tried_cost_;
      tried_cost_ = prices_.cost(load, machines);
      if (tried_cost_ >= before - kNothing) break;
    }
    return true;
  }

  static void add(std::vector<int>& load, const Job& job, const Plan& plan, int sign) {
    for (std::size_t t = 0; t < plan.size(); ++t) load[job.from + t] += sign * job.gang * plan[t];
  }

  const PoolPrices& prices_;
  std::span<const int> online_;
  std::span<const Job> jobs_;
  RandomStream random_;
  PlacedBefore placed_;
  std::vector<std::size_t> by_gang_, by_end_;
  std::vector<Plan> tried_;
  double tried_cost_ = kFar;
  Filled best_;
};

}  // namespace

Filled fill(const PoolPrices& prices, std::span<const int> online, std::span<const Job> jobs,
            std::uint64_t seed) {
  return Filling(prices, online, jobs, seed).fill();
}

double least_cost(const PoolPrices& prices, std::span<const int> online,
                  std::span<const Job> jobs) {
  const Candidates candidates(prices, online, jobs);
  return candidates.all().front().bound;
}

}  // namespace loadfactor::fleet
