// Writes imported prices as files of the catalogue (data/prices/), so that an import can be kept
// in an overlay folder: prices/rent-<word>.csv and prices/api-<word>.csv.
#pragma once

#include <span>
#include <string>

#include "catalog/spec/price_book.h"

namespace loadfactor::catalog {

std::string rent_csv(std::span<const RentPrice> prices);
std::string api_csv(std::span<const ApiPrice> prices);

}  // namespace loadfactor::catalog
