// The page of a cost: the cheapest way to pay first, and what its bill is made of.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/cost.h"
#include "loadfactor/value.h"
#include "report/page/definitions.h"

namespace loadfactor::report {

// What the cost was asked with: the scenario's file, and what was set in it.
struct CostAsked {
  std::string file;
  std::vector<std::string> set = {};
  std::vector<PageWord> words = {};  // That the page explains where they stand.
};

// As docs/page.md describes it.
Value cost_page_data(const CostAnswer& answer, const CostAsked& asked);
std::string cost_page(const CostAnswer& answer, const CostAsked& asked);

}  // namespace loadfactor::report
