// What changed between two plans, and what it does to the verdict, the cost and the load factor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "launch/emit/flag_patch.h"

namespace loadfactor::engine {

enum class Change : std::uint8_t { kChanged, kAdded, kRemoved };
// As JSON writes it.
std::string_view name_of(Change change);

// A value of the scenario, or a fact of the catalogue that the answers were computed from.
struct InputChange {
  Change change = Change::kChanged;
  std::string what;
  std::string before;
  std::string after;
  bool is_given = false;    // By the scenario; otherwise by the catalogue.
  bool is_assumed = false;  // Without a document behind it.
};

// A figure of both answers; nothing where one does not have it.
struct FigureChange {
  PlanFigure figure = PlanFigure::kCost;
  std::optional<Estimate> before;
  std::optional<Estimate> after;
};

struct DiffAnswer {
  std::string name;  // The second scenario's.
  PlanAnswer before;
  PlanAnswer after;
  std::vector<InputChange> inputs;
  std::vector<FigureChange> figures;
  // What runs today against what is recommended, where the first is a scenario that says how it
  // runs and a target launches both.
  std::vector<launch::FlagChange> flags;
  std::string launched_before;  // The targets that launch them; empty: no flags were compared.
  std::string launched_after;
  bool before_runs = false;  // The first is a service as it runs, and no plan for it.
};

// Machines of both are matched by the catalogue, whatever they are called.
DiffAnswer compare_plans(PlanAnswer before, PlanAnswer after, const catalog::Catalog& catalog);

// Makes the plan of a service that one of it as it runs: on the replicas that the scenario says,
// which were `priced`, or on those that its layout needs, and paid for in the cheapest way to have
// these machines. What it costs to do the work otherwise is left out.
void keep_what_runs(const config::Deployment& said, const std::optional<CostAnswer>& priced,
                    PlanAnswer& plan);
// The decision of a plan that opens what runs, as a step from the GPUs that are there.
void count_from_what_runs(const PlanAnswer& runs, PlanAnswer& advice);

// A plan as `plan --format json` saved it: what a comparison and a gate need of it. LF5xx where the
// file is not one.
Result<PlanAnswer> read_saved_plan(const std::string& file, const std::string& text);
// Whether a text looks like one, so that scenarios in JSON can be told from answers.
bool is_saved_plan(const std::string& file, const std::string& text);

}  // namespace loadfactor::engine
