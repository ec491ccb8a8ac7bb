// Trees of what is paid, what is carried, and the load at which the two meet.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "economics/periods.h"
#include "engine/cost_answer.h"
#include "engine/explain.h"

namespace loadfactor::engine {
namespace {

using economics::OptionKind;
using Nodes = std::vector<ExplainNode>;
constexpr const char* kAssumed = "general-knowledge";

class MoneyTrees {
 public:
  // `sequences` run in a saturated replica; 0: not known.
  MoneyTrees(const PlanAnswer& answer, const CostSetup& setup, double sequences)
      : answer_(answer), setup_(setup), where_(answer), sequences_(sequences) {}

  ExplainNode carried() const {
    return node("tokens a month", Operation::kProduct, {full_plane(), load(), month_node()});
  }

  ExplainNode full_plane() const {
    if (!answer_.fill) {
      const auto& train = *answer_.training;
      return leaf("tokens per second", any(setup_.terms.capacity.full_plane),
                  train.tokens_per_s.source());
    }
    const PlanFill& fill = *answer_.fill;
    return node("full plane", Operation::kProduct,
                {replica_rate(), node("tokens of a request", Operation::kSum,
                                      {leaf("tokens in", any(Tokens::from_base(fill.input)),
                                            demand("serve.demand.tokens_in")),
                                       leaf("tokens out", any(Tokens::from_base(fill.output)),
                                            demand("serve.demand.tokens_out"))})});
  }

  ExplainNode load() const {
    if (!answer_.fill)
      return leaf("goodput", any(setup_.terms.capacity.load_factor),
                  answer_.load_factor ? answer_.load_factor->source() : kAssumed);
    const PlanFill& fill = *answer_.fill;
    ExplainNode demand = leaf("requests per second of the demand", any(fill.mean), rate());
    return node("load factor", Operation::kQuotient, {served(std::move(demand)), replica_rate()});
  }

  ExplainNode api() const {
    const auto& terms = *setup_.terms.api;
    const std::string source =
        where_.find({"money.api.price", "money.api.input"}, {"API"}, kAssumed);
    ExplainNode input = leaf("price of a token in", any(terms.input), source);
    if (terms.cached_share > 0)
      input = node("price of a token in, some cached", Operation::kSum,
                   {weighted("not cached", 1 - terms.cached_share, std::move(input)),
                    weighted("cached", terms.cached_share,
                             leaf("price of a cached token", any(terms.cached), source))});
    return node("price of a token", Operation::kSum,
                {weighted("in", terms.input_share, std::move(input)),
                 weighted("out", 1 - terms.input_share,
                          leaf("price of a token out", any(terms.output), source))});
  }

  ExplainNode api_cost() const {
    return node("cost of the API a month", Operation::kProduct, {carried(), api()});
  }

  // What is paid for one option in a month, whether or not it works, and for working.
  ExplainNode fixed(OptionKind kind) const {
    ExplainNode machines = kind == OptionKind::kOwn ? node("owned machines", Operation::kProduct,
                                                           {gpus(), owned_fixed(), month_node()})
                                                    : rented(kind);
    if (setup_.terms.people <= DollarsPerSecond()) return machines;
    return node("paid whether or not it works", Operation::kSum,
                {std::move(machines), node("people", Operation::kProduct,
                                           {leaf("people", any(setup_.terms.people),
                                                 where_.find({"money.people"}, {}, kAssumed)),
                                            month_node()})});
  }

  std::optional<ExplainNode> working(OptionKind kind) const {
    if (kind != OptionKind::kOwn || !setup_.terms.own) return std::nullopt;
    const auto owner = *economics::owner_cost_of(setup_.terms);
    if (owner.working() <= DollarsPerSecond()) return std::nullopt;
    return node("energy of work, when full", Operation::kProduct,
                {gpus(), energy(1 - setup_.terms.own->idle_share), month_node()});
  }

  ExplainNode cost(OptionKind kind) const {
    auto work = working(kind);
    if (!work) return fixed(kind);
    return node(
        "cost a month", Operation::kSum,
        {fixed(kind), node("energy of work", Operation::kProduct, {*std::move(work), load()})});
  }

  ExplainNode break_even(OptionKind kind) const {
    ExplainNode price = setup_.terms.api
                            ? node("a full month at the API's price", Operation::kProduct,
                                   {full_plane(), month_node(), api()})
                            : rented(OptionKind::kOnDemand);
    if (auto work = working(kind))
      price = node("what a full month saves", Operation::kDifference,
                   {std::move(price), *std::move(work)});
    return node("break-even", Operation::kQuotient, {fixed(kind), std::move(price)});
  }

 private:
  // A fleet that is too small at its busiest does not serve all that is asked of it.
  ExplainNode served(ExplainNode demand) const {
    constexpr double kAll = 1e-9;
    const PlanFill& fill = *answer_.fill;
    const double carried =
        setup_.terms.capacity.load_factor * fill.saturated.base() * fill.replicas;
    const double share = fill.mean.base() > 0 ? carried / fill.mean.base() : 1;
    if (std::abs(share - 1) <= kAll) return demand;
    return node("requests per second that are served", Operation::kProduct,
                {std::move(demand), leaf("share that is served", any(share), rate())});
  }

  ExplainNode weighted(const std::string& name, double share, ExplainNode price) const {
    const std::string source =
        where_.find({"money.api.input_share", "serve.demand.tokens_in", "serve.demand.trace"},
                    {"token_mix"}, kAssumed);
    return node(name, Operation::kProduct,
                {leaf("share of tokens", any(share), source), std::move(price)});
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
    const PlanFill& fill = *answer_.fill;
    const std::string model = answer_.load_factor ? answer_.load_factor->source() : kAssumed;
    return node("requests per second when saturated", Operation::kProduct,
                {leaf("replicas", any(static_cast<double>(fill.replicas)),
                      where_.find({"serve.deployment.replicas", "limits.gpus"}, {}, rate())),
                 of_one_replica(model.empty() ? kAssumed : model)});
  }

  // Sequences that run, over the time that each of them takes.
  ExplainNode of_one_replica(const std::string& model) const {
    const PlanFill& fill = *answer_.fill;
    if (sequences_ <= 0 || fill.output <= 0)
      return leaf("of one replica", any(fill.saturated), model);
    const Seconds each = sequences_ / fill.saturated;
    return node("of one replica", Operation::kQuotient,
                {leaf("sequences that run", any(sequences_),
                      where_.find({"serve.deployment.max_seqs"}, {"memory of"}, model)),
                 node("time of each", Operation::kProduct,
                      {leaf("tokens out", any(Tokens::from_base(fill.output)),
                            demand("serve.demand.tokens_out")),
                       leaf("time per token, with its share of prompts",
                            any(each / Tokens::from_base(fill.output)), model)})});
  }

  ExplainNode gpus() const {
    const std::string source =
        where_.find({"train.layout.gpus", "limits.gpus", "serve.deployment.replicas"}, {},
                    answer_.fill ? rate() : kAssumed);
    return leaf("GPUs", any(setup_.terms.capacity.gpus), source);
  }

  static std::string_view rent_key(OptionKind kind) {
    if (kind == OptionKind::kReserved1y) return "reserved-1y";
    if (kind == OptionKind::kReserved3y) return "reserved-3y";
    return kind == OptionKind::kSpot ? "spot" : "on-demand";
  }

  // The rent proper, with what comes on top of it; fixed sums beside it are leaves of their own.
  ExplainNode rented(OptionKind kind) const {
    const auto& rent = *setup_.terms.rent[static_cast<std::size_t>(kind)];
    const std::string key(rent_key(kind));
    std::string path = "money.rent." + key;
    std::replace(path.begin(), path.end(), '-', '_');
    std::string fact = fmt::format("rent of {}, {}", setup_.chip->name, key);
    const std::string source = where_.find({path}, {fact, "rent, " + key}, kAssumed);
    Nodes factors{gpus(), leaf("rent of a GPU", any(rent.price), source)};
    const double more = (1 + rent.surcharge) * (1 + rent.support + rent.goodput_loss);
    if (more != 1)
      factors.push_back(
          leaf("support, faults and surcharge, over the rent", any(more),
               where_.find({"money.rent.support", "money.rent.goodput"}, {}, kAssumed)));
    if (kind == OptionKind::kSpot)
      factors.push_back(leaf("hours paid per useful hour", any(spot_multiplier(setup_.terms.spot)),
                             where_.find({}, {"spot_interruption"}, kAssumed)));
    factors.push_back(month_node());
    return node("rent", Operation::kProduct, std::move(factors));
  }

  ExplainNode energy(double share) const {
    const auto& own = *setup_.terms.own;
    return node("energy of a GPU", Operation::kProduct,
                {rated(),
                 leaf("share of it that work draws", any(own.electrical_load),
                      where_.find({"money.own.electrical_load"}, {"electrical_load"}, kAssumed)),
                 leaf("PUE", any(own.pue), where_.find({"money.own.pue"}, {"pue"}, kAssumed)),
                 leaf("price of electricity", any(own.electricity),
                      where_.find({"money.electricity"}, {"electricity"}, kAssumed)),
                 leaf("share of the time or draw", any(share), idle_source())});
  }

  std::string idle_source() const {
    const bool of_node = setup_.node != nullptr && setup_.node->power && setup_.node->power->idle &&
                         setup_.node->power->typical;
    return where_.find({"money.own.idle_power"}, {of_node ? "no fact" : "idle_power"},
                       of_node ? place_of(setup_.node->power->provenance) : kAssumed);
  }

  ExplainNode capital() const {
    const auto& terms = setup_.terms.own->capital;
    const double years = terms.life / economics::kYear;
    const std::string life = where_.find({"money.own.life"}, {"book_life"}, kAssumed);
    const std::string discount = where_.find({"money.own.discount"}, {"wacc"}, kAssumed);
    const auto one = [](const char* name) {
      return leaf(name, any(1.0), glossary_line("annuity"));
    };
    const ExplainNode worth =
        node("a dollar at the end of the life", Operation::kPower,
             {node("1 + discount", Operation::kSum,
                   {one("1"), leaf("discount a year", any(terms.discount), discount)}),
              leaf("years, negative", any(-years), life)});
    ExplainNode spread = node("spread over the life", Operation::kQuotient,
                              {one("1"), leaf("years", any(years), life)});
    if (terms.discount != 0)
      spread = node("spread over the life", Operation::kQuotient,
                    {leaf("discount a year", any(terms.discount), discount),
                     node("1 less that dollar", Operation::kDifference, {one("1"), worth})});
    const ExplainNode used = node(
        "share of the price that is used up", Operation::kDifference,
        {one("all of it"), node("residual, discounted", Operation::kProduct,
                                {leaf("residual", any(terms.residual),
                                      where_.find({"money.own.residual"}, {"residual"}, kAssumed)),
                                 worth})});
    return node("capital", Operation::kQuotient,
                {node("a year of capital", Operation::kProduct, {price(), used, spread}), year()});
  }

  // What a node or a chip costs, and what a cluster needs beside it.
  ExplainNode price() const {
    const AnyQuantity whole = any(setup_.terms.own->capital.price);
    const auto* beside = setup_.find_fact("hidden_capex", "optics-cables-switches-insurance");
    const bool written = setup_.money().own.price.has_value();
    auto bare = written || beside == nullptr ? std::nullopt : bare_price();
    if (!bare)
      return leaf("price of a GPU, installed", whole,
                  where_.find({"money.own.price"}, {"price of"}, kAssumed));
    return node("price of a GPU, installed", Operation::kProduct,
                {*std::move(bare), node("with what a cluster needs beside it", Operation::kSum,
                                        {leaf("1", any(1.0), glossary_line("annuity")),
                                         leaf("optics, cables, switches, insurance",
                                              any(beside->value), place_of(beside->provenance))})});
  }

  std::optional<ExplainNode> bare_price() const {
    const auto* machine = setup_.node;
    if (machine != nullptr && machine->price && machine->gpus > 0)
      return node("share of a node", Operation::kQuotient,
                  {leaf("price of " + machine->name, any(machine->price->capex),
                        place_of(machine->price->provenance)),
                   leaf("GPUs of it", any(static_cast<double>(machine->gpus)),
                        place_of(machine->provenance))});
    for (const auto& row : setup_.catalog->prices().capex)
      if (setup_.chip != nullptr && row.accelerator == setup_.chip->name)
        return leaf("price of " + row.accelerator, any(row.price), place_of(row.provenance));
    return std::nullopt;
  }

  static std::string place_of(const catalog::Provenance& from) {
    return fmt::format("{}:{}", from.file, from.line);
  }

  // Of a node's rating, where it has one.
  ExplainNode rated() const {
    const auto* machine = setup_.node;
    const bool of_node =
        !setup_.money().own.power && machine != nullptr && machine->power && machine->gpus > 0;
    if (!of_node)
      return leaf("rated power", any(setup_.terms.own->rated),
                  setup_.chip != nullptr && !setup_.money().own.power
                      ? place_of(setup_.chip->power.provenance)
                      : where_.find({"money.own.power"}, {"price of"}, kAssumed));
    return node("rated power", Operation::kQuotient,
                {leaf("rating of " + machine->name, any(machine->power->max),
                      place_of(machine->power->provenance)),
                 leaf("GPUs of it", any(static_cast<double>(machine->gpus)),
                      place_of(machine->provenance))});
  }
  static ExplainNode year() { return leaf("a year", any(economics::kYear), glossary_line("year")); }

  ExplainNode owned_fixed() const {
    const auto owner = *economics::owner_cost_of(setup_.terms);
    if (!setup_.terms.own)
      return leaf("owning a GPU, all in", any(owner.fixed()),
                  where_.find({"money.own.all_in"}, {"owning"}, kAssumed));
    const auto& own = *setup_.terms.own;
    Nodes parts{capital(), energy(own.idle_share)};
    parts.push_back(node(
        "space", Operation::kProduct,
        {rated(), leaf("price of space", any(own.space),
                       where_.find({"money.own.space"}, {"colo_price", "build_cost"}, kAssumed))}));
    const auto yearly = [&](const char* name, double share, const char* path, const char* fact) {
      if (share <= 0) return;
      parts.push_back(node(name, Operation::kQuotient,
                           {node("a year of it", Operation::kProduct,
                                 {price(), leaf("share of the price", any(share),
                                                where_.find({path}, {fact}, kAssumed))}),
                            year()}));
    };
    yearly("maintenance", own.maintenance, "money.own.maintenance", "maintenance");
    yearly("insurance", own.insurance, "money.own.insurance", "insurance");
    if (own.staff > DollarsPerSecond())
      parts.push_back(leaf("staff", any(own.staff),
                           where_.find({"money.own.staff"}, {"staff_price"}, kAssumed)));
    if (own.software > DollarsPerSecond())
      parts.push_back(
          leaf("software", any(own.software), where_.find({"money.own.software"}, {}, kAssumed)));
    if (owner.unavailable > DollarsPerSecond())
      parts.push_back(leaf("hours out of order", any(owner.unavailable),
                           where_.find({"money.own.availability"}, {}, kAssumed)));
    return node("a GPU that is owned and idle", Operation::kSum, std::move(parts));
  }

  const PlanAnswer& answer_;
  const CostSetup& setup_;
  SourceFinder where_;
  double sequences_;
};

// The cheapest machines whose cost is a plain sum, as the answer ranks them.
std::optional<OptionKind> machines_of(const PlanAnswer& answer) {
  for (const auto& option : answer.options) {
    if (option.accelerator != answer.machine->accelerator) continue;
    for (const OptionKind kind : {OptionKind::kOnDemand, OptionKind::kReserved1y,
                                  OptionKind::kReserved3y, OptionKind::kSpot, OptionKind::kOwn})
      if (option.cost.kind == kind_name(kind)) return kind;
  }
  return std::nullopt;
}

// The tree says whose figure it is where the answer's own option, a mix, is no plain sum.
ExplainNode named(ExplainNode tree, const std::string& what, const PlanAnswer& answer,
                  OptionKind kind) {
  const auto has_machines = [](const PlanOption& option) { return option.cost.kind != "api"; };
  const auto ours = std::find_if(answer.options.begin(), answer.options.end(), has_machines);
  if (ours == answer.options.end() || ours->cost.kind == kind_name(kind)) return tree;
  for (const auto& option : answer.options)
    if (option.cost.kind == kind_name(kind) && option.accelerator == ours->accelerator)
      tree.name = fmt::format("{}: {}", what, option.cost.name);
  return tree;
}

}  // namespace

std::optional<ExplainNode> explain_money(const Engine& engine, const PlanQuestion& question,
                                         const PlanAnswer& answer, const std::string& quantity) {
  Diagnostics unread;
  const auto setup = make_cost_setup(*answer.priced, engine.catalog(), unread);
  if (!setup) return std::nullopt;
  const MoneyTrees trees(answer, *setup, saturated_sequences(engine, question, answer));
  const auto kind = machines_of(answer);
  if (quantity == "load_factor") return trees.load();
  if (quantity == "full_plane") return trees.full_plane();
  if (quantity == "tokens_per_month") return trees.carried();
  if (quantity == "api_cost" && setup->terms.api) return trees.api_cost();
  if (!kind) return std::nullopt;
  if (quantity == "cost") return named(trees.cost(*kind), "cost a month", answer, *kind);
  if (quantity == "per_mtoken") {
    const ExplainNode million =
        leaf("a million tokens", any(Tokens::from_base(1e6)), glossary_line("per_mtoken"));
    return node(
        "cost of a million tokens", Operation::kProduct,
        {node("cost of a token", Operation::kQuotient, {trees.cost(*kind), trees.carried()}),
         million});
  }
  if (quantity == "break_even") return named(trees.break_even(*kind), "break-even", answer, *kind);
  if (quantity == "run_cost")
    return node("cost of the run", Operation::kProduct,
                {node("months", Operation::kQuotient,
                      {*explain_training(answer, "duration"), month_node()}),
                 trees.cost(*kind)});
  return std::nullopt;
}

}  // namespace loadfactor::engine
