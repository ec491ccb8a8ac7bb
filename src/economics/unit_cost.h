// What hours of accelerators cost: GPUs × hours × the catalogue's rent.
#pragma once

#include <optional>
#include <string_view>

#include "catalog/spec/price_book.h"
#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// The rent of one accelerator under a term: the quote over the whole market where there is one,
// else the middle one of the providers' (the lower of two middle ones); its interval spans the
// cheapest and the dearest. Nothing if nobody offers it.
std::optional<EstimateOf<DollarsPerGpuSecond>> find_rent(const catalog::PriceBook& prices,
                                                         std::string_view accelerator,
                                                         catalog::RentTerm term);

// The same; where nobody offers it under that term, under the one closest to it: a commitment for
// want of hours on demand, hours on demand for want of a commitment or of spare capacity.
struct OfferedRent {
  EstimateOf<DollarsPerGpuSecond> rent;
  catalog::RentTerm term = catalog::RentTerm::kOnDemand;
};
std::optional<OfferedRent> find_offered_rent(const catalog::PriceBook& prices,
                                             std::string_view accelerator, catalog::RentTerm term);

// GPUs for a time at a rent.
EstimateOf<Dollars> rent_cost(const EstimateOf<DollarsPerGpuSecond>& rent, double gpus,
                              const EstimateOf<Seconds>& time);

}  // namespace loadfactor::economics
