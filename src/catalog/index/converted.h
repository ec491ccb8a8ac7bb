// Money of the catalogue, which is in US dollars, in another currency.
#pragma once

#include <vector>

#include "catalog/spec/fabric_spec.h"
#include "catalog/spec/fact_table.h"
#include "catalog/spec/node_spec.h"
#include "catalog/spec/price_book.h"
#include "catalog/spec/region_spec.h"

namespace loadfactor::catalog {

void convert(NodeSpec& node, double per_usd);
void convert(FabricSpec& fabric, double per_usd);
void convert(RegionSpec& region, double per_usd);
void convert(PriceBook& prices, double per_usd);
void convert(std::vector<Fact>& facts, double per_usd);
// Chips, models, engines and words cost nothing.
template <typename Spec>
void convert(Spec& /*spec*/, double /*per_usd*/) {}

}  // namespace loadfactor::catalog
