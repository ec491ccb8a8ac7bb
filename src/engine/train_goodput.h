// What failures and rent make of a step: days that are paid, and their price.
#pragma once

#include <optional>

#include "catalog/catalog.h"
#include "catalog/price_book.h"
#include "config/scenario.h"
#include "engine/train_setup.h"
#include "loadfactor/estimate.h"
#include "loadfactor/train.h"
#include "training/reliability.h"

namespace loadfactor::engine {

// The kind of rent a scenario means: the first of its options that is one, else on demand.
catalog::RentTerm rent_term(const config::Money& money);
std::string_view rent_words(catalog::RentTerm term);
// Says which rent stands for one that nobody offers, where the scenario lists no ways to pay.
std::optional<Notice> note_rent(const catalog::Catalog& catalog, const TrainSetup& setup);

// Of a job on so many of its accelerators; no checkpoint comes sooner than its step, where that is
// known. Nothing if the catalogue has no such facts.
struct PaidTime {
  training::Goodput goodput;
  EstimateOf<double> effective;  // Its value; doubt of half to twice the losses.
  int nodes = 1;
};
std::optional<PaidTime> paid_time(const catalog::Catalog& catalog, const TrainSetup& setup,
                                  int gpus, Seconds step = {});

// Sets goodput and cost, and turns the duration of the steps into that of the paid time.
void add_goodput(const catalog::Catalog& catalog, const TrainSetup& setup, TrainAnswer& answer);

}  // namespace loadfactor::engine
