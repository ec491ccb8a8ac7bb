// Which layouts train a model best: machines are listed, each is searched, plans are compared.
#include "loadfactor/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "engine/core.h"
#include "engine/train/missed_limits.h"
#include "engine/train/search_front.h"
#include "engine/train/search_machines.h"
#include "engine/train/search_why.h"
#include "engine/train/train_answer.h"
#include "engine/train/train_goodput.h"
#include "training/memory/memory_plan.h"

namespace loadfactor {
namespace {

using engine::ChosenLayout;
using engine::PayRule;
using engine::SearchMachine;
using search::FoundPlan;
using search::SearchOptions;

struct Candidate {
  const SearchMachine* machine = nullptr;
  FoundPlan plan;
};

struct MachineBest {
  const SearchMachine* machine = nullptr;
  std::vector<FoundPlan> found;
};

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.plan.score != b.plan.score) return a.plan.score < b.plan.score;
  if (a.machine == b.machine && a.plan.time != b.plan.time) return a.plan.time < b.plan.time;
  if (a.machine->gpus() != b.machine->gpus()) return a.machine->gpus() < b.machine->gpus();
  return search::is_plainer(a.plan.layout, b.plan.layout);
}

// Whether two layouts are one to whoever reads them: with a single copy of the model they differ in
// how its state is shared, and in no figure that is shown.
bool are_twins(const Candidate& a, const Candidate& b) {
  constexpr double kShownTime = 1e-3;
  constexpr double kShownMemory = 1e-2;  // In whole percents of what there is.
  if (a.machine != b.machine || a.plan.layout.dp != 1) return false;
  training::Layout plain = a.plan.layout;
  plain.sharding = b.plan.layout.sharding;
  plain.shard_group = b.plan.layout.shard_group;
  return plain == b.plan.layout && std::abs(a.plan.time / b.plan.time - 1) < kShownTime &&
         std::abs(a.plan.needed / b.plan.needed - 1) < kShownMemory;
}

void drop_twins(std::vector<Candidate>& found) {
  std::vector<Candidate> kept;
  for (auto& candidate : found) {
    const bool is_twin = std::any_of(kept.begin(), kept.end(), [&](const Candidate& better) {
      return are_twins(better, candidate);
    });
    if (!is_twin) kept.push_back(std::move(candidate));
  }
  found = std::move(kept);
}

// One request from machines to plans.
class SearchRun {
 public:
  SearchRun(const SearchInputs& request, const engine::Core& core, SearchAnswer& answer)
      : request_(request), catalog_(core.catalog()), crew_(core.crew()), answer_(answer) {}

  void search_all(const std::vector<SearchMachine>& machines) {
    for (std::size_t i = 0; i < machines.size() && !answer_.stopped; ++i)
      search_one(machines[i], i, machines.size());
    answer_.machines = static_cast<std::int64_t>(machines.size());
    for (const auto& one : bests_)
      if (!answer_.stopped && !is_beaten(one)) add_lean(*one.machine, one.found);
    std::stable_sort(found_.begin(), found_.end(), is_better);
    drop_twins(found_);
    if (found_.empty() && !answer_.stopped) search_unlimited(machines);
  }

  void describe() {
    if (found_.empty()) return describe_nearest();
    const ChosenLayout best = chosen_of(*found_[0].machine, found_[0].plan);
    std::vector<Unpaid> unpaid;
    for (const auto& candidate : found_) unpaid.push_back(unpaid_of(candidate));
    for (const auto& candidate : lean_) unpaid.push_back(unpaid_of(candidate));
    std::vector<SearchPlan> pool;
    for (const auto& one : unpaid) pool.push_back(plan_of(one, best, one.candidate->machine->rule));
    const auto shown = std::min(found_.size(), request_.keep);
    answer_.plans.assign(pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(shown));
    for (const auto& one : unpaid) add_other_ways(one, best, pool);
    answer_.front = engine::pareto_front(pool);
    answer_.facts = answer_.plans[0].train.facts;
    note_price(*found_[0].machine);
    note_stages(answer_.plans[0].train);
    warn_about_hierarchy(best);
    warn_about_deadline(*found_[0].machine);
  }

 private:
  // A candidate as far as it does not matter how it is paid for.
  struct Unpaid {
    const Candidate* candidate = nullptr;
    ChosenLayout chosen;
    TrainAnswer train;
    engine::RunPrices prices;
  };

  SearchOptions options(std::size_t index, std::size_t count) const {
    SearchOptions out;
    out.prune = !request_.exhaustive;
    out.keep = request_.keep;
    out.threads = request_.threads;
    out.crew = crew_;
    out.stop = request_.stop;
    if (request_.progress)
      out.progress = [this, index, count](double share) {
        request_.progress((static_cast<double>(index) + share) / static_cast<double>(count));
      };
    return out;
  }

  void search_one(const SearchMachine& machine, std::size_t index, std::size_t count) {
    const auto found = search::search_layouts(machine.scene, options(index, count));
    ++answer_.machines_searched;
    answer_.enumerated += found.enumerated;
    answer_.evaluated += found.evaluated;
    answer_.stopped = found.stopped;
    if (found.enumerated == 0 && !found.stopped) answer_.excluded.push_back(machine.undivided());
    for (const auto& plan : found.best) found_.push_back(scored({&machine, plan}));
    if (!found.close.empty()) close_.push_back({&machine, found.close[0]});
    if (!found.best.empty()) bests_.push_back({&machine, found.best});
  }

  // On one machine what takes longer never costs less, so that its search needs no prices; machines
  // are compared by what is paid, to the end of what binds, or by the time that it is paid for.
  Candidate scored(Candidate candidate) const {
    const double penalty = search::handicap(candidate.plan.layout, candidate.plan.tight);
    candidate.plan.score =
        candidate.machine->score(answer_.objective, candidate.plan.time * penalty);
    return candidate;
  }

  // What it takes over the best, less one: without the handicap that memory which is nearly full,
  // or state on the host, has among equals, so that it may be less than the best takes.
  double behind(const Candidate& candidate) const {
    const auto real = [this](const Candidate& each) {
      return each.machine->score(answer_.objective, each.plan.time);
    };
    return real(candidate) / real(found_[0]) - 1.0;
  }

  // Days, dollars, GPUs and power of a machine's best plan; lower is better in each.
  static std::array<double, 4> figures_of(const MachineBest& one) {
    const SearchMachine& machine = *one.machine;
    const Seconds step = one.found[0].time;
    return {machine.score(Objective::kTime, step), machine.dollars(step),
            static_cast<double>(machine.gpus()), (machine.gpu_most * machine.paid_gpus).base()};
  }
  // Whether another machine is as good in all of these and better in one.
  bool is_beaten(const MachineBest& one) const {
    const auto mine = figures_of(one);
    return std::any_of(bests_.begin(), bests_.end(), [&](const MachineBest& other) {
      const auto figures = figures_of(other);
      bool better = false;
      for (std::size_t i = 0; i < mine.size(); ++i) {
        if (figures[i] > mine[i]) return false;
        better = better || figures[i] < mine[i];
      }
      return better;
    });
  }

  // The fastest that leave a quarter and half of the memory free: ends of the front. Where one of
  // the best does, the first of them is it.
  void add_lean(const SearchMachine& machine, const std::vector<FoundPlan>& best) {
    const Bytes capacity = training::memory_question(machine.scene.scene.job).capacity;
    SearchOptions one;
    for (const double share : {0.75, 0.5}) {
      const bool held = std::any_of(best.begin(), best.end(), [&](const FoundPlan& plan) {
        return plan.needed <= capacity * share;
      });
      if (!held) one.shares.push_back(share);
    }
    if (one.shares.empty()) return;
    search::SearchScene scene = machine.scene;
    scene.fullest = std::min(scene.fullest, one.shares[0]);
    one.keep = 1;
    one.threads = request_.threads;
    one.crew = crew_;
    one.stop = request_.stop;
    for (const auto& plans : search::search_layouts(scene, one).lean)
      for (const auto& plan : plans) lean_.push_back({&machine, plan});
  }

  // Where a budget or a deadline leaves nothing, the best of every machine without them.
  void search_unlimited(const std::vector<SearchMachine>& machines) {
    for (const SearchMachine& machine : machines) {
      if (machine.scene.longest == Seconds()) continue;
      search::SearchScene scene = machine.scene;
      scene.longest = Seconds();
      SearchOptions one;
      one.keep = 1;
      one.threads = request_.threads;
      one.crew = crew_;
      one.stop = request_.stop;
      const auto found = search::search_layouts(scene, one);
      for (const auto& plan : found.best)
        for (auto& run : engine::open_runs(catalog_, machine, plan.time))
          unlimited_.push_back(std::move(run));
      if (!found.close.empty()) close_.push_back({&machine, found.close[0]});
      limits_ = &machine.prices;
    }
  }

  // What is soonest may not be cheapest, of the ways to pay too: the front has both.
  void add_other_ways(const Unpaid& unpaid, const ChosenLayout& best,
                      std::vector<SearchPlan>& pool) const {
    const SearchMachine& machine = *unpaid.candidate->machine;
    const auto work = machine.work_time(unpaid.candidate->plan.time);
    for (const auto rule : {PayRule::kCheapest, PayRule::kSoonest})
      if (machine.prices.chosen(work, rule) != machine.prices.chosen(work, machine.rule))
        pool.push_back(plan_of(unpaid, best, rule));
  }

  Unpaid unpaid_of(const Candidate& candidate) const {
    const SearchMachine& machine = *candidate.machine;
    const ChosenLayout chosen = chosen_of(machine, candidate.plan);
    TrainAnswer train = engine::describe_training(*machine.setup, chosen);
    engine::add_stages(machine.later, train);
    auto prices = engine::run_prices(catalog_, *machine.setup, engine::size_of(train));
    return {&candidate, chosen, std::move(train), std::move(prices)};
  }

  SearchPlan plan_of(const Unpaid& unpaid, const ChosenLayout& best, PayRule rule) const {
    const Candidate& candidate = *unpaid.candidate;
    const SearchMachine& machine = *candidate.machine;
    const ChosenLayout& chosen = unpaid.chosen;
    SearchPlan plan;
    plan.train = unpaid.train;
    engine::add_goodput(unpaid.prices, *machine.setup, plan.train, rule);
    const Watts power = machine.gpu_power * plan.train.paid_gpus;
    const auto energy = [power](const EstimateOf<Seconds>& time) -> EstimateOf<Joules> {
      return {power * time.value(), power * time.low(), power * time.high(), Basis::kModelled,
              time.source()};
    };
    plan.step_energy = energy(plan.train.step_time);
    if (plan.train.duration) plan.run_energy = energy(*plan.train.duration);
    plan.power = machine.gpu_most * plan.train.paid_gpus;
    plan.memory_share = chosen.plan.fill();
    plan.behind = behind(candidate);
    const bool is_best =
        candidate.plan.layout == found_[0].plan.layout && candidate.machine == found_[0].machine;
    plan.why = is_best ? engine::why_best(best) : engine::why_not(best, chosen);
    return plan;
  }

  void describe_nearest() {
    if (!unlimited_.empty()) {
      answer_.unmet = engine::unmet_limits(unlimited_, limits_->deadline, limits_->budget);
      answer_.missed = answer_.unmet->limits;
      return;
    }
    const auto nearest = std::min_element(
        close_.begin(), close_.end(),
        [](const auto& a, const auto& b) { return a.plan.needed < b.plan.needed; });
    if (nearest == close_.end()) return;
    const auto& layout = nearest->plan.layout;
    const auto& scene = nearest->machine->scene;
    const Bytes there = training::memory_question(scene.scene.job).capacity * scene.fullest;
    answer_.closest = ClosestLayout{nearest->machine->words(), layout.tp, layout.pp, layout.dp,
                                    nearest->plan.needed,      there};
  }

  void warn_about_hierarchy(const ChosenLayout& best) {
    const int domain = engine::domain_of(best.job);
    if (best.job.layout.tp <= domain) return;
    const auto inside = std::find_if(found_.begin(), found_.end(), [domain](const auto& c) {
      return c.plan.layout.tp <= domain;
    });
    Notice notice{.id = "tp-beyond-domain",
                  .arguments = {{"tp", std::to_string(best.job.layout.tp)},
                                {"domain", std::to_string(domain)}}};
    if (inside == found_.end()) {
      notice.arguments.push_back({"none_within", ""});
    } else {
      notice.arguments.push_back({"behind", fmt::format("{:.1f} %", 100.0 * behind(*inside))});
    }
    answer_.notices.push_back(std::move(notice));
  }

  // Which way to pay the answer's dollars are of.
  void note_price(const SearchMachine& machine) {
    const auto work = machine.work_time(answer_.plans[0].train.step_time.value());
    const auto note =
        engine::note_prices(machine.prices, machine.setup->job.chip->title, work, machine.rule);
    if (note) answer_.notices.push_back(*note);
  }

  // What is ranked are layouts of the first stage.
  void note_stages(const TrainAnswer& best) {
    if (best.stages.empty()) return;
    answer_.notices.push_back({.id = "stages-counted",
                               .arguments = {{"stages", std::to_string(best.stages.size())},
                                             {"later", percent_text(1.0 - best.stages[0].share)}}});
  }

  // The shortest time is shown even where it is too long; the other objectives keep to it.
  void warn_about_deadline(const SearchMachine& machine) {
    answer_.missed = answer_.plans[0].train.missed;
    const auto& deadline = machine.setup->ask().deadline;
    const auto& days = answer_.plans[0].train.duration;
    constexpr Seconds kLong = kYear;
    if (!deadline && days && days->value() > kLong)
      answer_.notices.push_back(
          {.id = "no-deadline", .arguments = {{"time", days_text(days->value())}}});
    if (!deadline || !days || days->value() <= deadline->value) return;
    answer_.notices.push_back({.id = "deadline-missed",
                               .arguments = {{"time", days_text(days->value())},
                                             {"deadline", days_text(deadline->value)}}});
  }

  const SearchInputs& request_;
  const catalog::Catalog& catalog_;
  Crew* crew_;
  SearchAnswer& answer_;
  std::vector<Candidate> found_;
  std::vector<Candidate> lean_;
  std::vector<MachineBest> bests_;
  std::vector<Candidate> close_;
  std::vector<OpenRun> unlimited_;
  const engine::RunPrices* limits_ = nullptr;  // That those were found without.
};

}  // namespace

std::optional<SearchAnswer> engine::Core::search(const SearchInputs& request,
                                                 Diagnostics& diagnostics) const {
  const auto setup = engine::make_train_setup(request.train, *catalog_, diagnostics);
  if (!setup) return std::nullopt;
  SearchAnswer answer;
  answer.objective = engine::objective_of(request, setup->scenario);
  const bool dated = setup->ask().deadline && setup->ask().tokens;
  if (answer.objective == Objective::kCostByDeadline && !dated) {
    diagnostics.add(setup->error(lf::kObjectiveLacks, setup->ask().position,
                                 "the cost by a deadline needs a deadline and tokens",
                                 "write `train: {tokens: 1 T, deadline: 30 days, …}`"));
    return std::nullopt;
  }
  auto list = engine::list_machines(request, *catalog_, answer.objective, diagnostics);
  if (!list) return std::nullopt;
  answer.scenario = setup->scenario.name.value;
  answer.model = setup->job.model->name;
  answer.title = setup->job.model->title;
  answer.sequence = setup->job.sequence;
  answer.exhaustive = request.exhaustive;
  answer.excluded = std::move(list->excluded);
  answer.headroom = list->headroom;
  answer.notices = std::move(list->notices);
  const double start = request.cpu_seconds ? request.cpu_seconds() : 0.0;
  SearchRun run(request, *this, answer);
  for (const auto& machine : list->machines)
    answer.several_precisions = answer.several_precisions || machine.several_precisions;
  run.search_all(list->machines);
  answer.seconds = request.cpu_seconds ? request.cpu_seconds() - start : 0.0;
  run.describe();
  if (list->machines.empty()) answer.missed = std::move(list->unpowered);
  return answer;
}

}  // namespace loadfactor
