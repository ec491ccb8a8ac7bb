#include "search/serving_settle.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "search/fleet_memory.h"
#include "search/serving_weeks.h"
#include "search/trial_weeks.h"

namespace loadfactor::search {
namespace {

// The trial of fleets: those that grow until they keep the SLO, those below that do not.
class Settlement {
 public:
  Settlement(RecordedWeeks& recorded, const Weeks& weeks, Candidates& candidates,
             SizingAnswer& answer)
      : problem_(recorded.problem()),
        recorded_(recorded),
        weeks_(weeks),
        candidates_(candidates),
        answer_(answer) {}

  void run() {
    for (const SizedDeployment& d : answer_.best) add_trial(d);
    if (!trials_.empty()) add_candidates(cheapest()->fleet);
    std::stable_sort(answer_.best.begin(), answer_.best.end(), is_cheaper);
    if (trials_.empty() || !problem_.simulates_weeks) return;
    if (!grow_until_kept()) {
      accept(*cheapest(), cheapest()->fleet);
      return put_first(current_);
    }
    do {
      while (problem_.thorough && step_down()) {
      }
    } while (add_candidates(current_) && grow_until_kept());
    answer_.untried = candidates_.count_below(current_);
    for (const NextCheaper& missed : missed_) {
      if (!is_cheaper(missed.fleet, current_)) continue;
      auto& next = answer_.next_cheaper;
      if (!next || is_cheaper(next->fleet, missed.fleet)) next = missed;
    }
    prefer_plainer();
    put_first(current_);
  }

 private:
  struct Trial {
    SizedDeployment fleet;
    std::unique_ptr<SimulatedFleet> simulated;
    bool is_quick = false;
  };

  void add_trial(const SizedDeployment& d) {
    if (is_beyond_simulation(d)) return;
    auto simulated = std::make_unique<SimulatedFleet>(problem_, d);
    const bool is_quick = simulated->is_quick();
    trials_.push_back({d, std::move(simulated), is_quick});
  }

  // Takes in candidates that might be cheaper than the answer; false where there are none, or
  // enough was simulated.
  bool add_candidates(const SizedDeployment& answer) {
    const std::size_t most = problem_.thorough ? 24 : 2;
    constexpr std::size_t kAtOnce = 4;
    constexpr std::int64_t kMostRequests = 120'000'000;
    while (candidates_tried_ < most && answer_.simulated_requests < kMostRequests) {
      if (candidates_.count_below(answer) == 0) return false;
      const std::size_t asked = std::min(kAtOnce, most - candidates_tried_);
      candidates_tried_ += asked;
      const auto added = candidates_.take(answer, asked, answer_);
      for (const SizedDeployment& d : added) {
        answer_.best.push_back(d);
        add_trial(d);
      }
      if (!added.empty()) return true;
    }
    return false;
  }

  // Takes in the next at any cost, where the only fleet left is larger than the limit.
  bool add_next() {
    const std::size_t before = trials_.size();
    for (const SizedDeployment& d : candidates_.take_next(1, answer_)) {
      answer_.best.push_back(d);
      add_trial(d);
    }
    return trials_.size() > before;
  }

  // Among fleets of equal cost, one whose weeks are simulated quickly: where a single pool keeps
  // the SLO, two pools need not be simulated step by step.
  Trial* cheapest() {
    const auto comes_first = [](const Trial& a, const Trial& b) {
      if (is_cheaper(a.fleet, b.fleet)) return true;
      if (is_cheaper(b.fleet, a.fleet)) return false;
      return a.is_quick && !b.is_quick;
    };
    return &*std::min_element(trials_.begin(), trials_.end(), comes_first);
  }

  // Weeks about the line, simulated unless it is known what becomes of the fleet there.
  WeekRuns runs_of(const Trial& trial, const SizedDeployment& fleet) {
    const double mean = weeks_.levels.front().mean;
    FleetMemory* memory = problem_.memory.get();
    if (memory != nullptr)
      if (auto known = memory->weeks(fleet, mean)) return *std::move(known);
    const std::vector<std::uint64_t>& seeds = weeks_for(trial);
    const int lead = std::max(2, static_cast<int>(seeds.size()) / 4);
    const WeekRuns runs = try_weeks(recorded_, *trial.simulated, fleet, seeds, lead);
    answer_.simulated_requests += runs.requests;
    const bool is_whole = runs.requests > 0 && !problem_.is_stopped();
    if (memory != nullptr && is_whole) memory->keep(fleet, mean, runs);
    return runs;
  }

  // Tries the fleet on weeks about the line, and remembers a miss.
  WeekRuns judge(const Trial& trial, SizedDeployment& fleet) {
    const WeekRuns runs = runs_of(trial, fleet);
    fleet.simulated = runs.count;
    // Weeks in which nobody comes keep every promise, and say nothing of the fleet.
    fleet.is_confirmed = runs.requests > 0 && keeps_enough(runs.count);
    const FleetRun& shown = fleet.is_confirmed ? runs.first : runs.worst;
    fleet.ttft = shown.ttft;
    fleet.tpot = shown.tpot;
    fleet.within_slo = shown.within;
    fleet.sampled = shown.sampled;
    if (!fleet.is_confirmed) missed_.push_back({fleet, runs.count});
    return runs;
  }

  void accept(const Trial& trial, const SizedDeployment& fleet) {
    current_ = fleet;
    answer_.hard_week = {.seed = weeks_for(trial).front(),
                         .seconds = simulated_seconds(problem_, *trial.simulated)};
  }

  // Ranked once, by the first fleet that is tried, for engines that simulate as much of a week.
  const std::vector<std::uint64_t>& weeks_for(const Trial& trial) {
    const std::pair key(simulated_seconds(problem_, *trial.simulated),
                        weeks_to_run(problem_, *trial.simulated));
    auto& seeds = seeds_[key];
    if (seeds.empty()) seeds = hard_weeks(problem_, trial.fleet, key.first, key.second);
    return seeds;
  }

  bool grow_until_kept() {
    constexpr int kMostTrials = 24;
    for (int i = 0; i < kMostTrials && !trials_.empty() && !problem_.is_stopped(); ++i) {
      problem_.report(kShareWithRates + (1 - kShareWithRates) * i / kMostTrials);
      if (current_.is_confirmed && !is_cheaper(cheapest()->fleet, current_)) return true;
      // Rates are quick to simulate and weeks are not: whoever may be cheaper comes in first.
      if (add_candidates(cheapest()->fleet)) continue;
      Trial& trial = *cheapest();
      const WeekRuns runs = judge(trial, trial.fleet);
      if (trial.fleet.is_confirmed) {
        accept(trial, trial.fleet);
        return true;
      }
      if (runs.requests == 0) break;
      grow(trial.fleet, runs.worst);
      if (!is_too_large(problem_, trial.fleet, answer_)) continue;
      const auto place = &trial - trials_.data();
      if (trials_.size() == 1 && !add_next()) break;
      trials_.erase(trials_.begin() + place);
    }
    return current_.is_confirmed;
  }

  // Where a plainer fleet on the same machines costs as good as the same and keeps the SLO, it is
  // the answer: nobody runs an odd layout for the pennies of electricity that it saves.
  void prefer_plainer() {
    constexpr std::size_t kMostTried = 2;
    for (const SizedDeployment& d : candidates_.take_plainer(current_, kMostTried, answer_)) {
      answer_.best.push_back(d);
      add_trial(d);
    }
    std::vector<Trial*> plainer;
    for (Trial& trial : trials_)
      if (is_plainer_tie(trial.fleet, current_)) plainer.push_back(&trial);
    std::stable_sort(plainer.begin(), plainer.end(), [](const Trial* a, const Trial* b) {
      return std::pair(oddities(a->fleet), a->fleet.cost_per_hour) <
             std::pair(oddities(b->fleet), b->fleet.cost_per_hour);
    });
    plainer.resize(std::min(plainer.size(), kMostTried));
    for (Trial* trial : plainer) {
      if (problem_.is_stopped()) return;
      judge(*trial, trial->fleet);
      if (!trial->fleet.is_confirmed) continue;
      odder_ = current_;
      return accept(*trial, trial->fleet);
    }
  }

  void grow(SizedDeployment& fleet, const FleetRun& run) {
    const auto more = [](int replicas) { return replicas + std::max(1, replicas / 30); };
    if (!fleet.prompts || !run.each_kept || run.first_kept) fleet.replicas = more(fleet.replicas);
    if (fleet.prompts && !run.first_kept) fleet.prompts->replicas = more(fleet.prompts->replicas);
    price_fleet(problem_, weeks_, fleet);
  }

  // Tries, for every candidate, the largest fleet below the cost of the one that keeps the SLO.
  bool step_down() {
    for (Trial& trial : trials_) {
      for (SizedDeployment fleet : below(trial.fleet)) {
        if (problem_.is_stopped()) return false;
        if (const NextCheaper* larger = known_to_miss(fleet)) {
          const NextCheaper smaller{fleet, larger->simulated, larger->is_fluid};
          missed_.push_back(smaller);  // It misses at least as often as the larger.
          continue;
        }
        if (misses_in_fluid_limit(trial, fleet)) continue;
        judge(trial, fleet);
        if (!fleet.is_confirmed) continue;
        accept(trial, fleet);
        return true;
      }
    }
    return false;
  }

  // Where only part of a week can be simulated, the fluid limit has to keep whole weeks too. So it
  // has where nothing is promised: no simulation could miss that, and queues would last for hours.
  // What it misses in every week by far, with a rate that was simulated, is not worth a week of
  // another layout.
  bool misses_in_fluid_limit(const Trial& trial, const SizedDeployment& fleet) {
    constexpr double kByFar = 0.95;
    const double seconds = simulated_seconds(problem_, *trial.simulated);
    const bool is_promised = problem_.ask.ttft > Seconds() || problem_.ask.tpot > Seconds();
    const bool is_part = !is_promised || (seconds > 0 && seconds < 0.999 * kWeekSeconds);
    const bool is_other = fleet.plan.step != current_.plan.step;
    const bool is_swamped =
        fleet.replicas < fewest_for_work(weeks_, fleet.figures.capacity.saturated);
    const bool is_ruled_out = is_other && weeks_kept(weeks_, fleet, kByFar) == 0;
    if (!is_swamped && !is_ruled_out && (!is_part || fleet.weeks_kept >= kWeeksToKeep))
      return false;
    missed_.push_back({fleet, {kTrialWeeks, fleet.weeks_kept}, true});
    return true;
  }

  std::vector<SizedDeployment> below(const SizedDeployment& like) const {
    std::vector<SizedDeployment> fleets;
    if (like.prompts) {
      const bool is_answer = like.plan.step == current_.plan.step;
      for (const int which : {0, 1}) {
        SizedDeployment fleet = is_answer ? current_ : like;
        int& replicas = which == 0 ? fleet.replicas : fleet.prompts->replicas;
        if (--replicas < 1) continue;
        price_fleet(problem_, weeks_, fleet);
        if (is_cheaper(fleet, current_)) fleets.push_back(fleet);
      }
      return fleets;
    }
    SizedDeployment fleet = like;
    fleet.replicas = std::max(fleet.replicas, 1) + 1;
    do {
      if (--fleet.replicas < 1) return fleets;
      price_fleet(problem_, weeks_, fleet);
    } while (!is_cheaper(fleet, current_));
    fleets.push_back(fleet);
    return fleets;
  }

  // A fleet of the same replicas, no smaller, that missed.
  const NextCheaper* known_to_miss(const SizedDeployment& fleet) const {
    const auto at = std::find_if(missed_.begin(), missed_.end(), [&](const NextCheaper& missed) {
      const auto& c = missed.fleet.plan.choice;
      const bool same =
          c.chip == fleet.plan.choice.chip && missed.fleet.plan.step == fleet.plan.step;
      if (!same || missed.fleet.replicas < fleet.replicas) return false;
      return !fleet.prompts || missed.fleet.prompts->replicas >= fleet.prompts->replicas;
    });
    return at == missed_.end() ? nullptr : &*at;
  }
  bool is_known_to_miss(const SizedDeployment& fleet) const {
    return known_to_miss(fleet) != nullptr;
  }

  void put_first(const SizedDeployment& fleet) {
    std::vector<SizedDeployment> rest;
    for (const SizedDeployment& d : answer_.best)
      if (d.plan.step != fleet.plan.step) rest.push_back(d);
    // What is known of the others by now; a fleet that missed is not shown as an answer.
    for (SizedDeployment& d : rest)
      for (const Trial& trial : trials_)
        if (trial.fleet.plan.step == d.plan.step) d = trial.fleet;
    for (SizedDeployment& d : rest) {
      if (odder_ && odder_->plan.step == d.plan.step) {
        d = *odder_;
        continue;
      }
      const bool below = is_cheaper(d, fleet) || is_known_to_miss(d);
      if (below) grow_beyond(d, fleet);
    }
    std::stable_sort(rest.begin(), rest.end(), is_cheaper);
    answer_.best = {fleet};
    answer_.best.insert(answer_.best.end(), rest.begin(), rest.end());
  }

  // The fleet of another candidate that is not yet known to miss.
  void grow_beyond(SizedDeployment& d, const SizedDeployment& answer) const {
    for (int i = 0; i < 1000 && (is_cheaper(d, answer) || is_known_to_miss(d)); ++i) {
      ++d.replicas;
      price_fleet(problem_, weeks_, d);
    }
    d.is_confirmed = false;
    d.simulated = {};
  }

  const SizingProblem& problem_;
  RecordedWeeks& recorded_;
  const Weeks& weeks_;
  Candidates& candidates_;
  SizingAnswer& answer_;
  std::size_t candidates_tried_ = 0;
  std::vector<Trial> trials_;
  std::vector<NextCheaper> missed_;
  std::map<std::pair<double, int>, std::vector<std::uint64_t>> seeds_;
  SizedDeployment current_;
  std::optional<SizedDeployment> odder_;  // Cheaper than the answer by less than a tie counts.
};

}  // namespace

bool is_beyond_simulation(const SizedDeployment& d) {
  constexpr int kMostSimulated = 20'000;
  return d.replicas > kMostSimulated / d.plan.choice.layout.dp;
}

void settle(RecordedWeeks& recorded, const Weeks& weeks, Candidates& candidates,
            SizingAnswer& answer) {
  Settlement(recorded, weeks, candidates, answer).run();
}

}  // namespace loadfactor::search
