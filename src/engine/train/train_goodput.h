// What failures and rent make of a step: days that are paid, and their price.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/catalog.h"
#include "catalog/spec/price_book.h"
#include "engine/train/run_prices.h"
#include "loadfactor/scenario.h"
#include "loadfactor/train.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

// The kind of rent a scenario means: the first of its options that is one, else on demand.
catalog::RentTerm rent_term(const config::Money& money);
// Says which rent stands for one that nobody offers, where the scenario lists no ways to pay.
std::optional<Notice> note_rent(const catalog::Catalog& catalog, const TrainSetup& setup);

// Says what is priced where the only way to pay that is listed trains nothing.
std::optional<Notice> note_api_alone(const TrainSetup& setup);

// Cautions where checkpoints come within a few steps or a minute, or not as often as is asked.
std::optional<Notice> note_interval(const catalog::Catalog& catalog, const TrainSetup& setup,
                                    const TrainGoodput& goodput);

// Cautions of a run that is over within its first step.
std::optional<Notice> note_short_run(const TrainSetup& setup, std::int64_t global_batch);

// The size of a run whose duration is still that of its steps.
RunSize size_of(const TrainAnswer& answer);

// Sets goodput, the whole run, cost and the ways to pay, and turns the duration of the steps into
// the paid time, with every loss of whole runs; all of them by the way to pay that the rule
// chooses.
void add_goodput(const catalog::Catalog& catalog, const TrainSetup& setup, TrainAnswer& answer,
                 PayRule rule = PayRule::kCheapest);
// The same where the prices of the run are known.
void add_goodput(const RunPrices& prices, const TrainSetup& setup, TrainAnswer& answer,
                 PayRule rule);

}  // namespace loadfactor::engine
