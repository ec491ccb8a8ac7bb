// Deployments of a search, filled with the demand and priced every way.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {

// One accelerator's cheapest deployment with its fill and its prices.
struct PricedRow {
  const DeploymentRow* row = nullptr;
  FillAnswer fill;
  CostRequest request;
  CostAnswer cost;

  // The cheapest way to have these machines; nullptr where `money.options` has none.
  const CostOption* cheapest() const;
};

class ServingPlanner {
 public:
  ServingPlanner(const Engine& engine, const PlanQuestion& question)
      : engine_(engine), question_(question) {}

  // The cheapest deployment of every accelerator. False, with the reasons, where none has a price.
  bool price(const SearchAnswer& found, Diagnostics& diagnostics);
  // Every way to pay for every accelerator, the cheapest first; the API once.
  void add_options(PlanAnswer& answer) const;
  // Ways to pay that were asked for and have no price, by name and why.
  void add_unpriced(PlanAnswer& answer) const;
  // The machines that the sizing chose.
  const PricedRow& chosen(const SearchAnswer& found) const;
  const std::vector<PricedRow>& rows() const { return rows_; }

  std::optional<PricedRow> price_row(const DeploymentRow& row, Diagnostics& diagnostics) const;

 private:
  const Engine& engine_;
  const PlanQuestion& question_;
  std::vector<PricedRow> rows_;
  std::vector<std::pair<std::string, std::string>> unpriced_;  // Accelerators, and why.
};

// How a plan's GPUs are had, in whole GPUs that add up to the plan's: `own 2 × h100-sxm, up to 1 on
// demand`, `up to 4 × l40s, rented by the hour`.
struct Procurement {
  std::string kind;
  std::string name;     // As `cost` has it, for what needs no other.
  double paid = 0;      // GPUs, on average,
  double owned = 0;     // of a mix owned
  double reserved = 0;  // and reserved.
};
std::string procurement_name(const Procurement& how, const std::string& accelerator, int gpus);

}  // namespace loadfactor::engine
