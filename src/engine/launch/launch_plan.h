// From a scenario to what is launched, and back from what is launched to names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core.h"
#include "engine/plan/plan.h"
#include "launch/plan/launch_plan.h"
#include "launch/read/launch_reading.h"

namespace loadfactor::engine {

struct LaunchInputs {
  config::Scenario scenario;
  std::vector<ModelFile> served_files;   // The model that is served, where it is a file,
  std::vector<ModelFile> trained_files;  // and the one that is trained.
  std::string_view trace_bytes;
  std::string target;         // What is to be written; an engine among them is the service's.
  bool wants_run = true;      // What the target launches: of a scenario with both, …
  bool wants_service = true;  // … both may be wanted.
};

// The run and the service of a scenario, as `train` and `serve` resolve them. Nothing, and every
// reason, where there is none or it does not fit.
std::optional<launch::LaunchPlan> make_launch_plan(const Core& engine, const LaunchInputs& inputs,
                                                   Diagnostics& diagnostics);

// What makes a scenario the one that a plan recommends: its chip, formats and layout.
std::vector<config::Edit> recommended_edits(const PlanAnswer& plan);
std::vector<config::Edit> recommended_edits(const PlanMachine& machine);  // What a service changes.

// The scenario with what differs from what it says already: a value that stays keeps its line.
config::Scenario with_changes(const config::Scenario& scenario, std::vector<config::Edit> edits);

// The keys of how it runs that a scenario says and a plan could choose itself: what advice on a
// running service or run may change. The number of GPUs of a run stays, and so do engine, framework
// and number formats.
std::vector<std::string> keys_open_to_advice(const config::Scenario& scenario);

// A plan that was saved as JSON.
struct SavedPlan {
  std::string file;
  std::string text;
};
// The scenario as it recommends. LF501 and others where it is none; LF209 where a key of its layout
// does not come out of the scenario.
std::optional<config::Scenario> as_planned(const Core& engine, const LaunchInputs& inputs,
                                           const SavedPlan& plan, Diagnostics& diagnostics);

// The kind of the way to pay that it recommends: `reserved-3y`. Empty where it names none.
std::string way_to_pay(const SavedPlan& plan);

// The model in the dimensions that launchers ask for.
launch::ModelShape shape_of(const catalog::ModelSpec& model);

// What a model's own configuration says beside its dimensions.
void add_details(const std::vector<ModelFile>& files, launch::ModelShape& shape);

// Names of models and chips by the catalogue.
launch::Names names_of(const catalog::Catalog& catalog);

}  // namespace loadfactor::engine
