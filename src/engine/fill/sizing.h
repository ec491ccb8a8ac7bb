// Which deployment a service gets: the cheapest within its SLO, over every way to pay that is asked
// for. `serve --search`, `fill` and `plan` choose by this alone, and `serve` names the choice.
#pragma once

#include <optional>

#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "loadfactor/cost.h"

namespace loadfactor::engine {

// A deployment of a search over its demand, and the question what it costs in every way.
struct FilledRow {
  FillAnswer fill;
  CostInputs cost;
};
// Nothing, and the reasons, where it cannot be filled.
std::optional<FilledRow> fill_row(const ServingInputs& question, const DeploymentRow& row,
                                  const catalog::Catalog& catalog, Diagnostics& diagnostics);

// Searches, and says which row is the answer: of each accelerator the first is filled and priced
// every way, mixes and machines that come and go included.
// The same question without the promise of an availability, of zones or of deploys.
config::Scenario without_promised_time(const config::Scenario& scenario);
// Sizes that beside an answer with such a promise.
void add_plain_answer(const SizingInputs& question, const catalog::Catalog& catalog,
                      SizeAnswer& answer);

std::optional<SizeAnswer> size_service(const SizingInputs& question,
                                       const catalog::Catalog& catalog, Diagnostics& diagnostics);

// Whether a notice was found out about the first row, and says nothing of another.
bool is_of_first_row(const std::string& id);

// How many other weeks a row keeps, and how many with one replica fewer.
Notice note_weeks(const DeploymentRow& row);

// The answer as the first row, with notices that speak of it.
void put_choice_first(SizeAnswer& answer);

}  // namespace loadfactor::engine
