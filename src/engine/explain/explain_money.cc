// Trees of what is paid, what is carried, and the load at which the two meet.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/cost/cost_answer.h"
#include "engine/explain/data_lines.h"
#include "engine/explain/explain.h"
#include "engine/explain/explain_owner.h"
#include "engine/explain/explain_step.h"
#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {
namespace {

using Nodes = std::vector<ExplainNode>;
constexpr const char* kAssumed = "general-knowledge";

class MoneyTrees {
 public:
  // `sequences` run in a saturated replica; 0: not known.
  MoneyTrees(const PlanAnswer& answer, const CostSetup& setup, double sequences,
             std::vector<ExplainNode> parts)
      : answer_(answer),
        setup_(setup),
        lines_(*setup.catalog),
        where_(answer),
        sequences_(sequences),
        parts_(std::move(parts)),
        figures_(economics::evaluate(setup.terms, setup.asked)) {}

  ExplainNode carried() const {
    if (!answer_.fill && !answer_.training)
      return node(Term::kTokensPerMonth, Operation::kProduct,
                  {leaf(Term::kDemand, any(answer_.rate), rate()),
                   request_tokens(answer_.tokens_in, answer_.tokens_out), month_node()});
    return node(Term::kTokensPerMonth, Operation::kProduct, {full_plane(), load(), month_node()});
  }

  ExplainNode full_plane() const {
    if (!answer_.fill) {
      const auto& train = *answer_.training;
      const TokensPerSecond rate = setup_.terms.capacity.full_plane;
      const double same = train.tokens_per_s.value() / rate;
      if (train.stages.empty() && std::abs(same - 1) <= 1e-9)
        return *explain_training(answer_, Explained::kTokensPerSecond, parts_);
      return leaf(Term::kTokensPerSecond, any(rate), lines_.training("hbm_efficiency"));
    }
    const PlanFill& fill = *answer_.fill;
    return node(Term::kFullPlane, Operation::kProduct,
                {replica_rate(), request_tokens(fill.input, fill.output)});
  }

  ExplainNode load() const {
    if (!answer_.fill) return paid_share(setup_.terms.capacity.load_factor);
    const PlanFill& fill = *answer_.fill;
    ExplainNode demand = leaf(Term::kDemand, any(fill.mean), rate());
    return node(Term::kLoadFactor, Operation::kQuotient,
                {served(std::move(demand)), replica_rate()});
  }

  ExplainNode api() const {
    const auto& terms = *setup_.terms.api;
    const std::string source =
        where_.find({"money.api.price", "money.api.input"}, {"api"}, kAssumed);
    ExplainNode input = leaf(Term::kInputPrice, any(terms.input), source);
    if (terms.cached_share > 0)
      input = node(Term::kMixedInputPrice, Operation::kSum,
                   {weighted(Term::kUncachedPart, 1 - terms.cached_share, std::move(input)),
                    weighted(Term::kCachedPart, terms.cached_share,
                             leaf(Term::kCachedPrice, any(terms.cached), source))});
    return node(Term::kTokenPrice, Operation::kSum,
                {weighted(Term::kInputPart, terms.input_share, std::move(input)),
                 weighted(Term::kOutputPart, 1 - terms.input_share,
                          leaf(Term::kOutputPrice, any(terms.output), source))});
  }

  ExplainNode api_cost() const {
    return node(Term::kApiCost, Operation::kProduct, {carried(), api()});
  }

  // What is paid for one option in a month, whether or not it works.
  ExplainNode fixed(OptionKind kind) const {
    if (setup_.terms.people <= DollarsPerSecond()) return machines(kind);
    return node(Term::kFixedCost, Operation::kSum,
                {machines(kind), node(Term::kPeople, Operation::kProduct,
                                      {leaf(Term::kPeople, any(setup_.terms.people),
                                            where_.find({"money.people"}, {}, kAssumed)),
                                       month_node()})});
  }

  // What so many owned GPUs pay beyond standing still, when full: energy, and hours not sold.
  std::optional<ExplainNode> working(OptionKind kind, ExplainNode count) const {
    if (kind != OptionKind::kOwn) return std::nullopt;
    const auto owner = *economics::owner_cost_of(setup_.terms);
    const Dollars unsold = setup_.terms.resale * count.value.value * kMonth;
    const bool draws_more = owner.energy > owner.energy_idle;
    std::optional<ExplainNode> energy;
    if (setup_.terms.own && draws_more)
      energy = node(Term::kFullWorkEnergy, Operation::kProduct,
                    {std::move(count), energy_of_work(), month_node()});
    if (setup_.terms.resale <= DollarsPerSecond()) return energy;
    ExplainNode resale =
        leaf(Term::kForgoneResale, any(unsold), where_.find({"money.own.resale"}, {}, kAssumed));
    if (!energy) return resale;
    return node(Term::kFullWork, Operation::kSum, {*std::move(energy), std::move(resale)});
  }

  ExplainNode cost(OptionKind kind) const {
    auto work = working(kind, gpus());
    if (!work) return fixed(kind);
    return node(Term::kCostPerMonth, Operation::kSum,
                {fixed(kind),
                 node(Term::kWorkEnergy, Operation::kProduct, {*std::move(work), load_by(kind)})});
  }

  // A run has a share of useful time by each way to pay.
  ExplainNode load_by(OptionKind kind) const {
    const auto* figures = figures_.find(kind);
    if (answer_.fill || figures == nullptr) return load();
    return paid_share(figures->load_factor * figures->gpus / setup_.terms.capacity.gpus);
  }

  // The load factor over the hours that an option pays for.
  ExplainNode load_of(OptionKind kind) const {
    auto share = share_paid(kind);
    if (!share) return load();
    return node(Term::kPaidLoadFactor, Operation::kQuotient, {load(), *std::move(share)});
  }

  // What is paid, over what a full month of it would save. Whoever rents by the hour pays the same
  // people.
  ExplainNode break_even(OptionKind kind) const {
    ExplainNode price = setup_.terms.api ? node(Term::kFullMonthAtApi, Operation::kProduct,
                                                {full_plane(), month_node(), api()})
                                         : rented(OptionKind::kOnDemand, gpus());
    if (auto share = share_paid(kind))
      price =
          node(Term::kFullMonthPaidFor, Operation::kProduct, {std::move(price), *std::move(share)});
    if (auto work = working(kind, paid_gpus(kind)))
      price =
          node(Term::kFullMonthSaves, Operation::kDifference, {std::move(price), *std::move(work)});
    return node(Term::kBreakEven, Operation::kQuotient,
                {setup_.terms.api ? fixed(kind) : machines(kind), std::move(price)});
  }

  // A run pays for its own time, or to the end of what outlasts it.
  ExplainNode run_cost(OptionKind kind) const {
    ExplainNode time = *explain_training(answer_, Explained::kDuration, parts_);
    const auto* figures = figures_.find(kind);
    const Seconds run = answer_.training->duration->value();
    const Seconds paid = figures != nullptr && figures->run > Seconds()
                             ? figures->term.paid_seconds(figures->run)
                             : run;
    if (std::abs(paid / run - 1) > 1e-9)
      time = leaf(Term::kBoundTime, any(paid),
                  where_.find({"money.own.life"}, {"book_life"}, glossary_line("year")));
    return node(
        Term::kRunCost, Operation::kProduct,
        {node(Term::kMonths, Operation::kQuotient, {std::move(time), month_node()}), cost(kind)});
  }

  // GPUs to have.
  ExplainNode fleet() const {
    if (!answer_.fill) return gpus();
    const PlanFill& fill = *answer_.fill;
    return node(
        Term::kGpus, Operation::kProduct,
        {replicas(), leaf(Term::kGpusOfReplica, any(setup_.terms.capacity.gpus / fill.replicas),
                          where_.find({"serve.deployment.tp"}, {}, chip_place()))});
  }

 private:
  // What a run's losses leave, in full where it is that of the run's own way to pay.
  ExplainNode paid_share(double share) const {
    const auto& said = answer_.training->whole;
    if (said && std::abs(said->share.value() - share) <= 1e-9) return paid_share_node(answer_);
    return leaf(Term::kPaidShareOfRun, any(share),
                where_.find({"train.failures.restart"}, {"restart-time", "hazard-spot"}, kAssumed));
  }
  ExplainNode request_tokens(double input, double output) const {
    return node(
        Term::kRequestTokens, Operation::kSum,
        {leaf(Term::kTokensIn, any(Tokens::from_base(input)), demand("serve.demand.tokens_in")),
         leaf(Term::kTokensOut, any(Tokens::from_base(output)),
              demand("serve.demand.tokens_out"))});
  }

  // The share of all GPU-hours that is paid for; nothing where it is one.
  std::optional<ExplainNode> share_paid(OptionKind kind) const {
    const auto* figures = figures_.find(kind);
    const double all = setup_.terms.capacity.gpus;
    if (figures == nullptr || figures->gpus <= 0 || figures->gpus == all) return std::nullopt;
    return node(Term::kPaidShare, Operation::kQuotient,
                {mean_gpus(Term::kMeanPaidGpus, figures->gpus), gpus()});
  }

  // A fleet that is too small at its busiest does not serve all that is asked of it.
  ExplainNode served(ExplainNode demand) const {
    constexpr double kAll = 1e-9;
    const PlanFill& fill = *answer_.fill;
    const double carried =
        setup_.terms.capacity.load_factor * fill.saturated.base() * fill.replicas;
    const double share = fill.mean.base() > 0 ? carried / fill.mean.base() : 1;
    if (std::abs(share - 1) <= kAll) return demand;
    return node(Term::kServedRequests, Operation::kProduct,
                {std::move(demand), leaf(Term::kServedShare, any(share), rate())});
  }

  ExplainNode weighted(Term term, double share, ExplainNode price) const {
    const std::string source =
        where_.find({"money.api.input_share", "serve.demand.tokens_in", "serve.demand.trace"},
                    {"token_mix"}, kAssumed);
    return node(term, Operation::kProduct,
                {leaf(Term::kTokenShare, any(share), source), std::move(price)});
  }

  std::string demand(const std::string& path) const {
    return where_.find({path, "serve.demand.trace"}, {}, kAssumed);
  }
  std::string rate() const {
    return where_.find(
        {"serve.demand.requests_per_second", "serve.demand.requests_per_hour",
         "serve.demand.requests_per_day", "serve.demand.requests_per_month", "serve.demand.trace"},
        {}, kAssumed);
  }

  ExplainNode replica_rate() const {
    return node(Term::kSaturatedRate, Operation::kProduct, {replicas(), of_one_replica()});
  }
  ExplainNode replicas() const {
    const auto& deployment = setup_.scenario.serve->deployment;
    const bool is_written = deployment && deployment->pool.replicas &&
                            deployment->pool.replicas->value == answer_.fill->replicas;
    return leaf(Term::kReplicas, any(static_cast<double>(answer_.fill->replicas)),
                is_written ? where_.find({"serve.deployment.replicas"}, {}, rate()) : rate());
  }
  std::string model() const {
    const std::string source = answer_.load_factor ? answer_.load_factor->source() : kAssumed;
    return source.empty() ? kAssumed : source;
  }

  // Where the memory of the chip stands, which holds the sequences.
  std::string chip_place() const {
    if (setup_.chip == nullptr) return model();
    const auto& from = setup_.chip->memory.provenance;
    return fmt::format("{}:{}", from.file, from.line);
  }

  // Sequences that run, over the time that each of them takes.
  ExplainNode of_one_replica() const {
    const PlanFill& fill = *answer_.fill;
    if (sequences_ <= 0 || fill.output <= 0)
      return leaf(Term::kReplicaRate, any(fill.saturated), lines_.serving("gemm_16"));
    const Seconds each = sequences_ / fill.saturated;
    return node(Term::kReplicaRate, Operation::kQuotient,
                {leaf(Term::kRunningSequences, any(sequences_),
                      where_.find({"serve.deployment.max_seqs"}, {"memory"}, chip_place())),
                 node(Term::kSequenceTime, Operation::kProduct,
                      {leaf(Term::kTokensOut, any(Tokens::from_base(fill.output)),
                            demand("serve.demand.tokens_out")),
                       leaf(Term::kTimePerToken, any(each / Tokens::from_base(fill.output)),
                            lines_.serving("gemm_16"))})});
  }

  ExplainNode gpus() const {
    if (answer_.fill) return fleet();
    return leaf(Term::kGpus, any(setup_.terms.capacity.gpus),
                where_.find({"train.layout.gpus", "limits.gpus"}, {}, kAssumed));
  }

  // What binds for years is paid for in whole machines.
  ExplainNode paid_gpus(OptionKind kind) const {
    const auto* figures = figures_.find(kind);
    const bool is_alike = figures == nullptr || figures->gpus == setup_.terms.capacity.gpus;
    return is_alike ? gpus() : mean_gpus(Term::kPaidGpus, figures->gpus);
  }

  static std::string_view rent_key(OptionKind kind) {
    if (kind == OptionKind::kReserved1y) return "reserved-1y";
    if (kind == OptionKind::kReserved3y) return "reserved-3y";
    return kind == OptionKind::kSpot ? "spot" : "on-demand";
  }

  // The machines of one option in a month. Sums beside what the tree breaks down (storage, egress,
  // resold hours) are one leaf.
  ExplainNode machines(OptionKind kind) const {
    ExplainNode tree = parts_of(kind);
    const auto* figures = figures_.find(kind);
    if (figures == nullptr) return tree;
    const Dollars all = (figures->fixed - setup_.terms.people) * kMonth;
    const double rest = all.base() - tree.value.value;
    if (std::abs(rest) <= 1e-9 * std::abs(all.base())) return tree;
    return node(Term::kMachines, Operation::kSum,
                {std::move(tree),
                 leaf(Term::kBesideMachines, any(Dollars::from_base(rest)),
                      where_.find({"money.rent.storage", "money.rent.egress", "money.own.resale"},
                                  {}, kAssumed))});
  }

  ExplainNode parts_of(OptionKind kind) const {
    if (kind == OptionKind::kOwn) return owned(paid_gpus(kind));
    if (kind == OptionKind::kAutoscaled)
      return rented(OptionKind::kOnDemand,
                    mean_gpus(Term::kMeanActiveGpus, figures_.find(kind)->gpus));
    const bool mixed = kind == OptionKind::kOwnBurst || kind == OptionKind::kOwnSpotBurst ||
                       kind == OptionKind::kThreeTier;
    return mixed ? mix(*figures_.find(kind)) : rented(kind, paid_gpus(kind));
  }

  // Own and reserve a base, rent the rest when it is needed.
  ExplainNode mix(const economics::OptionFigures& figures) const {
    Nodes tiers;
    if (figures.owned > 0) {
      tiers.push_back(owned(mean_gpus(Term::kOwnedGpus, figures.owned)));
      if (setup_.terms.own)
        tiers.push_back(node(
            Term::kBaseWorkEnergy, Operation::kProduct,
            {mean_gpus(Term::kMeanActiveGpus, figures.at_work), energy_of_work(), month_node()}));
    }
    if (figures.reserved > 0)
      tiers.push_back(
          rented(figures.reserved_as, mean_gpus(Term::kReservedGpus, figures.reserved)));
    const double rest = figures.gpus - figures.owned - figures.reserved;
    if (rest > 0)
      tiers.push_back(rented(
          figures.kind == OptionKind::kOwnSpotBurst ? OptionKind::kSpot : OptionKind::kOnDemand,
          mean_gpus(Term::kMeanRentedGpus, rest)));
    return node(Term::kMixedMachines, Operation::kSum, std::move(tiers));
  }

  // What a service keeps on, or the GPUs of a run with its spares and what is sold with them.
  ExplainNode mean_gpus(Term term, double count) const {
    if (answer_.fill) return leaf(term, any(count), rate());
    const double beside = count - setup_.terms.capacity.gpus;
    return node(term, Operation::kSum,
                {gpus(), leaf(Term::kSpareGpus, any(beside),
                              where_.find({"train.failures.spares", "train.failures.repair"},
                                          {"repair-time"}, kAssumed))});
  }
  ExplainNode owned(ExplainNode count) const {
    return node(Term::kOwnedMachines, Operation::kProduct,
                {std::move(count), explain_owned_gpu(answer_, setup_), month_node()});
  }
  ExplainNode energy_of_work() const {
    return explain_gpu_energy(answer_, setup_, 1 - setup_.terms.own->idle_share);
  }

  // The rent proper, with what comes on top of it.
  ExplainNode rented(OptionKind kind, ExplainNode count) const {
    const auto& rent = *setup_.terms.rent[static_cast<std::size_t>(kind)];
    const std::string key(rent_key(kind));
    std::string path = "money.rent." + key;
    std::replace(path.begin(), path.end(), '-', '_');
    const std::string source = where_.find(
        {path}, {rent_fact_id(key, setup_.chip->name), rent_fact_id(key, {})}, kAssumed);
    Nodes factors{std::move(count), leaf(Term::kRentOfGpu, any(rent.price), source)};
    const double more = (1 + rent.surcharge) * (1 + rent.support + rent.goodput_loss);
    if (more != 1)
      factors.push_back(
          leaf(Term::kRentExtras, any(more),
               where_.find({"money.rent.support", "money.rent.goodput"}, {}, kAssumed)));
    if (kind == OptionKind::kSpot && !setup_.terms.capacity.run)
      factors.push_back(leaf(Term::kSpotHours, any(spot_multiplier(setup_.terms.spot)),
                             where_.find({}, {"spot_interruption"}, kAssumed)));
    factors.push_back(month_node());
    return node(Term::kRent, Operation::kProduct, std::move(factors));
  }

  const PlanAnswer& answer_;
  const CostSetup& setup_;
  DataLines lines_;
  SourceFinder where_;
  double sequences_;
  std::vector<ExplainNode> parts_;  // Those of a training step.
  economics::CostFigures figures_;
};

// The kind of one option of the answer; nothing for the API and for other chips, which are no sum
// of ours.
std::optional<OptionKind> kind_of(const PlanOption& option) {
  for (const OptionKind kind :
       {OptionKind::kOnDemand, OptionKind::kReserved1y, OptionKind::kReserved3y, OptionKind::kSpot,
        OptionKind::kOwn, OptionKind::kAutoscaled, OptionKind::kOwnBurst, OptionKind::kOwnSpotBurst,
        OptionKind::kThreeTier})
    if (option.cost.kind == kind) return kind;
  return std::nullopt;
}

ExplainNode million() {
  return leaf(Term::kMillionTokens, any(Tokens::from_base(1e6)), glossary_line("per_mtoken"));
}

// What the answer recommends costs: the API, machines by the month, or a run.
std::optional<ExplainNode> cost_tree(const MoneyTrees& trees, const PlanAnswer& answer) {
  if (uses_api(answer)) return trees.api_cost();
  const PlanOption& best = answer.options[0];
  const auto kind = kind_of(best);
  if (!kind) return std::nullopt;
  ExplainNode tree = answer.duration && answer.training ? trees.run_cost(*kind) : trees.cost(*kind);
  tree.term = answer.duration ? Term::kRunCost : Term::kCostPerMonth;
  tree.option = best.cost.name;
  return tree;
}

std::optional<ExplainNode> token_tree(const MoneyTrees& trees, const PlanAnswer& answer) {
  if (uses_api(answer))
    return node(Term::kMillionTokensCost, Operation::kProduct, {trees.api(), million()});
  auto cost = cost_tree(trees, answer);
  if (!cost) return std::nullopt;
  ExplainNode tokens = trees.carried();
  if (answer.duration && answer.training)
    tokens = leaf(Term::kTokensOfRun, any(*answer.training->tokens),
                  SourceFinder(answer).find({"train.tokens"}, {}, kAssumed));
  return node(Term::kMillionTokensCost, Operation::kProduct,
              {node(Term::kTokenCost, Operation::kQuotient, {*std::move(cost), std::move(tokens)}),
               million()});
}

// Both of the option that is recommended, or weighed against the API.
std::optional<ExplainNode> even_tree(const MoneyTrees& trees, const PlanAnswer& answer) {
  const PlanOption* option = weighed_option(answer);
  const auto kind = option != nullptr ? kind_of(*option) : std::nullopt;
  if (!kind || !answer.break_even) return std::nullopt;
  ExplainNode tree = trees.break_even(*kind);
  tree.option = option->cost.name;
  return tree;
}
ExplainNode load_tree(const MoneyTrees& trees, const PlanAnswer& answer) {
  const PlanOption* option = weighed_option(answer);
  const auto kind = option != nullptr ? kind_of(*option) : std::nullopt;
  return kind && answer.fill ? trees.load_of(*kind) : trees.load();
}

}  // namespace

std::optional<ExplainNode> explain_money(const Core& engine, const PlanInputs& question,
                                         const PlanAnswer& answer, Explained quantity) {
  Diagnostics unread;
  const auto setup = make_cost_setup(*answer.priced, engine.catalog(), unread);
  if (!setup || answer.options.empty()) return std::nullopt;
  const MoneyTrees trees(answer, *setup, saturated_sequences(engine, question, answer),
                         answer.training ? explain_step_parts(engine, question, answer) : Nodes());
  switch (quantity) {
    case Explained::kLoadFactor:
      return load_tree(trees, answer);
    case Explained::kFullPlane:
      return trees.full_plane();
    case Explained::kTokensPerMonth:
      return trees.carried();
    case Explained::kApiCost:
      return setup->terms.api ? std::optional(trees.api_cost()) : std::nullopt;
    case Explained::kGpus:
      return uses_api(answer) ? leaf(Term::kNoGpus, any(0.0), glossary_line("gpus"))
                              : trees.fleet();
    case Explained::kCost:
    case Explained::kRunCost:
      return cost_tree(trees, answer);
    case Explained::kPerMtoken:
      return token_tree(trees, answer);
    case Explained::kBreakEven:
      return even_tree(trees, answer);
    default:
      return std::nullopt;
  }
}

}  // namespace loadfactor::engine
