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
    return node(
        Term::kGpuEnergy, Operation::kProduct,
        {rated(),
         leaf(Term::kElectricalLoad, any(own.electrical_load),
              where_.find({"money.own.electrical_load"}, {"electrical_load"}, kAssumed)),
         leaf(Term::kPue, any(own.pue), where_.find({"money.own.pue"}, {"pue"}, kAssumed)),
         leaf(Term::kElectricity, any(own.electricity),
              where_.find({"money.electricity"}, {"electricity", "electricity_price"}, kAssumed)),
         leaf(Term::kDrawShare, any(share), idle_source())});
  }

  ExplainNode owned_fixed() const {
    const auto owner = *economics::owner_cost_of(setup_.terms);
    if (!setup_.terms.own)
      return leaf(Term::kOwnedAllIn, any(owner.fixed()),
                  where_.find({"money.own.all_in"}, {}, kAssumed));
    const auto& own = *setup_.terms.own;
    Nodes parts{capital(), energy(own.idle_share)};
    parts.push_back(node(
        Term::kSpace, Operation::kProduct,
        {rated(), leaf(Term::kSpacePrice, any(own.space),
                       where_.find({"money.own.space"}, {"colo_price", "build_cost"}, kAssumed))}));
    const auto yearly = [&](Term term, double share, const char* path, const char* fact) {
      if (share <= 0) return;
      parts.push_back(node(term, Operation::kQuotient,
                           {node(Term::kYearly, Operation::kProduct,
                                 {price(), leaf(Term::kPriceShare, any(share),
                                                where_.find({path}, {fact}, kAssumed))}),
                            year()}));
    };
    yearly(Term::kMaintenance, own.maintenance, "money.own.maintenance", "maintenance");
    yearly(Term::kInsurance, own.insurance, "money.own.insurance", "insurance");
    if (own.staff > DollarsPerSecond())
      parts.push_back(leaf(Term::kStaff, any(own.staff),
                           where_.find({"money.own.staff"}, {"staff_price"}, kAssumed)));
    if (own.software > DollarsPerSecond())
      parts.push_back(leaf(Term::kSoftware, any(own.software),
                           where_.find({"money.own.software"}, {}, kAssumed)));
    if (owner.unavailable > DollarsPerSecond())
      parts.push_back(leaf(Term::kOutOfOrder, any(owner.unavailable),
                           where_.find({"money.own.availability"}, {}, kAssumed)));
    return node(Term::kIdleGpu, Operation::kSum, std::move(parts));
  }

 private:
  std::string idle_source() const {
    const bool of_node = setup_.node != nullptr && setup_.node->power && setup_.node->power->idle &&
                         setup_.node->power->typical;
    if (of_node)
      return where_.find({"money.own.idle_power"}, {}, place_of(setup_.node->power->provenance));
    return where_.find({"money.own.idle_power"}, {"idle_power"}, kAssumed);
  }

  ExplainNode capital() const {
    const auto& terms = setup_.terms.own->capital;
    const double years = terms.life / kYear;
    const std::string life = where_.find({"money.own.life"}, {"book_life"}, kAssumed);
    const std::string discount = where_.find({"money.own.discount"}, {"wacc"}, kAssumed);
    const auto one = [](Term term) { return leaf(term, any(1.0), glossary_line("annuity")); };
    const ExplainNode worth =
        node(Term::kLastDollar, Operation::kPower,
             {node(Term::kDiscountFactor, Operation::kSum,
                   {one(Term::kOne), leaf(Term::kDiscount, any(terms.discount), discount)}),
              leaf(Term::kNegativeYears, any(-years), life)});
    ExplainNode spread = node(Term::kSpread, Operation::kQuotient,
                              {one(Term::kOne), leaf(Term::kYears, any(years), life)});
    if (terms.discount != 0)
      spread = node(Term::kSpread, Operation::kQuotient,
                    {leaf(Term::kDiscount, any(terms.discount), discount),
                     node(Term::kUsedDollar, Operation::kDifference, {one(Term::kOne), worth})});
    const ExplainNode used = node(
        Term::kUsedShare, Operation::kDifference,
        {one(Term::kWhole), node(Term::kDiscountedResidual, Operation::kProduct,
                                 {leaf(Term::kResidual, any(terms.residual),
                                       where_.find({"money.own.residual"}, {"residual"}, kAssumed)),
                                  worth})});
    return node(Term::kCapital, Operation::kQuotient,
                {node(Term::kYearOfCapital, Operation::kProduct, {price(), used, spread}), year()});
  }

  // What a node or a chip costs, and what a cluster needs beside it.
  ExplainNode price() const {
    const AnyQuantity whole = any(setup_.terms.own->capital.price);
    const auto* beside = setup_.find_fact("hidden_capex", "optics-cables-switches-insurance");
    const bool written = setup_.money().own.price.has_value();
    auto bare = written || beside == nullptr ? std::nullopt : bare_price();
    if (!bare)
      return leaf(Term::kInstalledPrice, whole,
                  where_.find({"money.own.price"}, {"price"}, kAssumed));
    return node(
        Term::kInstalledPrice, Operation::kProduct,
        {*std::move(bare),
         node(Term::kClusterFactor, Operation::kSum,
              {leaf(Term::kOne, any(1.0), glossary_line("annuity")),
               leaf(Term::kClusterExtras, any(beside->value), place_of(beside->provenance))})});
  }

  std::optional<ExplainNode> bare_price() const {
    const auto* machine = setup_.node;
    if (machine != nullptr && machine->price && machine->gpus > 0)
      return node(Term::kNodeShare, Operation::kQuotient,
                  {leaf(Term::kPriceOf, any(machine->price->capex),
                        place_of(machine->price->provenance), machine->name),
                   leaf(Term::kGpusOfNode, any(static_cast<double>(machine->gpus)),
                        place_of(machine->provenance))});
    for (const auto& row : setup_.catalog->prices().capex)
      if (setup_.chip != nullptr && row.accelerator == setup_.chip->name)
        return leaf(Term::kPriceOf, any(row.price), place_of(row.provenance), row.accelerator);
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
      return leaf(Term::kRatedPower, any(setup_.terms.own->rated),
                  setup_.chip != nullptr && !setup_.money().own.power
                      ? place_of(setup_.chip->power.provenance)
                      : where_.find({"money.own.power"}, {"price"}, kAssumed));
    return node(Term::kRatedPower, Operation::kQuotient,
                {leaf(Term::kRatingOf, any(machine->power->max),
                      place_of(machine->power->provenance), machine->name),
                 leaf(Term::kGpusOfNode, any(static_cast<double>(machine->gpus)),
                      place_of(machine->provenance))});
  }
  static ExplainNode year() { return leaf(Term::kYear, any(kYear), glossary_line("year")); }

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
