// A service for years: its traffic grows, prices fall, machines are bought, live and are sold.
#pragma once

#include "catalog/catalog.h"
#include "engine/plan/plan.h"
#include "loadfactor/result.h"

namespace loadfactor::engine {

// Every way to pay that the plan weighs, month by month at the traffic of that month, and every
// change from one of the best to another half-yearly. Fleets of other traffic are counted as flips
// are. LF603 where the plan is of no service that was sized.
Result<PlanYears> plan_years(const catalog::Catalog& catalog, const PlanAnswer& plan, int years);

}  // namespace loadfactor::engine
