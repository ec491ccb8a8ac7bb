// Who sells the tokens of a model, and for how much.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace loadfactor::engine {

// What tokens are bought for.
struct ApiNeed {
  std::string model;     // As the catalogue or a provider calls it.
  std::string provider;  // Empty: any.
  std::string today;
  double input_share = 0;  // A share of all tokens,
  double cached_share = 0;
  double length = 0;  // and of a request, in tokens.
};
// The cheapest offer of every provider at that mix, rising; the middle one is compared with.
std::vector<const catalog::ApiPrice*> find_api_offers(const catalog::PriceBook& prices,
                                                      const ApiNeed& need);
// Provider and model.
std::string api_name_of(const catalog::ApiPrice& row);

}  // namespace loadfactor::engine
