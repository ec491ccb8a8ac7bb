// The rules a row of prices must keep: accelerators, models and sources that exist.
#pragma once

#include "catalog/spec/price_book.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const PriceBook& book, const EntryCheck& check);

}  // namespace loadfactor::catalog
