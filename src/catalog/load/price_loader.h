// Reads data/prices/*.csv into a price book.
//
// A file is known by its stem: `rent`, `capex`, `api`, `rent_history`, `tco`, `instances`, each
// also with a hyphen and a word of the user's (`rent-quotes.csv`). A later file adds rows and
// replaces those of the same key (provider, accelerator, region and term of a rent; and so on);
// within one file a key may stand once (LF515).
#pragma once

#include <optional>
#include <string_view>

#include "catalog/load/data_file.h"
#include "catalog/spec/price_book.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

enum class PriceTable : std::uint8_t { kRent, kCapex, kApi, kRentHistory, kOwnership, kInstances };

// The table that a file under prices/ holds, or nothing.
std::optional<PriceTable> price_table_of(std::string_view path);

// Adds the rows of one file to the book, and reports all that is wrong with it.
void load_prices(const DataFile& file, PriceBook& book, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
