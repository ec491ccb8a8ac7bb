#include "engine/train/search_machines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/load/fact_loader.h"
#include "engine/train/missed_limits.h"
#include "engine/train/scale_sizes.h"
#include "resolve/model/node_power.h"
#include "resolve/train/train_stack.h"
#include "training/step/machine.h"

namespace loadfactor::engine {
namespace {

std::vector<std::string> candidates_of(const config::Scenario& scenario,
                                       const catalog::Catalog& catalog) {
  std::vector<std::string> names;
  for (const auto& name : scenario.hardware) names.push_back(name.value);
  if (names.empty()) names.push_back(catalog.lineup().standard);
  return names;
}

// As asked: by the request, the layout or its degrees; empty where the number of GPUs is open.
std::vector<int> asked_sizes(const SearchInputs& request, const TrainSetup& setup) {
  if (!request.gpus.empty()) return request.gpus;
  const auto asked = setup.asked_layout();
  if (asked.gpus) return {asked.gpus->value};
  if (asked.tp && asked.pp && asked.dp)
    return {asked.tp->value * asked.pp->value * asked.dp->value * (asked.cp ? asked.cp->value : 1)};
  return {};
}

// The size that `train` would choose: the smallest that fits.
int fewest_that_fit(const TrainSetup& setup) {
  const auto chosen = choose_layout(setup, setup.asked_layout());
  return chosen && chosen->fits() ? chosen->job.layout.gpus : 8;
}

void place(const catalog::Catalog& catalog, Placement placement, training::TrainingJob& job) {
  const int domain = std::max(1, job.chip->scale_up.domain);
  if (placement == Placement::kFragmented && domain > 1) {
    job.fabric.scale_up_domain = std::max(1, domain / 2);
    job.fabric.gpus_per_node = std::max(1, job.fabric.gpus_per_node.value_or(domain) / 2);
  }
  const auto* fact = catalog::find_fact(catalog.hazards(), "placement-spread-oversubscription");
  if (placement == Placement::kSpread && fact != nullptr && job.chip->scale_out)
    job.fabric.scale_out = job.chip->scale_out->bandwidth / std::max(1.0, fact->value);
}

// What a machine's steps weigh, for comparing its own layouts: the longer step of one machine is
// never the better one.
double weight_of(const SearchMachine& machine, Objective objective) {
  const PaidTime& paid = machine.prices.paid(std::nullopt, machine.rule);
  const double time = 1.0 / (machine.tokens_of_step() * paid.effective.value());
  switch (objective) {
    case Objective::kTime:
      return time;
    case Objective::kEnergy:
      return time * machine.gpu_power.base() * paid.paid_gpus();
    case Objective::kCost:
    case Objective::kCostByDeadline:
      break;
  }
  const auto rent = machine.rent();
  return time * paid.paid_gpus() * (rent ? rent->base() : 1.0);
}

// How long a budget pays; where it does not pay what binds, no step is short enough.
Seconds paid_by_budget(const RunPrice& way, Dollars budget) {
  return std::max(way.longest_run(budget), Seconds::from_base(1e-9));
}

// The longest step that deadline and budget allow, by the way to pay that allows the longest; zero
// where neither binds.
Seconds longest_step(const SearchMachine& machine, bool by_deadline) {
  const auto& setup = *machine.setup;
  if (!setup.ask().tokens) return {};
  const double steps = setup.ask().tokens->value.base() / machine.tokens_of_step();
  const auto& deadline = machine.prices.deadline;
  const auto& budget = machine.prices.budget;
  const bool dated = by_deadline && deadline;
  // What later stages leave of the time; no step is short enough where they take all of it.
  const auto step_of = [&](Seconds run, const PaidTime& paid) {
    return std::max(paid.work_within(run) - machine.later.work, Seconds::from_base(1e-9)) / steps;
  };
  if (machine.prices.options.empty())
    return dated ? step_of(*deadline, machine.prices.plain) : Seconds();
  if (!dated && !budget) return {};
  Seconds longest;
  for (const RunPrice& way : machine.prices.options) {
    Seconds run = budget ? paid_by_budget(way, *budget) : *deadline;
    if (dated) run = std::min(run, *deadline);
    longest = std::max(longest, step_of(run, way.paid));
  }
  return longest;
}

// Limits that cannot be kept as written are said, not dropped.
void note_limits(const TrainSetup& setup, MachineList& list) {
  const auto& budget = setup.scenario.limits.budget;
  if (budget && !setup.ask().tokens) list.notices.push_back({.id = "budget-without-tokens"});
  for (const auto& machine : list.machines) {
    if (!budget || !machine.prices.options.empty()) continue;
    list.notices.push_back({.id = "budget-without-rent",
                            .arguments = {{"accelerator", machine.setup->job.chip->title}}});
    break;
  }
}

// What a placement other than whole nodes side by side was taken to mean.
void note_placement(const catalog::Catalog& catalog, Placement placement, MachineList& list) {
  const auto* fact = catalog::find_fact(catalog.hazards(), "placement-spread-oversubscription");
  if (placement == Placement::kRail)
    list.notices.push_back({.id = "placement", .arguments = {{"rail", ""}}});
  if (placement == Placement::kSpread && fact != nullptr)
    list.notices.push_back(
        {.id = "placement",
         .arguments = {{"oversubscription", fmt::format("{:.3g}", std::max(1.0, fact->value))},
                       {"fact", fact->name}}});
  if (placement == Placement::kFragmented)
    list.notices.push_back({.id = "placement", .arguments = {{"fragmented", ""}}});
}

class MachineLister {
 public:
  MachineLister(const SearchInputs& request, const catalog::Catalog& catalog, Objective objective)
      : request_(request), catalog_(catalog), objective_(objective) {}

  // False when the scenario cannot be read.
  bool add_accelerator(const std::string& name, Diagnostics& diagnostics) {
    std::vector<std::string> precisions = request_.precisions;
    if (precisions.empty()) precisions.emplace_back();
    return std::all_of(precisions.begin(), precisions.end(), [&](const std::string& precision) {
      return add_precision(name, precision, diagnostics);
    });
  }
  MachineList take() { return std::move(list_); }

 private:
  bool add_precision(const std::string& name, const std::string& precision,
                     Diagnostics& diagnostics) {
    TrainInputs train = request_.train;
    train.accelerator = name;
    train.precision = precision;
    std::shared_ptr<TrainSetup> setup = make_train_setup(train, catalog_, diagnostics);
    if (!setup) return false;
    if (request_.precisions.size() > 1 && !runs_in(*setup)) {
      list_.excluded.push_back({setup->job.chip->title,
                                {.kind = MachineObjection::Kind::kNoAbility,
                                 .precision = precision,
                                 .stack = setup->job.stack->title},
                                setup->job.chip->name,
                                0,
                                false});
      return true;
    }
    Diagnostics layout;
    check_layout(*setup, layout);
    if (!layout.empty()) {
      diagnostics.add_all(layout);
      return false;
    }
    const bool slow = std::any_of(setup->notices.begin(), setup->notices.end(),
                                  [](const Notice& n) { return n.id == "no-arithmetic"; });
    if (slow && request_.precisions.size() <= 1) add_notice(*setup, "no-arithmetic");
    if (slow && request_.precisions.size() > 1) {
      list_.excluded.push_back(
          {setup->job.chip->title,
           {.kind = MachineObjection::Kind::kNoArithmetic, .precision = precision},
           setup->job.chip->name,
           0,
           false});
      return true;
    }
    for (const int gpus : request_.gpus) add_size(setup, gpus);
    if (const auto rent = note_rent(catalog_, *setup)) add_once(*rent);
    return true;
  }

  static bool runs_in(const TrainSetup& setup) {
    return setup.job.stack->abilities.has(training::ability_of(setup.job.precision));
  }

  void add_once(const Notice& notice) {
    const auto& held = list_.notices;
    if (std::find(held.begin(), held.end(), notice) == held.end()) list_.notices.push_back(notice);
  }
  void add_notice(const TrainSetup& setup, std::string_view id) {
    for (const Notice& notice : setup.notices)
      if (notice.id == id) add_once(notice);
  }

  void add_size(const std::shared_ptr<TrainSetup>& setup, int gpus) {
    SearchMachine machine;
    machine.setup = setup;
    training::TrainingJob job = setup->job;
    job.layout.gpus = gpus;
    if (job.global_batch == 0) job.global_batch = request_.global_batch;
    if (job.global_batch == 0) job.global_batch = usual_batch(*setup, gpus);
    place(catalog_, request_.placement, job);
    machine.scene.scene = scene_of(*setup, job);
    machine.scene.asked = setup->asked_layout();
    const auto& headroom = setup->scenario.limits.headroom;
    machine.scene.fullest = 1.0 - std::max(request_.headroom, headroom ? headroom->value : 0.0);
    machine.several_precisions = request_.precisions.size() > 1;
    machine.prices = run_prices(catalog_, *setup, {.gpus = gpus});
    machine.rule = pay_rule(objective_);
    machine.paid_gpus = machine.prices.paid(std::nullopt, machine.rule).paid_gpus();
    machine.later =
        later_stages(*setup, machine.scene, {.threads = request_.threads, .stop = request_.stop});
    const GpuPower power = gpu_power(catalog_, *job.chip);
    machine.gpu_power = power.typical;
    machine.gpu_most = power.most;
    judge(std::move(machine));
  }

  // The last that applies is said.
  std::optional<MachineObjection> objection_to(const SearchMachine& machine) const {
    using Kind = MachineObjection::Kind;
    std::optional<MachineObjection> against;
    if (const auto power = power_objection(catalog_, machine))
      against = MachineObjection{.kind = Kind::kPower, .power = power};
    const auto& limit = machine.setup->scenario.limits.gpus;
    if (limit && machine.gpus() > limit->value)
      against = MachineObjection{.kind = Kind::kGpuLimit, .limit = limit->value};
    const bool priced = objective_ == Objective::kCost || objective_ == Objective::kCostByDeadline;
    const RunPrices& prices = machine.prices;
    if (priced && prices.options.empty() && !prices.stalls())
      against = MachineObjection{.kind = prices.unpriced.empty() && prices.stalled.empty()
                                             ? Kind::kNoRent
                                             : Kind::kNoPrice,
                                 .ways = prices.all_unpriced()};
    if (machine.later.unfit)
      against = MachineObjection{
          .kind = Kind::kStage,
          .sequence = machine.setup->ask().stages[*machine.later.unfit].sequence->value};
    if (prices.stalls() && machine.has_layouts())
      against = MachineObjection{.kind = Kind::kStalls,
                                 .stall = stall_of(prices.plain, *machine.setup,
                                                   only_spot(machine.setup->scenario.money))};
    return against;
  }

  void judge(SearchMachine machine) {
    const bool by_power = power_objection(catalog_, machine).has_value();
    if (by_power)
      for (auto& missed : missed_power(catalog_, *machine.setup, machine.paid_gpus, machine.gpus()))
        add_unpowered(std::move(missed));
    if (auto against = objection_to(machine)) {
      list_.excluded.push_back({machine.words(), *std::move(against), machine.setup->job.chip->name,
                                machine.gpus(), by_power});
      return;
    }
    machine.scene.weight = weight_of(machine, objective_);
    machine.scene.longest = longest_step(machine, objective_ != Objective::kTime);
    list_.machines.push_back(std::move(machine));
  }

  // Each once, as the first machine misses it.
  void add_unpowered(MissedLimit limit) {
    const auto same = [&](const MissedLimit& held) { return held.key == limit.key; };
    if (std::none_of(list_.unpowered.begin(), list_.unpowered.end(), same))
      list_.unpowered.push_back(std::move(limit));
  }

  const SearchInputs& request_;
  const catalog::Catalog& catalog_;
  Objective objective_;
  MachineList list_;
};

// In the order written.
template <typename T>
std::vector<T> each_once(const std::vector<T>& all) {
  std::vector<T> once;
  for (const T& one : all)
    if (std::find(once.begin(), once.end(), one) == once.end()) once.push_back(one);
  return once;
}

// The fewest GPUs of the candidates that hold the weights on one, and that train on every one.
struct Fewest {
  int held = kMostGpus;
  int fitting = 1;
};
std::optional<Fewest> fewest_of(const TrainSetup& first, const catalog::Catalog& catalog,
                                const SearchInputs& request, Diagnostics& diagnostics) {
  Fewest out;
  const bool open = !first.scenario.limits.gpus;
  for (const auto& name : candidates_of(first.scenario, catalog)) {
    TrainInputs train = request.train;
    train.accelerator = name;
    const auto setup = make_train_setup(train, catalog, diagnostics);
    if (!setup) return std::nullopt;
    out.held = std::min(out.held, fewest_that_hold(*setup));
    if (open) out.fitting = std::max(out.fitting, fewest_that_fit(*setup));
  }
  return out;
}

Notice note_sizes(std::vector<int> sizes, const TrainSetup& setup, bool weighs) {
  std::sort(sizes.begin(), sizes.end());
  const std::string gpus = fmt::format("{}", fmt::join(sizes, ", "));
  if (!weighs) return {.id = "sizes-searched", .arguments = {{"allowed", gpus}}};
  return {
      .id = "sizes-searched",
      .arguments = {{"weighed", gpus}, {setup.scenario.limits.gpus ? "limited" : "unlimited", ""}}};
}

// The sizes of all machines, each once; where the scenario has none, one on which all fit.
bool set_sizes(const TrainSetup& first, const catalog::Catalog& catalog, Objective objective,
               SearchInputs& request, std::vector<Notice>& notices, Diagnostics& diagnostics) {
  request.gpus = each_once(asked_sizes(request, first));
  if (!request.gpus.empty()) return true;
  const auto fewest = fewest_of(first, catalog, request, diagnostics);
  if (!fewest) return false;
  const auto& limit = first.scenario.limits.gpus;
  const bool weighs = weighs_sizes(first, objective);
  if (weighs || limit) {
    request.gpus = weighs ? weighed_sizes(first, fewest->held) : quickest_sizes(first);
    notices.push_back(note_sizes(request.gpus, first, weighs));
    return true;
  }
  request.gpus = {fewest->fitting};
  const bool several = candidates_of(first.scenario, catalog).size() > 1;
  notices.push_back({.id = "sizes-searched",
                     .arguments = {{"fewest", fmt::format("{}", fewest->fitting)},
                                   {several ? "every_accelerator" : "one_accelerator", ""}}});
  return true;
}

}  // namespace

std::optional<PowerObjection> power_objection(const catalog::Catalog& catalog,
                                              const SearchMachine& machine) {
  return power_objection(catalog, *machine.setup->job.chip, machine.paid_gpus,
                         machine.setup->scenario.limits, machine.paid_gpus - machine.gpus());
}

std::int64_t usual_batch(const TrainSetup& setup, int gpus) {
  const auto length = static_cast<double>(setup.job.sequence);
  const std::int64_t each =
      std::max<std::int64_t>(1, std::llround(usual_batch_tokens(setup) / length / gpus));
  if (!setup.ask().critical_batch) return each * gpus;
  // As many sequences as the critical batch has, in whole shares of the GPUs where that is one.
  const auto most = static_cast<std::int64_t>(setup.ask().critical_batch->value.base() / length);
  if (most >= gpus) return std::min(each, most / gpus) * gpus;
  return std::max<std::int64_t>(1, std::bit_floor(static_cast<std::uint64_t>(most)));
}

Objective objective_of(const SearchInputs& request, const config::Scenario& scenario) {
  if (request.objective) return *request.objective;
  const bool dated = scenario.train && scenario.train->deadline && scenario.train->tokens;
  return dated ? Objective::kCostByDeadline : Objective::kTime;
}

std::optional<MachineList> list_machines(const SearchInputs& request,
                                         const catalog::Catalog& catalog, Objective objective,
                                         Diagnostics& diagnostics) {
  // Read once for the names; each accelerator then has a setup of its own.
  const auto first = make_train_setup(request.train, catalog, diagnostics);
  if (!first) return std::nullopt;
  for (const auto& word : request.precisions)
    if (auto error = unknown_precision(word)) {
      error->message = "--precision: " + error->message;
      diagnostics.add(*std::move(error));
      return std::nullopt;
    }
  SearchInputs open = request;
  if (open.precisions.empty())
    for (const auto& word : first->ask().precisions) open.precisions.push_back(word.value);
  open.precisions = each_once(open.precisions);
  std::vector<Notice> sized;
  if (!set_sizes(*first, catalog, objective, open, sized, diagnostics)) return std::nullopt;
  MachineLister lister(open, catalog, objective);
  for (const auto& name : candidates_of(first->scenario, catalog))
    if (!lister.add_accelerator(name, diagnostics)) return std::nullopt;
  auto list = lister.take();
  for (const auto& notice : first->notices)
    if (notice.id != "first-accelerator" && notice.id != "no-arithmetic" &&
        (notice.id != "default-precision" || open.precisions.empty()))
      list.notices.push_back(notice);
  list.notices.insert(list.notices.end(), sized.begin(), sized.end());
  if (auto lacking = note_abilities(*first)) list.notices.push_back(*std::move(lacking));
  for (const auto& machine : list.machines)
    if (const auto brief = note_short_run(*first, machine.scene.scene.job.global_batch)) {
      list.notices.push_back(*brief);
      break;
    }
  note_limits(*first, list);
  if (auto api = note_api_alone(*first)) list.notices.push_back(*std::move(api));
  note_placement(catalog, request.placement, list);
  const auto& headroom = first->scenario.limits.headroom;
  list.headroom = std::max(request.headroom, headroom ? headroom->value : 0.0);
  if (list.headroom > 0)
    list.notices.push_back(
        {.id = "headroom",
         .arguments = {{"share", fmt::format("{:.3g} %", 100.0 * list.headroom)}}});
  return list;
}

ChosenLayout chosen_of(const SearchMachine& machine, const search::FoundPlan& plan) {
  ChosenLayout chosen;
  chosen.job = machine.scene.scene.job;
  chosen.job.layout = plan.layout;
  chosen.plan = training::plan_memory(training::memory_question(chosen.job));
  const auto& setup = *machine.setup;
  if (chosen.fits())
    chosen.time =
        training::step_time(chosen.job, setup.data->calibration.shared, *setup.chip_constants,
                            setup.data->calibration.families[setup.chip_constants->family]);
  return chosen;
}

}  // namespace loadfactor::engine
