// The tree of what one owned GPU costs: capital, energy, space, upkeep.
#include "engine/explain/explain_owner.h"

#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "economics/evaluate.h"

namespace loadfactor::engine {
namespace {

using Nodes = std::vector<ExplainNode>;
constexpr const char* kAssumed = "general-knowledge";

class OwnerTrees {
 public:
  OwnerTrees(const PlanAnswer& answer, const CostSetup& setup) : setup_(setup), where_(answer) {}

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

 private:
  std::string idle_source() const {
    const bool of_node = setup_.node != nullptr && setup_.node->power && setup_.node->power->idle &&
                         setup_.node->power->typical;
    return where_.find({"money.own.idle_power"}, {of_node ? "no fact" : "idle_power"},
                       of_node ? place_of(setup_.node->power->provenance) : kAssumed);
  }

  ExplainNode capital() const {
    const auto& terms = setup_.terms.own->capital;
    const double years = terms.life / kYear;
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

  // The node's rating, where it has one.
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
  static ExplainNode year() { return leaf("a year", any(kYear), glossary_line("year")); }

  const CostSetup& setup_;
  SourceFinder where_;
};

}  // namespace

ExplainNode explain_owned_gpu(const PlanAnswer& answer, const CostSetup& setup) {
  return OwnerTrees(answer, setup).owned_fixed();
}

ExplainNode explain_gpu_energy(const PlanAnswer& answer, const CostSetup& setup, double share) {
  return OwnerTrees(answer, setup).energy(share);
}

}  // namespace loadfactor::engine
