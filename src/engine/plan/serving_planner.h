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
  CostInputs request;
  CostAnswer cost;

  // The cheapest way to have these machines; nullptr where `money.options` has none.
  const CostOption* cheapest() const;
};

class ServingPlanner {
 public:
  ServingPlanner(const Core& engine, const PlanInputs& question)
      : engine_(engine), question_(question) {}

  // The cheapest deployment of every accelerator. False, with the reasons, where none has a price.
  bool price(const SizeAnswer& found, Diagnostics& diagnostics);
  // Every way to pay for every accelerator, the cheapest first; the API once.
  // Every way to pay for every row; the API for the work of the chosen one.
  void add_options(const PricedRow& chosen, PlanAnswer& answer) const;
  // Options that were asked for and have no price, by name and why.
  void add_unpriced(PlanAnswer& answer) const;
  // The machines that the sizing chose.
  const PricedRow& chosen(const SizeAnswer& found) const;
  const std::vector<PricedRow>& rows() const { return rows_; }

  std::optional<PricedRow> price_row(const DeploymentRow& row, Diagnostics& diagnostics) const;

 private:
  const Core& engine_;
  const PlanInputs& question_;
  std::vector<PricedRow> rows_;
  std::vector<std::pair<std::string, std::string>> unpriced_;  // Accelerators, and why.
};

}  // namespace loadfactor::engine
