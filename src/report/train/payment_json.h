// The way to pay that a plan's days and cost are of, as JSON.
#pragma once

#include <vector>

#include "loadfactor/train.h"
#include "report/json_answer.h"

namespace loadfactor::report {

// "option" and, where it is paid to its end however short the run, "binds". Nothing where no way to
// pay has a price.
void add_payment(const TrainAnswer& train, Json& json);

// The keys of limits that are not kept.
Json missed_keys(const std::vector<MissedLimit>& missed);

// "ways": every way to pay with its own price, goodput, time and cost.
void add_ways(const TrainAnswer& train, Json& json);

}  // namespace loadfactor::report
