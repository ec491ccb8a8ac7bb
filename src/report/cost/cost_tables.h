// The tables of a cost answer.
#pragma once

#include "base/text/table.h"
#include "loadfactor/cost.h"

namespace loadfactor::report {

Table bill_table(const CostAnswer& answer);
Table options_table(const CostAnswer& answer);
// What the draws say of each option, its life and its pay-back, and tokens in, cached and out.
Table spread_table(const CostAnswer& answer);
Table break_even_table(const CostAnswer& answer);
Table load_table(const CostAnswer& answer);
Table tornado_table(const CostAnswer& answer);
Table inputs_table(const CostAnswer& answer);
Table regret_table(const CostAnswer& answer);
// Options on simulated rents; the answer has them.
Table paths_table(const CostAnswer& answer);
Table prices_table(const CostAnswer& answer, bool sources);
Table cooling_table(const FacilityAnswer& facility);
Table network_table(const FacilityAnswer& facility);
Table cap_table(const FacilityAnswer& facility);

// As the calendar counts them.
double months_of(Seconds time);
// `1,234.50`, with a sign where it is negative.
std::string money_text(Dollars amount, int decimals);
// `22.0 %`, and `never` where there is no finite one.
std::string load_text(double load);

}  // namespace loadfactor::report
