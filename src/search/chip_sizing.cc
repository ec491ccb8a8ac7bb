// Deployments chip by chip: each chip's fleet is found as if there were no other, so that a figure
// does not depend on the company it keeps.
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "demand/generate.h"
#include "search/candidates.h"
#include "search/serving_settle.h"
#include "search/serving_sizing.h"

namespace loadfactor::search {
namespace {

constexpr std::size_t kRows = 8;
constexpr std::int64_t kMostRecorded = 50'000'000;  // Requests kept in memory, eight bytes each.

// The deployments of one chip, or of all where they are one group, and what became of them.
struct ChipSizing {
  std::vector<SizedDeployment> all;  // By their cost in closed form.
  SizedDeployment at_best;           // None of them is cheaper than this.
  bool is_tried = false;
  bool is_settled = false;
  SizingAnswer answer;

  // Tried in simulation, and no fleet of it keeps the SLO within the limits.
  bool is_out() const { return is_tried && !is_settled; }
};

// Weeks of more requests than are simulated take too long for every chip: all chips are one group
// then, whose cheapest is sought.
bool is_by_chip(const SizingProblem& problem) {
  const double requests = problem.trace != nullptr
                              ? static_cast<double>(problem.trace->size())
                              : demand::expected_rate(problem.model).base() * kWeekSeconds;
  return requests <= static_cast<double>(problem.most_requests);
}

// In the order of what their chips may cost at best.
std::vector<ChipSizing> by_chip(const SizingProblem& problem, const Weeks& weeks,
                                const std::vector<SizedDeployment>& all) {
  std::vector<ChipSizing> chips;
  std::map<const catalog::AcceleratorSpec*, std::size_t> places;
  const bool is_split = is_by_chip(problem);
  for (const SizedDeployment& d : all) {
    const auto* group = is_split ? d.plan.choice.chip : nullptr;
    const auto [place, is_new] = places.emplace(group, chips.size());
    const SizedDeployment best = at_best(problem, weeks, d);
    if (is_new) chips.push_back({.all = {}, .at_best = best});
    ChipSizing& chip = chips[place->second];
    chip.all.push_back(d);
    if (is_cheaper(best, chip.at_best)) chip.at_best = best;
  }
  std::stable_sort(chips.begin(), chips.end(), [](const ChipSizing& a, const ChipSizing& b) {
    return is_cheaper(a.at_best, b.at_best);
  });
  return chips;
}

bool contains(const std::vector<SizedDeployment>& all, const SizedDeployment& d) {
  return std::any_of(all.begin(), all.end(), [&](const SizedDeployment& other) {
    return other.plan.step == d.plan.step && other.prompts.has_value() == d.prompts.has_value();
  });
}

bool has_chip(const std::vector<SizedDeployment>& all, const SizedDeployment& d) {
  return std::any_of(all.begin(), all.end(), [&](const SizedDeployment& other) {
    return other.plan.choice.chip == d.plan.choice.chip;
  });
}

// The best few in simulation; what was not simulated follows in the order of its cost.
void settle_chip(const SizingProblem& problem, const Weeks& weeks, RecordedWeeks& recorded,
                 ChipSizing& chip) {
  SizingAnswer& answer = chip.answer;
  chip.is_tried = true;
  const auto count =
      std::min(chip.all.size(), static_cast<std::size_t>(std::max(1, problem.confirm)));
  Candidates candidates(problem, weeks, chip.all, count);
  // The rate per replica as simulated, which may change the order.
  const auto first = chip.all.begin();
  answer.best = candidates.rated({first, first + static_cast<std::ptrdiff_t>(count)}, answer);
  if (answer.best.empty()) answer.best = candidates.take_next(count, answer);
  if (problem.is_stopped()) return;
  problem.report(kShareWithRates);
  settle(recorded, weeks, candidates, answer);
  if (!answer.best.empty() && is_too_large(problem, answer.best.front(), answer))
    answer.best.clear();
  chip.is_settled = !answer.best.empty();
  if (!chip.is_settled) return;
  answer.hard_week.tape = recorded.known(answer.hard_week.seed, answer.hard_week.seconds);
  answer.candidates = answer.best;
  for (SizedDeployment& d : candidates.untaken())
    if (!contains(answer.best, d)) answer.candidates.push_back(std::move(d));
  for (auto* rows : {&answer.best, &answer.candidates})
    for (SizedDeployment& d : *rows) d.hard_week = answer.hard_week;
}

void add_counts(const SizingAnswer& one, SizingAnswer& all) {
  all.simulated_requests += one.simulated_requests;
  const bool is_smaller = all.fewest_gpus == 0 || one.fewest_gpus < all.fewest_gpus;
  if (one.fewest_gpus == 0 || !is_smaller) return;
  all.fewest_gpus = one.fewest_gpus;
  all.fewest_replicas = one.fewest_replicas;
}

// Chips one after the other; one that cannot be cheaper than the answer is left, unless every chip
// is asked for. Returns the cheapest.
const ChipSizing* settle_chips(const SizingProblem& problem, const Weeks& weeks,
                               RecordedWeeks& recorded, std::vector<ChipSizing>& chips) {
  const ChipSizing* cheapest = nullptr;
  for (ChipSizing& chip : chips) {
    const bool is_dearer =
        cheapest != nullptr && !is_cheaper(chip.at_best, cheapest->answer.best.front());
    if (is_dearer && !problem.every_chip) break;
    settle_chip(problem, weeks, recorded, chip);
    if (problem.is_stopped()) return nullptr;
    if (!chip.is_settled) continue;
    const SizedDeployment& first = chip.answer.best.front();
    if (cheapest == nullptr || is_cheaper(first, cheapest->answer.best.front())) cheapest = &chip;
  }
  return cheapest;
}

// The rows of the answer: the cheapest, the first of every other chip, since by rent it may be the
// last and by another way to pay the first, and then what else is cheap.
std::vector<SizedDeployment> rows_of(const std::vector<ChipSizing>& chips,
                                     const ChipSizing& cheapest,
                                     const std::vector<SizedDeployment>& known) {
  std::vector<SizedDeployment> firsts;
  for (const ChipSizing& chip : chips) {
    if (&chip == &cheapest) continue;
    if (chip.is_settled) firsts.push_back(chip.answer.best.front());
    if (!chip.is_tried) firsts.push_back(chip.all.front());
  }
  std::vector<SizedDeployment> rest;
  for (const SizedDeployment& d : known)
    if (!contains(firsts, d) && !contains({cheapest.answer.best.front()}, d)) rest.push_back(d);
  const std::size_t taken = 1 + firsts.size();
  rest.resize(std::min(rest.size(), kRows > taken ? kRows - taken : 0));
  firsts.insert(firsts.end(), rest.begin(), rest.end());
  std::stable_sort(firsts.begin(), firsts.end(), is_cheaper);
  firsts.insert(firsts.begin(), cheapest.answer.best.front());
  for (const SizedDeployment& d : known)
    if (!has_chip(firsts, d)) firsts.push_back(d);
  return firsts;
}

void combine(const std::vector<ChipSizing>& chips, const ChipSizing& cheapest,
             SizingAnswer& answer) {
  std::vector<SizedDeployment> known;
  for (const ChipSizing& chip : chips) {
    if (chip.is_out()) continue;
    const auto& rows = chip.is_settled ? chip.answer.candidates : chip.all;
    known.insert(known.end(), rows.begin(), rows.end());
  }
  for (SizedDeployment& d : known)
    if (d.hard_week.seconds == 0) d.hard_week = cheapest.answer.hard_week;
  std::stable_sort(known.begin(), known.end(), is_cheaper);
  answer.best = rows_of(chips, cheapest, known);
  answer.pareto = frontier(known);
  answer.next_cheaper = cheapest.answer.next_cheaper;
  answer.untried = cheapest.answer.untried;
  answer.hard_week = cheapest.answer.hard_week;
  answer.candidates = std::move(known);
}

}  // namespace

SizingAnswer size_deployment(const SizingProblem& problem) {
  SizingAnswer answer;
  const auto made =
      problem.trials ? problem.trials : std::make_shared<const Weeks>(trial_weeks(problem));
  auto all = evaluate_closed_form(problem, *made, answer);
  if (all.empty()) return answer;
  answer.closed_form_cost = all.front().cost_per_hour;
  if (problem.confirm == 0) {
    answer.pareto = frontier(all);
    answer.best = all;
    answer.best.resize(std::min(all.size(), kRows));
    for (const SizedDeployment& d : all)
      if (!has_chip(answer.best, d)) answer.best.push_back(d);
    answer.candidates = std::move(all);
    return answer;
  }
  if (problem.is_stopped()) return answer;
  RecordedWeeks recorded(problem, kMostRecorded);
  std::vector<ChipSizing> chips = by_chip(problem, *made, all);
  const ChipSizing* cheapest = settle_chips(problem, *made, recorded, chips);
  for (const ChipSizing& chip : chips) add_counts(chip.answer, answer);
  if (cheapest == nullptr || problem.is_stopped()) return answer;
  combine(chips, *cheapest, answer);
  if (problem.thorough && answer.best.front().ttft > Seconds())
    simulate_scaling(recorded, answer.best.front(), answer);
  return answer;
}

}  // namespace loadfactor::search
